import type { RequestsFact } from './facts.ts';
import type { Check, Problem } from './problem.ts';
import type { History, LimitsLine, Operation } from './record.ts';

/** A bucket that nobody can empty is not worth the time to check. */
const RATE_WORTH_CHECKING_MAX = 10_000;
/** Requests in flight while it is checked are this many at most; more are looked at in part. */
const REQUESTS_MAX = 4000;

/**
 * Proves that in no stretch of time a key was accepted more often than its bucket holds and regains. Requests that began and were
 * answered within the stretch took their tokens in it.
 */
export const rateHeld: Check = (history) =>
  history.limits.flatMap((limits) => {
    if (limits.ratePerSecond > RATE_WORTH_CHECKING_MAX) return [];
    const accepted = acceptedBy(history, limits.key).slice(0, REQUESTS_MAX);
    const text = tooMany(accepted, limits);
    return text ? [{ rule: 'rate-held', text: `${limits.key}: ${text}` }] : [];
  });

function tooMany(accepted: readonly Operation[], limits: LimitsLine): string | undefined {
  const byEnd = [...accepted].sort((a, b) => a.end - b.end);
  for (const from of accepted) {
    let inside = 0;
    for (const { start, end } of byEnd) {
      if (start < from.start) continue;
      inside += 1;
      const seconds = (end - from.start) / 1000;
      const tokens = (limits.burst + limits.ratePerSecond * seconds) * (limits.servers ?? 1);
      if (inside > tokens)
        return `${inside} requests in ${seconds} s, the bucket gives ${Math.floor(tokens)}`;
    }
  }
  return undefined;
}

/** A key's quota held, and its requests are counted: each that was accepted, and none that was refused. */
export const quotaHeld: Check = (history, { requests }) =>
  history.limits.flatMap(({ key, quotaPerMonth }): Problem[] => {
    const problems: Problem[] = [];
    for (const { month, requests: counted } of requests.filter((one) => one.key === key)) {
      if (counted <= quotaPerMonth) continue;
      problems.push(problem(key, `${counted} requests in ${month}, its quota is ${quotaPerMonth}`));
    }
    const stored = total(requests, key);
    const known = acceptedBy(history, key).length;
    const possible = known + history.operations.filter((one) => isUnknownScanOf(one, key)).length;
    const before = history.requestsBefore.get(key) ?? 0;
    if (stored - before < known || stored - before > possible) {
      problems.push(
        problem(key, `${stored - before} requests counted, ${known} to ${possible} were accepted`),
      );
    }
    return problems;
  });

function acceptedBy({ operations }: History, key: string): Operation[] {
  return operations.filter(
    (one) =>
      one.key === key &&
      (one.action === 'consume' || one.action === 'validate') &&
      one.outcome !== 'unknown' &&
      one.status !== 'limited' &&
      one.status !== 'key_refused',
  );
}

function isUnknownScanOf({ key, action, outcome }: Operation, ofKey: string): boolean {
  return key === ofKey && outcome === 'unknown' && (action === 'consume' || action === 'validate');
}

function total(requests: readonly RequestsFact[], key: string): number {
  return requests.filter((one) => one.key === key).reduce((sum, one) => sum + one.requests, 0);
}

function problem(key: string, text: string): Problem {
  return { rule: 'quota-held', text: `${key}: ${text}` };
}
