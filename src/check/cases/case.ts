import type { KeyName, TicketKind } from '../deployment/target.ts';
import type { Endpoint } from '../facts/exchange.ts';
import type { Level } from '../facts/level.ts';
import type { KeyChange } from '../key-changes/spare-keys.ts';
import type { AnswerRule } from '../law/answer-rule.ts';
import type { SymptomKind } from '../law/symptom-kinds.ts';
import type { Scan } from './scan.ts';

/**
 * `scan` cases run in parallel; `key-changes` cases one after the other on the same keys; `review` cases look at every
 * answer of the run; `rate-limits` cases run alone; `every-answer` cases come last and compare what all of them were answered: where
 * another case shows the same, that one is the root, because it says what to look at.
 */
type Phase = 'scan' | 'key-changes' | 'review' | 'rate-limits' | 'every-answer';

/** How many tickets of each kind, or uses of them. */
export type TicketCounts = Readonly<Partial<Record<TicketKind, number>>>;

/** What a cell or a sample wants from the target before it can run. */
export interface Needs {
  readonly keys?: readonly KeyName[];
  readonly tickets?: TicketCounts;
  /** Of this kind it gets every ticket that nobody spends, at least those that `tickets` says; it only looks at them. */
  readonly every?: TicketKind;
  /** What it does to a spare key of the target, or to one that is made for it. */
  readonly changes?: readonly KeyChange[];
  /**
   * The uses that a right server takes, at most. Given (even empty) for everything that sends an intact ticket with a
   * good key to a consume endpoint: it runs only with consent, on good tickets that no other cell gets.
   */
  readonly uses?: TicketCounts;
  /**
   * Tickets for a consume endpoint to refuse: for forged codes and for refused keys. Without consent they come from
   * `exhausted`, `expired`, `unknown` and `cancelled`, so that no server can spend anything.
   */
  readonly decoys?: number;
  /** Takes its uses from the one permanent card that all such cells share; none of them compares counts. */
  readonly sharedCard?: true;
}

/**
 * One way to ask: what it needs, and what it does with what came.
 * `Context` is what it works with: a `Scan` that asks a server, or the session that a device or client has left.
 */
interface Question<Context> extends Needs {
  /** Shared answers that it judges; fetched once a run. */
  readonly samples?: readonly string[];
  /** Set for what came after the requirement set of the run: it is reported, and fails nothing. */
  readonly later?: true;
  /**
   * Throws a Deviation when the requirement is not kept, and may throw what it may return. A text that it returns is what
   * was seen, and makes a case that is not `stated` an observation.
   */
  run(context: Context): Seen | Promise<Seen>;
}

/** A requirement asked on one endpoint. */
export interface Cell<Context = Scan> extends Question<Context> {
  readonly endpoint: Endpoint;
  /** What is shown there, where an endpoint is asked more than once: `multi`. */
  readonly variant?: string;
  /** Where the specification says less about this endpoint than about the others. */
  readonly level?: Level;
}

/** What a case says, whatever it asks. */
export interface CaseText {
  /** A name bound to a section, never a position: `3.2/consume-counts-one`. */
  readonly id: string;
  /** `stated` when left out. */
  readonly level?: Level;
  readonly phase?: Phase;
  /** The requirement in one sentence. */
  readonly requirement: string;
  /** What is wrong whenever this fails; left out where only what was seen can tell, or nothing can. */
  readonly cause?: string;
  /** What is wrong with answers that break it: of several cases that fail by one of these, the first that states it is the root. */
  readonly states?: readonly SymptomKind[];
  /** Cases that this one takes for granted: where one of them fails, this one follows from it. */
  readonly buildsOn?: readonly string[];
  /** The rule on every answer that it states. */
  readonly rule?: AnswerRule['wrong'];
}

/** A case that asks by one question, about one endpoint or a sequence over several. */
export type PlainCase<Context> = CaseText & Question<Context> & { readonly endpoint?: Endpoint };

/**
 * One requirement of the specification, as it can be seen from outside: asked on each endpoint to which it applies, or by
 * one question. Where nothing is asked, any case is a `Case<never>`.
 */
export type Case<Context> =
  | PlainCase<Context>
  | (CaseText & { readonly cells: readonly Cell<Context>[] });

/** A case on a server. */
export type CheckCase = Case<Scan>;

/** A question of a case, with a name of its own in the plan of a run. */
export interface AskedCell<Context = Scan> extends Question<Context> {
  readonly name: string;
  readonly level: Level;
  readonly endpoint?: Endpoint;
  readonly variant?: string;
}

/** How much the specification says about a case. */
export function levelOf({ level = 'stated' }: Pick<CaseText, 'level'>): Level {
  return level;
}

/** The questions of a case. */
export function cellsOf<Context>(one: Case<Context>): AskedCell<Context>[] {
  if (!('cells' in one)) return [{ ...one, level: levelOf(one), name: one.id }];
  return one.cells.map((cell) => ({
    ...cell,
    level: cell.level ?? levelOf(one),
    name: `${one.id}@${cell.endpoint}${cell.variant === undefined ? '' : `{${cell.variant}}`}`,
  }));
}

/** What a question says that was answered as required, or that could not be judged. */
// biome-ignore lint/suspicious/noConfusingVoidType: a case that has nothing to say just ends.
export type Seen = string | NotApplicable | Inconclusive | void;

/** The requirement means nothing for what is judged: there is nothing to ask. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

/** What came does not show whether the requirement is kept: the question is skipped with this reason. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
  /** True when a check is complete without it. */
  readonly isOptional: boolean;

  constructor(reason: string, isOptional = false) {
    super(reason);
    this.isOptional = isOptional;
  }
}

/** The section of the specification that a case belongs to: the part of its id before the slash. */
export function sectionOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

/** Section 4 has a section for each endpoint; what is asked on all of them stands above these. */
const SECTIONS_OF: Readonly<Record<Endpoint, string>> = {
  validate: '4.1',
  consume: '4.2',
  'hw/consume': '4.3',
  'hw/validate': '4.4',
  heartbeat: '4.5',
};

/** The section that a case belongs to on an endpoint: `4/good-ticket` belongs to 4.2 on consume. */
export function sectionOn(id: string, endpoint: Endpoint | undefined): string {
  const section = sectionOf(id);
  return section === '4' && endpoint !== undefined ? SECTIONS_OF[endpoint] : section;
}
