import { type Group, type History, placeName } from '../history.ts';
import type { Violation } from '../model/violation.ts';

const REPEATS_MAX = 64;

/** Where a violation came up: the whole history, the last groups of it that belong together, and what broke. */
export interface Found {
  readonly history: History;
  /** Where the last episode begins in `history`. */
  readonly episodeFrom: number;
  readonly violation: Violation;
}

/** Parts of a long history that may show the same fault on their own, the shortest first. */
export function* slices({ history, episodeFrom, violation }: Found): Generator<History> {
  const last = history.at(-1);
  if (!last) return;
  const { step } = violation.at;
  const alone: Group = { ...last, steps: [{ ...step, times: 1 }], way: 'in-turn' };
  for (let times = 1; times <= REPEATS_MAX; times *= 4) {
    yield [{ ...alone, steps: [{ ...step, times }] }];
  }
  yield [last];
  const episode = history.slice(episodeFrom);
  const touches = (group: Group) =>
    step.card === undefined ||
    group.steps.some(
      ({ card }) => card && step.card && placeName(card.ticket) === placeName(step.card.ticket),
    );
  yield episode.filter(touches);
  yield episode;
  yield history.filter((group, i) => touches(group) || i === history.length - 1);
  for (let length = episode.length * 2; length < history.length; length *= 2) {
    yield history.slice(-length);
  }
  yield history;
}
