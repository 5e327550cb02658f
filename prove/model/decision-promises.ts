import { type Answer, type Scan, type Store, type Terms, usesIn } from './store.ts';

/** A repeat gets its answer and takes nothing; only a consume takes a use, and one; nobody with a use left is refused. */
function faultOfTaking(
  before: Store,
  after: Store,
  { status, entry }: Answer,
  { name }: Scan,
  now: number,
  terms: Terms,
): string | undefined {
  const taken = after.log.length - before.log.length;
  if (status === 'exhausted' && before.used < terms.usesAllowed)
    return 'a guest with a use left was refused';
  if (status !== 'consumed') return taken === 0 ? undefined : `an answer of ${status} took a use`;
  const kept = useToRepeat(before, name, now, terms);
  if (taken === 0)
    return entry === kept ? undefined : 'an answer was given that is not of this scan';
  if (kept !== undefined && !before.gone) return 'a repeat took another use';
  return taken === 1 && entry === before.log.length ? undefined : 'a consume took more than a use';
}

/** The use that a repeat is to be told of again. Read from the log, so that a service that forgot its answer is found. */
function useToRepeat(store: Store, name: string, now: number, terms: Terms): number | undefined {
  if (name === '') return undefined;
  const { log, answers } = store;
  const first = usesIn(store).findLast((index) => log[index]?.name === name);
  const age = now - (log[first ?? -1]?.clock ?? now);
  // A later answer to the same name took its place: the clock had been set forward beyond the time that it is kept.
  const present = answers.find((one) => one.name === name)?.answer.entry ?? first;
  return present === first && age >= 0 && age < terms.keptFor(name) ? first : undefined;
}

/** What one transaction broke, undefined when it broke nothing. */
export function faultOfDecision(
  before: Store,
  after: Store,
  answer: Answer,
  asked: Scan,
  now: number,
  terms: Terms,
): string | undefined {
  const isNew = after.log.length > before.log.length || answer.status === 'validated';
  if (isNew && mayNotEnter(before, asked.value, now, terms)) return 'admitted against a rule';
  return faultOfTaking(before, after, answer, asked, now, terms);
}

/** A rule forbids it now. A use that is only told of again was admitted before. */
function mayNotEnter(
  { cancelled, gone, used, key }: Store,
  value: number,
  now: number,
  { validFrom, validUntil, usesAllowed }: Terms,
): boolean {
  const isOverlap = value === key.value - 1 && now < key.previousUntil;
  const isKeyGood = key.active && (value === key.value || isOverlap);
  const isInside = validFrom <= now && now <= validUntil;
  return !isKeyGood || cancelled || gone || !isInside || used >= usesAllowed;
}
