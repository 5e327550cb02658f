import { type Group, type History, placeName, requestsIn } from '../histories/history.ts';
import type { Violation } from '../model/violation.ts';

const REPEATS = [1, 4, 16, 64];
const LAST_GROUPS = [2, 4, 8, 16];
const PAUSE_MS = 300;

/** Where a violation came up: the whole history, the last groups of it that belong together, and what broke. */
export interface Found {
  readonly history: History;
  /** Where the last episode begins in `history`. */
  readonly episodeFrom: number;
  readonly violation: Violation;
}

/** Parts of a long history that may show the same fault on their own, the likeliest of the short ones first. */
export function slices(found: Found): History[] {
  const all = [...candidates(found)].filter((slice) => slice.length > 0);
  const once = new Map(all.map((slice) => [JSON.stringify(slice), slice]));
  const total = requestsIn(found.history);
  // a slice that is nearly the whole history comes last, however it was made
  const isLong = (slice: History) => requestsIn(slice) > LONG && requestsIn(slice) > total / 2;
  return [...once.values()].sort((a, b) => Number(isLong(a)) - Number(isLong(b)));
}

const LONG = 100;

function* candidates({ history, episodeFrom, violation }: Found): Generator<History> {
  const last = history.at(-1);
  if (!last) return;
  const { step } = violation.at;
  for (const times of REPEATS) yield [{ ...last, steps: [{ ...step, times }], way: 'in-turn' }];
  yield [last];
  const touching = history.filter((group) => group === last || sharesTicket(group, step));
  const episode = history.slice(episodeFrom);
  yield episode.filter((group) => touching.includes(group));
  yield touching;
  // what was sent long before may have been forgotten meanwhile
  yield [...touching.slice(0, -1), { ...last, pauseMs: PAUSE_MS }];
  for (const count of LAST_GROUPS) yield history.slice(-count);
  if (last.over !== 'new') {
    const same = history.filter((group) => group.over === last.over && group.way !== 'at-once');
    for (const count of LAST_GROUPS) yield same.slice(-count);
  }
  yield episode;
  for (let length = episode.length * 2; length < history.length; length *= 2) {
    yield history.slice(-length);
  }
  yield history;
}

function sharesTicket(group: Group, { card }: Violation['at']['step']): boolean {
  if (card === undefined) return false;
  const name = placeName(card.ticket);
  return group.steps.some((step) => step.card && placeName(step.card.ticket) === name);
}
