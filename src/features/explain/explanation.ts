import type { Decision } from '../../core/decision.ts';
import type { REFUSED_KINDS } from '../../core/outcome-names.ts';

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
 * `not_asked`: the facts for it are missing.
 */
export type StepResult = 'passed' | 'stopped' | 'not_reached' | 'not_asked';

export type Facts = Readonly<Record<string, string | number | boolean | null>>;

/** The result of one rule for a scan. */
export interface ExplanationStep {
  readonly rule: Rule;
  readonly result: StepResult;
  /** One sentence for a person. */
  readonly because: string;
  /** The facts it used; empty for a rule that was not reached. Times are ISO 8601. */
  readonly facts: Facts;
}

type OtherKind =
  | 'alive'
  | 'rate_changed'
  | 'device_changed'
  | 'too_few_uses'
  | 'elsewhere'
  | 'relayed';

/** The reasons for the answer to a scan, step by step. */
export interface Explanation {
  /** A status of section 2.3, or how the request was refused before there was a decision. */
  readonly answer: Decision['status'] | (typeof REFUSED_KINDS)[number] | OtherKind;
  /** The rejection reason of section 2.3. */
  readonly reason: string | null;
  readonly granted: boolean;
  readonly steps: readonly ExplanationStep[];
}
