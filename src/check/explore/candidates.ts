import { type Group, type History, requestsIn, type Step, slotName } from './history.ts';
import { isNoAnswer, type Violation } from './observation.ts';

/** Where a violation came up: the whole history, the last groups of it that belong together, and what broke. */
export interface Found {
  readonly history: History;
  /** Where the last episode begins in `history`. */
  readonly episodeFrom: number;
  readonly violation: Violation;
}

/** A part with more requests is long. */
const LONG = 100;
const REPEATS = [1, 4, 16, 64];
const LAST_GROUPS = [2, 4, 8, 16];
const PAUSE_MS = 300;

/** Parts of a long history that may show the same fault on their own, the likeliest of the short ones first. */
export function candidatesOf(found: Found): History[] {
  const all = [...partsOf(found)].filter((part) => part.length > 0);
  const once = new Map(all.map((part) => [JSON.stringify(part), part]));
  const total = requestsIn(found.history);
  // a part that is nearly the whole history comes last, however it was made
  const isLong = (part: History) => requestsIn(part) > LONG && requestsIn(part) > total / 2;
  return [...once.values()].sort((a, b) => Number(isLong(a)) - Number(isLong(b)));
}

function* partsOf(found: Found): Generator<History> {
  const { history, episodeFrom, violation } = found;
  const last = history.at(-1);
  if (!last) return;
  const { step } = violation.at;
  const touching = history.filter((group) => group === last || sharesTicket(group, step));
  if (isNoAnswer(violation)) {
    yield* [aloneOf(found).history, [last], touching, history];
    return;
  }
  for (const times of REPEATS)
    yield [{ ...last, steps: [{ ...step, times }], dispatch: 'one-by-one' }];
  yield [last];
  const episode = history.slice(episodeFrom);
  yield episode.filter((group) => touching.includes(group));
  yield touching;
  // what was sent long before may have been forgotten meanwhile
  yield [...touching.slice(0, -1), { ...last, pauseMs: PAUSE_MS }];
  for (const count of LAST_GROUPS) yield history.slice(-count);
  if (last.over !== 'new') {
    const same = history.filter(
      (group) => group.over === last.over && group.dispatch !== 'together',
    );
    for (const count of LAST_GROUPS) yield same.slice(-count);
  }
  yield episode;
  for (let length = episode.length * 2; length < history.length; length *= 2) {
    yield history.slice(-length);
  }
  yield history;
}

/** Only the request that shows it, once. */
export function aloneOf({ history, violation }: Found): Found {
  const steps = [{ ...violation.at.step, times: 1 }];
  const groups = history
    .slice(-1)
    .map((last) => ({ ...last, steps, dispatch: 'one-by-one' as const }));
  return { history: groups, episodeFrom: 0, violation };
}

function sharesTicket(group: Group, { ticket }: Step): boolean {
  if (ticket === undefined) return false;
  const name = slotName(ticket);
  return group.steps.some((step) => step.ticket && slotName(step.ticket) === name);
}
