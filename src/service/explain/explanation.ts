import type { Decision } from '../../core/decision.ts';
import type { ScanOutcome } from '../../core/scan-batch.ts';

/** The rules of a scan in the order in which they are asked; the first that matches answers (ADR 0003). */
export const RULES = [
  'key',
  'rate',
  'quota',
  'retry',
  'body',
  'signature',
  'scope',
  'existence',
  'cancelled',
  'valid_from',
  'valid_until',
  'uses',
] as const;
/** A rule that can decide a scan, in order of precedence. */
export type Rule = (typeof RULES)[number];

/**
 * `passed`: the rule let the scan through. `stopped`: it gave the answer. `not_reached`: an earlier one had.
 * `not_asked`: nobody said enough to ask it.
 */
export type StepResult = 'passed' | 'stopped' | 'not_reached' | 'not_asked';

type Facts = Readonly<Record<string, string | number | boolean | null>>;

/** What one rule said of a scan. */
export interface ExplanationStep {
  readonly rule: Rule;
  readonly result: StepResult;
  /** One sentence for a person. */
  readonly because: string;
  /** The facts it used; empty for a rule that was not reached. Times are ISO 8601. */
  readonly facts: Facts;
}

/** Why a scan was answered as it was, step by step. */
export interface Explanation {
  /** A status of section 2.3, or how the request was refused before there was a decision. */
  readonly answer: Decision['status'] | Exclude<ScanOutcome['kind'], 'decided'>;
  /** The rejection reason of section 2.3. */
  readonly reason: string | null;
  readonly granted: boolean;
  readonly steps: readonly ExplanationStep[];
}

const BY_KIND = {
  key_refused: 'key',
  device_changed: 'key',
  limited: 'rate',
  rate_changed: 'rate',
  quota_exceeded: 'quota',
  retry_conflict: 'retry',
  bad_retry_name: 'retry',
  alive: undefined,
} as const;

const BY_STATUS = {
  validated: undefined,
  consumed: undefined,
  not_found: 'existence',
  exhausted: 'uses',
} as const;

const BY_REASON = {
  missing_ticket_code: 'body',
  invalid_ticket: 'signature',
  event_not_allowed: 'scope',
  ticket_cancelled: 'cancelled',
  not_yet_valid: 'valid_from',
  expired: 'valid_until',
  not_used: 'uses',
} as const;

/** The rule that gave an outcome; undefined when every rule let the request through. */
export function stoppedBy(outcome: ScanOutcome, isReplay: boolean): Rule | undefined {
  if (outcome.kind !== 'decided') return BY_KIND[outcome.kind];
  if (isReplay) return 'retry';
  const { decision } = outcome;
  return decision.status === 'rejected' ? BY_REASON[decision.reason] : BY_STATUS[decision.status];
}
