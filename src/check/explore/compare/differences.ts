import type { Level } from '../../cases/level.ts';
import type { Group } from '../histories/history.ts';
import { expectationOf } from '../model/expectation.ts';
import { countsIn, meaningOf } from '../model/meaning.ts';
import { storyOf } from '../report/story.ts';
import type { Observation } from '../run/observation.ts';
import { facetsOf } from './facets.ts';

/** Something in which two servers differ: where the specification states it, one for each kind of request. */
export interface Difference {
  readonly level: Level;
  /** `answer`, or the field or header that differs. */
  readonly what: string;
  /** How many kinds of request showed it: by endpoint, key and ticket. */
  readonly kinds: number;
  /** The first request that showed it, in words. */
  readonly request: string;
  readonly a: string;
  readonly b: string;
  /** How often it came up. */
  readonly count: number;
}

/** Collects differences between the answers of two servers to the same requests. */
export class Differences {
  readonly #found = new Map<string, Difference>();
  readonly #kinds = new Map<string, Set<string>>();
  /** Tickets, by their code at the first server, that were not alike from the start. */
  readonly #unlike = new Map<string, boolean>();

  /** @param a answers of one group of the first server; `b` of the second, in the same order */
  add(group: Group, a: readonly Observation[], b: readonly Observation[]): void {
    const pairs = group.way === 'in-turn' ? inOrder(a, b) : inAnyOrder(a, b);
    for (const [one, other] of pairs) {
      if (one.answer && other.answer) this.#compare(one, other);
    }
  }

  /** How many tickets had other uses at one server than at the other. */
  get unlikeTickets(): number {
    return [...this.#unlike.values()].filter((isUnlike) => isUnlike).length;
  }

  list(): Difference[] {
    const order: readonly Level[] = ['stated', 'observed', 'unstated'];
    return [...this.#found.values()].sort(
      (a, b) => order.indexOf(a.level) - order.indexOf(b.level),
    );
  }

  #compare(a: Observation, b: Observation): void {
    const isUnlike = this.#isUnlike(a, b);
    const [one, other] = [meaningOf(a), meaningOf(b)];
    if (one !== other) {
      const counted = ['validated', 'consumed', 'exhausted'];
      if (isUnlike && counted.includes(one) && counted.includes(other)) return;
      const { allows } = expectationOf(a.step);
      const isFree =
        allows(one) && allows(other) && !(counted.includes(one) && counted.includes(other));
      this.#note(isFree ? 'unstated' : 'stated', 'answer', a, one, other);
      return;
    }
    const others = facetsOf(b, !isUnlike);
    for (const [i, { level, name, value }] of facetsOf(a, !isUnlike).entries()) {
      const there = others[i]?.value ?? 'absent';
      if (there !== value) this.#note(level, name, a, value, there);
    }
  }

  #isUnlike(a: Observation, b: Observation): boolean {
    if (!a.ticket || !a.answer || !b.answer) return false;
    const known = this.#unlike.get(a.ticket.code);
    if (known !== undefined) return known;
    const [one, other] = [usesBefore(a), usesBefore(b)];
    if (one === undefined || other === undefined) return false;
    const isUnlike = one !== other;
    this.#unlike.set(a.ticket.code, isUnlike);
    return isUnlike;
  }

  #note(level: Level, what: string, at: Observation, a: string, b: string): void {
    const [line = ''] = storyOf([
      { steps: [{ ...at.step, times: 1 }], way: 'in-turn', over: 'new' },
    ]);
    const name = JSON.stringify(level === 'stated' ? [level, what, line, a, b] : [level, what]);
    const kinds = this.#kinds.get(name) ?? new Set();
    this.#kinds.set(name, kinds.add(line));
    const first = this.#found.get(name) ?? { level, what, request: line, a, b, count: 0 };
    this.#found.set(name, { ...first, kinds: kinds.size, count: first.count + 1 });
  }
}

/** The uses that a ticket had before a request and those it has at all, or that it was used up; nothing if not shown. */
function usesBefore(at: Observation): string | undefined {
  const meaning = meaningOf(at);
  if (meaning === 'exhausted') return meaning;
  const { used, allowed } = at.answer ? countsIn(at.answer) : {};
  if (used === undefined || allowed === undefined) return undefined;
  return `${meaning === 'consumed' ? used - 1 : used} of ${allowed}`;
}

function inOrder(
  a: readonly Observation[],
  b: readonly Observation[],
): [Observation, Observation][] {
  return a.flatMap((one, i) => (b[i] ? [[one, b[i]] as [Observation, Observation]] : []));
}

/** Requests at once may be answered in any order: the like answers of the same step are paired. */
function inAnyOrder(
  a: readonly Observation[],
  b: readonly Observation[],
): [Observation, Observation][] {
  const name = (one: Observation) =>
    JSON.stringify([one.step, meaningOf(one), one.answer ? countsIn(one.answer).used : null]);
  const sorted = (all: readonly Observation[]) =>
    all.toSorted((one, other) => name(one).localeCompare(name(other)));
  return inOrder(sorted(a), sorted(b));
}
