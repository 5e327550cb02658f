import { counted } from '../../kit/text.ts';
import {
  isOptional,
  KEY_NAMES,
  type KeyName,
  keyVariable,
  type Target,
  TICKET_KINDS,
  type TicketKind,
} from '../deployment/target.ts';
import { Redactor } from '../requests/redact.ts';
import { type Dispatch, type SavedHistory, savedHistory, stepsIn } from './history.ts';
import type { Rule } from './observation.ts';
import type { Runner } from './runner.ts';
import type { Shrunk } from './shrink.ts';
import { storyOf } from './story.ts';
import { isUnchanging, type TicketPool } from './tickets.ts';

const REQUESTS_A_MONTH = 500_000;
/** Where the target does not say how many uses its tickets have (section 2.2). */
const USES_OF_KIND: Partial<Record<TicketKind, number>> = {
  multi: 100,
  hundred: 100,
  permanent: 9999,
};

/** What an exploration may send and spend at most, known before the first request. */
export interface ExploreStart {
  readonly seed: number;
  /** Requests at most, to find a fault and to shrink it. */
  readonly requests: number;
  /** Their share of the 500,000 that a key may send in a month (section 8), in percent. */
  readonly monthPercent: number;
  /** Uses at most. */
  readonly uses: number;
  readonly byKind: readonly {
    readonly kind: TicketKind;
    readonly tickets: number;
    readonly uses: number;
  }[];
}

/** A fault, as short as it could be made. */
export interface Failure {
  readonly rule: Rule;
  /** Of the specification. */
  readonly section: string;
  readonly expected: string;
  readonly observed: string;
  /** `fully`: no step can be left out. `not fully`: perhaps one can. `not again`: it came up once and never again. */
  readonly shrunk: 'fully' | 'not fully' | 'not again';
  /** What ended the shrinking early; null when nothing did. */
  readonly reason: string | null;
  readonly cameBack: { readonly times: number; readonly tries: number };
  readonly steps: number;
  /** A line for each step, with the answers. */
  readonly story: readonly string[];
  /** What `replay` runs again. */
  readonly history: SavedHistory;
}

/** What was sent, and what came back. */
interface Coverage {
  /** Requests that left after the answer to the one before. */
  readonly oneByOne: number;
  /** Requests that left at once with others. */
  readonly together: number;
  /** How many answers of each kind came, the most frequent first. */
  readonly answers: Readonly<Record<string, number>>;
}

/** What an exploration found. */
export interface ExploreResult {
  readonly target: string;
  /** `incomplete`: nothing was found, but not every request was answered. */
  readonly verdict: 'nothing-found' | 'deviates' | 'incomplete' | 'stopped';
  readonly seed: number;
  readonly durationMs: number;
  readonly requests: { readonly find: number; readonly shrink: number };
  /** Uses that the service granted. */
  readonly usesGranted: number;
  /** Answers that said that a rate limit was exceeded; each was waited for. */
  readonly limited: number;
  /** Requests that stayed without a complete answer although nothing excuses it. */
  readonly lost: number;
  readonly coverage: Coverage;
  readonly notes: readonly string[];
  readonly failure: Failure | null;
}

/** What a run with this budget may send and spend at most. */
export function startOf(seed: number, requests: number, { target, consent }: Runner): ExploreStart {
  const kinds = TICKET_KINDS.filter((kind) => !isUnchanging(kind) && kind !== 'otherEvent');
  const byKind = (consent ? kinds : []).flatMap((kind) => {
    const tickets = target.tickets[kind] ?? [];
    const uses = tickets.reduce(
      (sum, { usesAllowed }) => sum + (usesAllowed ?? USES_OF_KIND[kind] ?? 1),
      0,
    );
    const tally = { kind, tickets: tickets.length, uses: Math.min(uses, requests) };
    return tickets.length === 0 ? [] : [tally];
  });
  const total = byKind.reduce((sum, { uses }) => sum + uses, 0);
  const monthPercent = Math.round((requests / REQUESTS_A_MONTH) * 1000) / 10;
  return { seed, requests, monthPercent, uses: Math.min(total, requests), byKind };
}

