/**
 * What a right service keeps about one ticket, and what one transaction does to it: decisions 1, 3, 7, 19, 21, 26, 27 and 30 in their
 * shortest form. Plain data; nothing here is shared with the program. Times are whole ticks of the wall clock, which steps either way.
 */
export interface Store {
  readonly used: number;
  readonly lastUse: number;
  readonly cancelled: boolean;
  /** The event was deleted: its ticket is nobody's. */
  readonly gone: boolean;
  readonly key: Key;
  readonly log: readonly Entry[];
  readonly answers: readonly StoredAnswer[];
}

export interface Key {
  readonly active: boolean;
  /** The ticket's event is one of its events. */
  readonly inScope: boolean;
  /** How often it was rotated: the number of its present value. */
  readonly value: number;
  /** The end of the value before the present one, this tick not included; 0 once it was ended, so that no clock brings it back. */
  readonly previousUntil: number;
}

/** A line of the log that changed the counter: a use, or an undo of the use at `undoes`. */
export interface Entry {
  readonly use: boolean;
  /** Never before the use before it, whatever the clock says. */
  readonly at: number;
  /** What the clock said. */
  readonly clock: number;
  /** The name of a use: its Idempotency-Key, or the card at a device that has a retry window. */
  readonly name: string;
  readonly undoes: number;
}

export interface StoredAnswer {
  readonly name: string;
  readonly at: number;
  readonly answer: Answer;
}

export type Status =
  | 'consumed'
  | 'validated'
  | 'key_refused'
  | 'event_not_allowed'
  | 'not_found'
  | 'ticket_cancelled'
  | 'not_yet_valid'
  | 'expired'
  | 'exhausted';

export interface Answer {
  readonly status: Status;
  /** The counter after the scan. */
  readonly used: number;
  /** Where in the log its use is; -1 when it took none. */
  readonly entry: number;
}

/** Which ticket, and how long answers are kept. */
export interface Terms {
  readonly usesAllowed: number;
  /** Both ends are inside. */
  readonly validFrom: number;
  readonly validUntil: number;
  /** How long an answer is kept for its name. */
  readonly keptFor: (name: string) => number;
}

export interface Scan {
  readonly operation: 'consume' | 'validate';
  /** The number of the key's value that it came with. */
  readonly value: number;
  /** Empty for a validate, and when it is not to be taken for a repeat of another one. */
  readonly name: string;
  readonly device: boolean;
  /** A ticket may have two codes: one of each format. */
  readonly code: number;
}

/** A store before its first scan. */
export const NEW_STORE: Store = {
  used: 0,
  lastUse: 0,
  cancelled: false,
  gone: false,
  key: { active: true, inScope: true, value: 0, previousUntil: 0 },
  log: [],
  answers: [],
};

/** The one transaction of a scan. */
export function scan(store: Store, asked: Scan, now: number, terms: Terms): [Store, Answer] {
  if (!keyHolds(store.key, asked.value, now)) return [store, refusal('key_refused', store)];
  const kept = keptAnswer(store, asked.name, now, terms);
  if (kept) return [store, kept];
  const denial = denialOf(store, now, terms);
  if (denial) return keep(store, asked, now, refusal(denial, store));
  if (asked.operation === 'validate') return keep(store, asked, now, refusal('validated', store));
  const at = Math.max(now, store.lastUse);
  const used = store.used + 1;
  const entry = { use: true, at, clock: now, name: asked.name, undoes: -1 };
  const after = { ...store, used, lastUse: at, log: [...store.log, entry] };
  return keep(after, asked, now, { status: 'consumed', used, entry: store.log.length });
}

function keyHolds({ active, value, previousUntil }: Key, used: number, now: number): boolean {
  return active && (used === value || (used === value - 1 && now < previousUntil));
}

/** The answer that a repeat gets: not one from the future, and none about a ticket that is gone. */
function keptAnswer(
  { answers, gone }: Store,
  name: string,
  now: number,
  terms: Terms,
): Answer | undefined {
  if (name === '' || gone) return undefined;
  const kept = answers.find((one) => one.name === name);
  const age = now - (kept?.at ?? now);
  return age >= 0 && age < terms.keptFor(name) ? kept?.answer : undefined;
}

/** In this order, the first that is true. */
export function denialOf(store: Store, now: number, terms: Terms): Status | undefined {
  if (!store.key.inScope) return 'event_not_allowed';
  if (store.gone) return 'not_found';
  if (store.cancelled) return 'ticket_cancelled';
  if (now < terms.validFrom) return 'not_yet_valid';
  if (now > terms.validUntil) return 'expired';
  return store.used >= terms.usesAllowed ? 'exhausted' : undefined;
}

function refusal(status: Status, { used }: Store): Answer {
  return { status, used, entry: -1 };
}

function keep(store: Store, { name }: Scan, at: number, answer: Answer): [Store, Answer] {
  if (name === '') return [store, answer];
  const others = store.answers.filter((one) => one.name !== name);
  return [{ ...store, answers: [...others, { name, at, answer }] }, answer];
}

/** Takes one use back; its answers are forgotten, so that a repeat is a new scan. */
export function undo(store: Store, entry: number): Store {
  const answers = store.answers.filter(({ answer }) => answer.entry !== entry);
  const log = [...store.log, { use: false, at: 0, clock: 0, name: '', undoes: entry }];
  return { ...store, used: store.used - 1, log, answers };
}

/** Uses in the log that were not taken back. */
export function usesIn({ log }: Store): number[] {
  const undone = new Set(log.map(({ undoes }) => undoes));
  return log.flatMap(({ use }, index) => (use && !undone.has(index) ? [index] : []));
}

/** @param overlap for how long the value before it holds; 0 for not at all */
export function rotate(key: Key, now: number, overlap: number): Key {
  return { ...key, value: key.value + 1, previousUntil: overlap === 0 ? 0 : now + overlap };
}
