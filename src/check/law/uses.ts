import { counted } from '../../kit/text.ts';
import type { Reading } from '../facts/reading.ts';

/** How the answers about one ticket can contradict each other. Stable names: reports and saved files carry them. */
export const USE_RULES = [
  'use-given-twice',
  'too-many-uses',
  'uses-vanished',
  'uses-from-nowhere',
  'exhausted-too-early',
  'order',
] as const;
type UseRule = (typeof USE_RULES)[number];

/** An answer that tells of the uses of its ticket. Times are of one clock, in milliseconds. */
export interface CountedAnswer<At> extends Pick<Reading, 'used' | 'allowed'> {
  readonly isExhausted: boolean;
  /** True where it took a use. */
  readonly isUse: boolean;
  /** For people: `consumed`. */
  readonly word: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** What the caller knows it by. */
  readonly at: At;
}

/** What the answers show to be wrong. */
interface WrongUses<At> {
  readonly rule: UseRule;
  readonly expected: string;
  readonly observed: string;
  readonly at: At;
}

/** What is known of a ticket's counter. Immutable. */
export interface Uses {
  /** The fewest uses that are taken. */
  readonly taken: number;
  /** How many more may have been taken before the first look at the ticket. */
  readonly unseen: number;
  /** Consumes without an answer: each may have taken a use, or may still take it. */
  readonly pending: number;
  /** Uses that were taken before the run; undefined until an answer says it. */
  readonly base: number | undefined;
  /** Undefined until an answer or the target says it. */
  readonly allowed: number | undefined;
}

interface Event<At> extends Omit<CountedAnswer<At>, 'isExhausted'> {
  /** True for a grant of validate. */
  readonly isLook: boolean;
  /** The count that the answer shows. */
  readonly used: number;
  /** Where in the ticket's life it happened: the n-th use at 2n, between it and the next at 2n + 1. */
  readonly position: number;
}

type Judged<At> = { readonly uses: Uses } | { readonly violation: WrongUses<At> };

/**
 * Holds the answers of one group about one ticket against its counter (section 3.2). A consume shows its own number, so
 * an order that explains all answers exists exactly when the numbers fit and no answer came before one that it must follow.
 * @param lost how many consumes of the group got no answer
 */
export function judgeUses<At>(
  before: Uses,
  observed: readonly CountedAnswer<At>[],
  lost: number,
): Judged<At> {
  const allowed = before.allowed ?? observed.find((at) => at.allowed !== undefined)?.allowed;
  const events = eventsOf(observed, allowed);
  const uses = { ...before, allowed, pending: before.pending + lost };
  const violation =
    givenTwice(events) ??
    tooMany(events, allowed) ??
    vanished(events, uses) ??
    fromNowhere(events, uses) ??
    outOfOrder(events);
  return violation ? { violation } : { uses: after(uses, events) };
}

function eventsOf<At>(
  observed: readonly CountedAnswer<At>[],
  allowed: number | undefined,
): Event<At>[] {
  return observed.flatMap(({ isExhausted, ...one }) => {
    const used = isExhausted ? allowed : one.used;
    if (used === undefined) return [];
    const position = one.isUse ? 2 * used : 2 * used + 1;
    return [{ ...one, used, position, isLook: !isExhausted && !one.isUse }];
  });
}

function grantsIn<At>(events: readonly Event<At>[]): Event<At>[] {
  return events.filter((event) => event.isUse).sort((a, b) => a.used - b.used);
}

function givenTwice<At>(events: readonly Event<At>[]): WrongUses<At> | undefined {
  const grants = grantsIn(events);
  const second = grants.find((one, i) => i > 0 && one.used === grants[i - 1]?.used);
  if (!second) return undefined;
  return violationOf(second, 'use-given-twice', {
    expected: 'each use given once',
    observed: `use ${second.used} was given ${grants.filter(({ used }) => used === second.used).length} times`,
  });
}

