import { withoutPasswords } from '../../kit/secrets.ts';

/** `warning`: works, but needs attention. `skipped`: an option for the check is missing. */
export type Outcome = 'good' | 'warning' | 'failed' | 'skipped';

/** What a check found. */
export interface Found {
  readonly outcome: Outcome;
  /** What was found, in a sentence without keys. */
  readonly finding: string;
  /** What to do; null when nothing is needed. */
  readonly advice: string | null;
}

/** What was found, and the name of the check that found it. */
export interface Finding extends Found {
  readonly check: string;
}

/** One check of `doctor`; it may have several findings, or none. It consumes no use and creates nothing: the service may be a real one. */
export interface Check<Facts> {
  readonly name: string;
  run(facts: Facts): Found | readonly Found[] | Promise<Found | readonly Found[]>;
}

export function good(finding: string): Found {
  return { outcome: 'good', finding, advice: null };
}

export function warning(finding: string, advice: string): Found {
  return { outcome: 'warning', finding, advice };
}

export function failed(finding: string, advice: string): Found {
  return { outcome: 'failed', finding, advice };
}

export function skipped(finding: string, advice: string | null = null): Found {
  return { outcome: 'skipped', finding, advice };
}

/** Runs the checks one after another. Findings of a nested list of checks keep their names. */
export async function runChecks<Facts>(
  checks: readonly Check<Facts>[],
  facts: Facts,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of checks) findings.push(...named(name, await run(facts)));
  return findings;
}

export function named(check: string, found: Found | readonly Found[]): Finding[] {
  return [found].flat().map((one) => ({
    // A finding that names its check keeps that name.
    check,
    ...one,
    finding: withoutPasswords(one.finding),
    advice: one.advice === null ? null : withoutPasswords(one.advice),
  }));
}
