import { isDeepStrictEqual } from 'node:util';
import {
  type Answer,
  type Key,
  type Scan,
  type Status,
  type Store,
  type StoredAnswer,
  type Terms,
  usesIn,
} from './store.ts';

/** What people were told so far, whatever a store says: administrators of their changes, clients of scans with a name. */
export interface Told {
  readonly key: Key;
  readonly cancelled: boolean;
  readonly gone: boolean;
  /** Answers that were stored with their transaction. */
  readonly named: readonly StoredAnswer[];
}

/** A decision, with the store before and after its transaction. */
export interface Decision {
  readonly before: Store;
  readonly after: Store;
  readonly asked: Scan;
  readonly answer: Answer;
  readonly now: number;
}

/** What one transaction broke, undefined when it broke nothing. It is held against what people were told, not against its store. */
export function faultOfDecision(decision: Decision, told: Told, terms: Terms): string | undefined {
  const { before, after, asked, answer, now } = decision;
  const taken = after.log.length - before.log.length;
  const isRefused = answer.status === 'key_refused';
  if (!isGood(told.key, asked.value, now))
    return isRefused && taken === 0 ? undefined : 'a key that has ended was taken';
  if (isRefused) return 'a good key was refused';
  const kept = repeated(told, asked.name, now, terms);
  const cause = causeAgainst(told, before, now, terms);
  const fault = kept
    ? !isSame(answer, kept) && 'a repeat got another answer'
    : cause === undefined
      ? faultOfGrant(decision, taken)
      : faultOfDenial(decision, taken, cause);
  return fault || faultOfChange(decision, taken > 0 && !kept);
}

/** A refusal, a look and a repeat change nothing but the answers that are kept; a use adds its entry, never before the last one. */
function faultOfChange({ before, after, asked, now }: Decision, isUse: boolean) {
  const at = Math.max(now, ...before.log.filter(({ use }) => use).map((entry) => entry.at));
  const entry = { use: true, at, clock: now, name: asked.name, undoes: -1 };
  const used = { used: before.used + 1, lastUse: at, log: [...before.log, entry] };
  if (after.used !== usesIn(after).length) return 'the counter is not what the log says';
  if (isUse && (after.log.at(-1)?.at ?? 0) < at) return 'time runs back within a ticket';
  return isSameButAnswers(after, isUse ? { ...before, ...used } : before)
    ? undefined
    : 'a scan changed something else';
}

/** One use is taken back, the one that was named. */
export function faultOfUndo(before: Store, after: Store, entry: number): string | undefined {
  const { log, ...rest } = after;
  const left = usesIn(before).filter((one) => one !== entry);
  const isRight = log.length === before.log.length + 1 && usesIn(after).join() === left.join();
  return isRight && isSameButAnswers({ ...rest, log: before.log, used: rest.used + 1 }, before)
    ? undefined
    : 'an undo changed something else';
}

function isSameButAnswers({ answers: _, ...one }: Store, { answers: __, ...other }: Store) {
  const names = Object.keys({ ...one, ...other }) as (keyof typeof one)[];
  return names.every(
    (name) => one[name] === other[name] || isDeepStrictEqual(one[name], other[name]),
  );
}

/** What a repeat will get from now on, when the transaction is stored. */
export function toldAfter(told: Told, { asked, answer, now }: Decision, terms: Terms): Told {
  const { name } = asked;
  const isUnheard = answer.status === 'key_refused' || name === '';
  if (isUnheard || repeated(told, name, now, terms)) return told;
  const others = told.named.filter((one) => one.name !== name);
  return { ...told, named: [...others, { name, at: now, answer }] };
}

/** The present value, and until the end of the overlap the one before it. */
function isGood(key: Key, value: number, now: number): boolean {
  if (!key.active) return false;
  return value === key.value || (value + 1 === key.value && now < key.previousUntil);
}

/** Nobody is told of a ticket that is gone, and a clock that was set back makes no answer younger. */
function repeated({ named, gone }: Told, name: string, now: number, terms: Terms) {
  const first = gone ? undefined : named.find((one) => one.name === name);
  const isKept = first && first.at <= now && now - first.at < terms.keptFor(name);
  return isKept ? first.answer : undefined;
}

function causeAgainst(told: Told, before: Store, now: number, terms: Terms): Status | undefined {
  const causes: readonly (readonly [boolean, Status])[] = [
    [!told.key.inScope, 'event_not_allowed'],
    [told.gone, 'not_found'],
    [told.cancelled, 'ticket_cancelled'],
    [now < terms.validFrom, 'not_yet_valid'],
    [now > terms.validUntil, 'expired'],
    [usesIn(before).length >= terms.usesAllowed, 'exhausted'],
  ];
  return causes.find(([isSo]) => isSo)?.[1];
}

function faultOfGrant({ asked, answer, before }: Decision, taken: number): string | undefined {
  const isUse = asked.operation === 'consume';
  const status = isUse ? 'consumed' : 'validated';
  if (answer.status !== status)
    return `a guest was told ${answer.status}, and nothing was against him`;
  if (taken !== (isUse ? 1 : 0)) return `an answer of ${status} took ${taken} uses`;
  const entry = isUse ? before.log.length : -1;
  return isSame(answer, { status, entry, used: usesIn(before).length + taken })
    ? undefined
    : 'an answer told of another use';
}

function faultOfDenial({ before, answer }: Decision, taken: number, cause: Status) {
  const { status } = answer;
  if (taken > 0 || status === 'consumed' || status === 'validated')
    return `admitted, and the ticket is ${cause}`;
  if (status !== cause) return `a guest was told ${status}, and the ticket is ${cause}`;
  const told = { status, used: usesIn(before).length, entry: -1 };
  return isSame(answer, told) ? undefined : 'a denial told of another counter';
}

function isSame(one: Answer, other: Answer): boolean {
  return one.status === other.status && one.used === other.used && one.entry === other.entry;
}