function tooMany<At>(
  events: readonly Event<At>[],
  allowed: number | undefined,
): WrongUses<At> | undefined {
  if (allowed === undefined) return undefined;
  const over = events.find(({ used, isLook }) => (isLook ? used >= allowed : used > allowed));
  if (!over) return undefined;
  return violationOf(over, 'too-many-uses', {
    expected: `exhausted after ${counted(allowed, 'use')}`,
    observed: `${over.word} with usesConsumed ${over.used} of ${allowed}`,
  });
}

/** Uses that were taken must show in every later answer. */
function vanished<At>(events: readonly Event<At>[], { taken }: Uses): WrongUses<At> | undefined {
  const low = events.find((event) => (event.isUse ? event.used <= taken : event.used < taken));
  if (!low) return undefined;
  return violationOf(low, 'uses-vanished', {
    expected: `usesConsumed of at least ${low.isUse ? taken + 1 : taken}`,
    observed: `usesConsumed ${low.used} although ${counted(taken, 'use was', 'uses were')} taken before`,
  });
}

/** No answer may count more uses than were granted, or may have been taken by requests without an answer. */
function fromNowhere<At>(events: readonly Event<At>[], uses: Uses): WrongUses<At> | undefined {
  const slack = uses.unseen + uses.pending;
  const grants = grantsIn(events);
  for (const event of events) {
    const granted = grants.filter(({ used }) => used <= event.used).length;
    const highest = uses.taken + slack + granted;
    if (event.used <= highest) continue;
    const early = event.word === 'exhausted';
    return violationOf(event, early ? 'exhausted-too-early' : 'uses-from-nowhere', {
      expected: early
        ? `not exhausted: at most ${highest} of ${event.used} uses were granted`
        : `usesConsumed of at most ${highest}`,
      observed: early ? 'exhausted' : `${event.word} with usesConsumed ${event.used}`,
    });
  }
  return undefined;
}

/** An answer that was there before a request was sent must come first in the ticket's life. */
function outOfOrder<At>(events: readonly Event<At>[]): WrongUses<At> | undefined {
  const byEnd = [...events].sort((a, b) => a.endedAt - b.endedAt);
  const byStart = [...events].sort((a, b) => a.startedAt - b.startedAt);
  let latest: Event<At> | undefined;
  let next = 0;
  for (const event of byStart) {
    for (let ended = byEnd[next]; ended && isBefore(ended, event); ended = byEnd[next]) {
      if (latest === undefined || ended.position > latest.position) latest = ended;
      next += 1;
    }
    if (latest !== undefined && latest.position > event.position) return overtaken(event, latest);
  }
  return undefined;
}

function isBefore<At>(one: Event<At>, other: Event<At>): boolean {
  return one.endedAt < other.startedAt;
}

function overtaken<At>(event: Event<At>, latest: Event<At>): WrongUses<At> {
  const wanted = event.isUse ? 'a later use' : 'no fewer uses';
  return violationOf(event, latest.used > event.used ? 'uses-vanished' : 'order', {
    expected: `after an answer that said ${latest.word} with usesConsumed ${latest.used}, ${wanted}`,
    observed: `${event.word} with usesConsumed ${event.used}`,
  });
}

function after<At>(uses: Uses, events: readonly Event<At>[]): Uses {
  const granted = grantsIn(events).length;
  if (events.length === 0) return uses;
  const known = uses.taken + granted;
  const taken = Math.max(known, ...events.map(({ used }) => used));
  // uses beyond the granted ones were taken before the first look, or by requests without an answer
  const landed = uses.unseen > 0 ? 0 : taken - known;
  const base = uses.base ?? taken - known;
  return { ...uses, taken, base, unseen: 0, pending: Math.max(0, uses.pending - landed) };
}

function violationOf<At>(
  { at }: Event<At>,
  rule: UseRule,
  texts: { readonly expected: string; readonly observed: string },
): WrongUses<At> {
  return { rule, ...texts, at };
}
