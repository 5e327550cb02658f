import { type Answer, type Entry, type Store, type Terms, usesIn } from './store.ts';
import type { Request, System } from './system.ts';

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

function faultOfAnswer({ answer }: Request, told: Answer, { log }: Store): string | undefined {
  if (told.status !== answer?.status || told.entry !== answer.entry)
    return 'a client was told what was not decided for it';
  return told.status === 'consumed' && !log[told.entry]?.use
    ? 'an acknowledged use is not in the log'
    : undefined;
}