/** Counts requests and answers. @param sent how each request left, and what came back */
export function coverageOf(sent: readonly (readonly [Dispatch, string])[]): Coverage {
  const oneByOne = sent.filter(([dispatch]) => dispatch === 'one-by-one').length;
  const answers = [...Map.groupBy(sent, ([, outcome]) => outcome)]
    .map(([outcome, same]) => [outcome, same.length] as const)
    .sort(([, one], [, other]) => other - one);
  return { oneByOne, together: sent.length - oneByOne, answers: Object.fromEntries(answers) };
}

/** What a reader of the result should know: above all, what could not be tried. */
export function notesOf(
  runner: Runner,
  pool: TicketPool,
  heartbeats: boolean,
  lost: number,
): string[] {
  const { keys } = runner.target;
  const used = pool.usedBefore();
  const noKeys = KEY_NAMES.filter((name) => keys[name] === undefined && !isOptional(name));
  const noKinds = TICKET_KINDS.filter((kind) => pool.count(kind) === 0 && !isOptional(kind));
  const tickets = 'that the target calls unused';
  const notes: readonly (readonly [boolean, string])[] = [
    [
      !runner.consent,
      'No usable ticket was consumed, so most faults of histories cannot show: --consume allows it.',
    ],
    [noKeys.length > 0, `Not tried, because the target has no such key: ${noKeys.join(', ')}.`],
    [
      noKinds.length > 0,
      `Not tried, because the target has no such ticket: ${noKinds.join(', ')}.`,
    ],
    [
      keys.hardware !== undefined && !heartbeats,
      'No heartbeat was answered, so none was sent after the first two.',
    ],
    [
      used > 0,
      `${counted(used, `ticket ${tickets} was`, `tickets ${tickets} were`)} used up before. New tickets show more.`,
    ],
    [
      runner.limited > 0,
      `${counted(runner.limited, 'answer')} said that a rate limit was exceeded; each was waited for.`,
    ],
    [
      lost > 0,
      `The connection was lost ${counted(lost, 'time')}. That may be the network, so it counts only where it comes back.`,
    ],
  ];
  return notes.flatMap(([isTrue, note]) => (isTrue ? [note] : []));
}

/** A fault as people and machines read it; no key is in it. */
export function failureOf(shrunk: Shrunk, seed: number, redactor: Redactor): Failure {
  const { history, violation, attempt, state, reason, cameBack } = shrunk;
  const clean = (text: string) => redactor.redact(text);
  const story = storyOf(history, attempt?.trace).map(clean);
  const facts = {
    rule: violation.rule,
    section: violation.section,
    expected: clean(violation.expected),
    observed: clean(violation.observed),
  };
  return {
    ...facts,
    shrunk: state,
    reason: reason ?? null,
    cameBack,
    steps: stepsIn(history).length,
    story,
    history: savedHistory({
      seed,
      ...facts,
      story,
      isCertain: isCertain(shrunk),
      isReproduced: state !== 'not again' && cameBack.times > 0,
      isLimited: showsLimit(shrunk),
      groups: history,
    }),
  };
}

/** A race and a rate limit may not show in one run; neither may what did not come back each time. */
function isCertain(shrunk: Shrunk): boolean {
  const { history, cameBack } = shrunk;
  const isAlone = history.every(
    ({ dispatch, steps }) => dispatch === 'one-by-one' && steps.every(({ abandon }) => !abandon),
  );
  return isAlone && !showsLimit(shrunk) && cameBack.tries > 1 && cameBack.times === cameBack.tries;
}

function showsLimit({ attempt }: Shrunk): boolean {
  return attempt?.trace.flat().some(({ outcome }) => outcome === 'limited') === true;
}

/** Hides the target's keys and the codes of its tickets, and of those that were made. */
export function redactorOf({ keys, tickets }: Target, minted: readonly string[] = []): Redactor {
  const redactor = new Redactor();
  const codes = Object.values(tickets).flatMap((some) => some.map(({ code }) => code));
  for (const code of [...codes, ...minted]) redactor.add(code, '$TICKET');
  for (const [name, key] of Object.entries(keys))
    redactor.add(key, `$${keyVariable(name as KeyName)}`);
  return redactor;
}
