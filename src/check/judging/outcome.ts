import { Inconclusive, NotApplicable, type Seen } from '../cases/case.ts';
import { Deviation, type DeviationFacts } from '../facts/failures.ts';
import type { Level } from '../facts/level.ts';
import type { Redactor } from '../requests/redact.ts';
import type { CaseOutcome } from '../results/result.ts';

/** What came of a question. `Shown` is the form of the exchange that shows it. */
export interface Found<Shown> extends DeviationFacts {
  readonly outcome: CaseOutcome;
  readonly expected?: string | undefined;
  readonly observed?: string | undefined;
  /** Why it was not judged. */
  readonly reason?: string | undefined;
  /** True when a check is complete without it. */
  readonly optional?: true | undefined;
  readonly exchange?: Shown | undefined;
}

/** A question as far as its outcome goes. */
interface Asked {
  readonly level: Level;
  readonly later?: true;
}

/**
 * Asks a question and reads what comes of it.
 * @param run what the question does
 * @param last the exchange that shows what it found, where it names none itself
 * @throws everything that is no outcome: what ended the question before it could be judged, and every bug
 */
export async function outcomeOf<Shown>(
  asked: Asked,
  run: () => Seen | Promise<Seen>,
  last: () => Shown | undefined,
): Promise<Found<Shown>> {
  try {
    const seen = await run();
    return unjudged(seen) ?? kept(asked, seen as string | undefined, last);
  } catch (error) {
    if (error instanceof Deviation) return deviating(asked, error as Deviation<Shown>, last);
    const found = unjudged(error);
    if (found) return found;
    throw error;
  }
}

function kept<Shown>(
  { level }: Asked,
  seen: string | undefined,
  last: () => Shown | undefined,
): Found<Shown> {
  const observed = seen || undefined;
  if (level !== 'unstated') return { outcome: 'passed', observed };
  return { outcome: 'observed', observed, exchange: last() };
}

/** What a question returns or throws that could not be judged; undefined for anything else. */
function unjudged(seen: unknown): Found<never> | undefined {
  if (seen instanceof NotApplicable)
    return { outcome: 'observed', observed: `not applicable: ${seen.message}` };
  if (!(seen instanceof Inconclusive)) return undefined;
  return skipped(seen.message, seen.isOptional);
}

/** A question that was not judged, for this reason. @param isOptional whether a check is complete without it */
export function skipped(reason: string, isOptional = false): Found<never> {
  return { outcome: 'skipped', reason, ...(isOptional ? { optional: true } : {}) };
}

/** What came after the requirement set of the run deviates without consequences. */
function deviating<Shown>(
  asked: Asked,
  { expected, observed, facts, exchange = undefined }: Deviation<Shown>,
  last: () => Shown | undefined,
): Found<Shown> {
  const shown = exchange ?? last();
  const { level = asked.level } = facts;
  if (!asked.later)
    return { ...facts, outcome: outcomeOfDeviation(level), expected, observed, exchange: shown };
  const text = `deviates from a requirement newer than the requirement set: expected ${expected}; observed ${observed}`;
  return { outcome: 'observed', expected, observed: text, exchange: shown };
}

/** How a question ends that found a deviation: only what the specification states fails. */
export function outcomeOfDeviation(level: Level): CaseOutcome {
  if (level === 'stated') return 'failed';
  return level === 'observed' ? 'warned' : 'observed';
}

/** The same with every text free of keys. */
export function redacted<Any extends Found<unknown>>(found: Any, redactor: Redactor): Any {
  const { expected, observed, reason, cause } = found;
  const clean = (text: string | undefined) => text && redactor.redact(text);
  return {
    ...found,
    expected: clean(expected),
    observed: clean(observed),
    reason: clean(reason),
    cause: clean(cause),
  };
}
