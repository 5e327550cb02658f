import { type Answer, type Entry, type Scan, type Store, type Terms, usesIn } from './store.ts';
import type { Request, System } from './system.ts';

/** A repeat gets its answer and takes nothing; only a consume takes a use, and one; nobody with a use left is refused. */
export function faultOfDecision(
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

/** The first guarantee of the reliability page that a state breaks, undefined when it keeps all. */
export function brokenPromise(state: System, terms: Terms): string | undefined {
  const { store, requests, broken } = state;
  const uses = usesIn(store).length;
  if (broken !== undefined) return broken;
  if (uses > terms.usesAllowed) return 'more uses than the ticket allows';
  if (store.used !== uses) return 'the counter is not what the log says';
  return faultOfTimes(store.log, terms) ?? faultOfAnswers(requests, store);
}

function faultOfAnswers(requests: readonly Request[], store: Store): string | undefined {
  for (const request of requests) {
    const heard = request.told ?? (request.phase === 'decided' ? request.answer : undefined);
    const fault = heard && faultOfAnswer(request, heard, store);
    if (fault !== undefined) return fault;
  }
  const given = requests.flatMap(({ told }) => (told && told.entry >= 0 ? [told.entry] : []));
  const unnamed = given.filter((entry) => store.log[entry]?.name === '');
  return new Set(unnamed).size < unnamed.length ? 'two requests were given one use' : undefined;
}

function faultOfTimes(log: readonly Entry[], { validFrom, validUntil }: Terms): string | undefined {
  let last = 0;
  for (const { use, at } of log) {
    if (!use) continue;
    if (at < validFrom || at > validUntil) return 'a use outside the window';
    if (at < last) return 'time runs back within a ticket';
    last = at;
  }
  return undefined;
}

function faultOfAnswer(
  { answer, barred }: Request,
  told: Answer,
  { log }: Store,
): string | undefined {
  if (told.status !== answer?.status || told.entry !== answer.entry)
    return 'a client was told what was not decided for it';
  const isGranted = told.status === 'consumed' || told.status === 'validated';
  if (told.status === 'consumed' && !log[told.entry]?.use)
    return 'an acknowledged use is not in the log';
  if (barred === '' || !isGranted) return undefined;
  // A use that was asked for before a cancel may be answered again after it: its guest was let in.
  return barred === 'cancelled' && told.status === 'consumed' && log[told.entry]?.name !== ''
    ? undefined
    : `admitted after the answer that its ${barred === 'key' ? 'key' : 'ticket'} ends`;
}
