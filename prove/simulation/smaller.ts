import fc from 'fast-check';
import { LARGE_PLANS, type Plan, type Step } from './plan.ts';

/** How far the search for a smaller plan has come: what is larger, or stands before, was tried in vain. */
interface Cursor {
  readonly size: number;
  readonly from: number;
}

class ShrinkingPlans extends fc.Arbitrary<Plan> {
  override generate(random: fc.Random, bias: number | undefined): fc.Value<Plan> {
    return new fc.Value(LARGE_PLANS.generate(random, bias).value, undefined);
  }

  override canShrinkWithoutContext(_value: unknown): _value is Plan {
    return false;
  }

  override shrink(plan: Plan, context: unknown): fc.Stream<fc.Value<Plan>> {
    return fc.stream(smallerThan(plan, context as Cursor | undefined));
  }
}

/**
 * Plans that shrink by whole stretches of steps first, then step by step, and only then in what is in a step. The arrays of
 * fast-check simplify each item before they leave out later ones: minutes for a plan of hundreds of steps.
 */
export const PLANS: fc.Arbitrary<Plan> = new ShrinkingPlans();

function* smallerThan(plan: Plan, cursor: Cursor | undefined): Generator<fc.Value<Plan>> {
  const { steps, disk } = plan;
  if (!cursor && disk.length > 0) yield new fc.Value({ steps, disk: [] }, undefined);
  let from = cursor?.from ?? 0;
  for (let size = cursor?.size ?? steps.length; size >= 1; size = Math.floor(size / 2)) {
    for (; from < steps.length; from += size)
      yield new fc.Value({ steps: without(steps, from, size), disk }, { size, from });
    from = 0;
  }
  // Something simpler may make other steps needless: from the beginning, with single steps.
  for (const simpler of simplerThan(plan))
    yield new fc.Value(simpler as Plan, { size: 1, from: 0 });
}

/** The steps behind keep their time, so that what races still does. */
function without(steps: readonly Step[], from: number, size: number): Step[] {
  const rest = steps.slice(from + size);
  const waitMs = steps.slice(from, from + size + 1).reduce((sum, step) => sum + step.waitMs, 0);
  return [...steps.slice(0, from), ...rest.map((step, at) => (at ? step : { ...step, waitMs }))];
}

const SIMPLER: Readonly<Record<string, readonly string[]>> = {
  'Idempotency-Key': ['none'],
  serial: ['none'],
  request: ['nothing'],
  answer: ['nothing'],
  before: ['never'],
  after: ['never'],
};

/** The same with one number, list or word in it that is simpler. */
function* simplerThan(value: unknown): Generator<unknown> {
  if (typeof value === 'number') yield* smallerNumbers(value);
  else if (typeof value === 'string') yield* SIMPLER[value] ?? [];
  else if (Array.isArray(value)) {
    if (value.length > 1) yield value.slice(0, -1);
    for (const [at, item] of value.entries())
      yield* fc.stream(simplerThan(item)).map((simpler) => value.with(at, simpler));
  } else if (value instanceof Object) {
    for (const [name, item] of Object.entries(value))
      yield* fc.stream(simplerThan(item)).map((simpler) => ({ ...value, [name]: simpler }));
  }
}

function smallerNumbers(value: number): Set<number> {
  const smaller = new Set([0, Math.trunc(value / 2), value - Math.sign(value)]);
  smaller.delete(value);
  return smaller;
}
