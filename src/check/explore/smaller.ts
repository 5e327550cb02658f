import type { TicketKind } from '../deployment/target.ts';
import {
  type Group,
  type History,
  requestsOf,
  type Slot,
  type Step,
  slotName,
  slotsIn,
} from './history.ts';

/** Kinds that are good like a single ticket or a card, and of which targets have few. */
const RARE: readonly TicketKind[] = ['personalised', 'windowed', 'openEnd', 'openStart', 'hundred'];
const RARE_FROM = 1000;
const COMMON: readonly TicketKind[] = ['single', 'multi'];

function isRare(kind: TicketKind): boolean {
  return RARE.includes(kind);
}

/** Everything that may make a history smaller, the largest cuts first. */
export function* reductions(history: History): Generator<History> {
  yield* withoutGroups(history);
  yield* withoutSteps(history);
  yield* withFewerTimes(history);
  yield* withFewerTickets(history);
  yield* withPlainerGroups(history);
  yield* withPlainerSteps(history);
}

function* withoutGroups(history: History): Generator<History> {
  if (history.length < 2) return;
  for (let size = Math.floor(history.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < history.length; from += size) {
      const rest = [...history.slice(0, from), ...history.slice(from + size)];
      if (rest.length > 0) yield rest;
    }
  }
}

function* withoutSteps(history: History): Generator<History> {
  for (const [at, group] of history.entries()) {
    if (group.steps.length < 2) continue;
    for (const step of group.steps.keys()) {
      yield history.with(at, { ...group, steps: group.steps.toSpliced(step, 1) });
    }
  }
}

function* withFewerTimes(history: History): Generator<History> {
  for (const [at, step, one] of stepsOf(history)) {
    for (const times of fewerThan(one.times)) yield withStep(history, at, step, { ...one, times });
  }
}

/** One, then half, then one less. */
function fewerThan(times: number): number[] {
  return [...new Set([1, Math.floor(times / 2), times - 1])].filter((n) => n >= 1 && n < times);
}

/** Another ticket that the history has anyway, or one of a kind of which targets have more. */
function* withFewerTickets(history: History): Generator<History> {
  const slots = slotsIn(history);
  const unused = Math.max(...slots.map(({ place }) => place)) + 1;
  for (const [i, slot] of slots.entries()) {
    const common = isRare(slot.kind) ? COMMON.map((kind) => ({ kind, place: unused })) : [];
    for (const other of [...common, ...slots.slice(0, i)])
      yield mapSteps(history, (step) => withSlot(step, slotName(slot), other));
  }
}

/** The same with single tickets and cards, for a target that has no more of the others. */
export function withCommonKinds(history: History): History {
  return mapSteps(history, (step) => {
    if (!step.ticket || !isRare(step.ticket.kind)) return step;
    const { kind, place } = step.ticket;
    const ticket = {
      kind: kind === 'hundred' ? ('multi' as const) : ('single' as const),
      // a slot of its own: each run decides which ticket is there
      place: place + RARE_FROM * (1 + RARE.indexOf(kind)),
    };
    return { ...step, ticket };
  });
}

function withSlot(step: Step, from: string, ticket: Slot): Step {
  return step.ticket && slotName(step.ticket) === from ? { ...step, ticket } : step;
}

function* withPlainerGroups(history: History): Generator<History> {
  for (const [at, group] of history.entries()) {
    const { pauseMs, ...plain } = group;
    if (pauseMs !== undefined) yield history.with(at, plain);
    if (group.dispatch !== 'one-by-one')
      yield history.with(at, { ...group, dispatch: 'one-by-one' });
    if (group.dispatch === 'pipelined') yield history.with(at, { ...group, dispatch: 'together' });
    if (group.over !== 'new') yield history.with(at, { ...group, over: 'new' });
  }
}

function* withPlainerSteps(history: History): Generator<History> {
  for (const [at, step, one] of stepsOf(history)) {
    for (const plainer of plainerThan(one)) yield withStep(history, at, step, plainer);
  }
}

function* plainerThan(step: Step): Generator<Step> {
  const { abandon, ...answered } = step;
  if (abandon) yield answered;
  const { retry, ...single } = step;
  if (retry) yield single;
  if (step.key === 'restScoped') yield { ...step, key: 'rest' };
  if (step.key === 'hardwareScoped') yield { ...step, key: 'hardware' };
  if (step.forge === 'signature-longer') yield { ...step, forge: 'signature-middle-letter' };
}

function* stepsOf(history: History): Generator<[number, number, Step]> {
  for (const [at, group] of history.entries()) {
    for (const [index, step] of group.steps.entries()) yield [at, index, step];
  }
}

function withStep(history: History, at: number, index: number, step: Step): History {
  const group = history[at] as Group;
  return history.with(at, { ...group, steps: group.steps.with(index, step) });
}

function mapSteps(history: History, change: (step: Step) => Step): History {
  return history.map((group) => ({ ...group, steps: group.steps.map(change) }));
}

/** The same requests in fewer steps: equal neighbours become one step with more times. */
export function merged(history: History): History {
  const groups: Group[] = [];
  for (const given of history) {
    const group = { ...given, steps: mergedSteps(given.steps) };
    const before = groups.at(-1);
    const joined = before && joinedWith(before, group);
    if (joined) groups[groups.length - 1] = joined;
    else
      groups.push({ ...group, dispatch: requestsOf(group) === 1 ? 'one-by-one' : group.dispatch });
  }
  return groups;
}

/** Repeated with the same Idempotency-Key, two steps are not one: each has a key of its own. */
function mergedSteps(steps: readonly Step[]): Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const before = joined.at(-1);
    if (before && !step.retry && isSameButTimes(before, step))
      joined[joined.length - 1] = { ...before, times: before.times + step.times };
    else joined.push(step);
  }
  return joined;
}

function isSameButTimes(one: Step, other: Step): boolean {
  return JSON.stringify({ ...one, times: 1 }) === JSON.stringify({ ...other, times: 1 });
}

function joinedWith(before: Group, group: Group): Group | undefined {
  const [one, more] = before.steps;
  const [other, others] = group.steps;
  if (!one || !other || more || others || group.pauseMs !== undefined || one.retry)
    return undefined;
  if (before.dispatch !== 'one-by-one') return undefined;
  if (requestsOf(group) > 1 && group.dispatch !== 'one-by-one') return undefined;
  if (before.over !== group.over || !isSameButTimes(one, other)) return undefined;
  return { ...before, steps: [{ ...one, times: one.times + other.times }] };
}
