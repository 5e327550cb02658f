import { isGranted, isOpenExit } from '../../core/decision.ts';
import type { BatchRequest, ScanOutcome } from '../../core/scan-requests.ts';
import { type Explanation, type ExplanationStep, RULES, type Rule } from './explanation.ts';
import { decidingRule, describeRule } from './rules.ts';
import type { ScanFacts } from './scan-facts.ts';

export interface ExplainOptions {
  /** The answer was given before, to the same request. */
  readonly isReplay?: boolean;
  /** The exit opened for every ticket that was used to come in. By default, as the key in the facts says. */
  readonly atOpenExit?: boolean;
  /** Fixed text for rules whose facts are unknown; never used for the rule that decided. */
  readonly fixedSteps?: FixedSteps;
  /** The zone of the times in the sentences; without it they are ISO 8601 in UTC, as those in the facts. */
  readonly timeZone?: string | undefined;
}

export type FixedSteps = Partial<Record<Rule, FixedStep>>;

export interface FixedStep {
  readonly result: 'passed' | 'not_asked';
  readonly because: string;
}

/**
 * Explains step by step why a request got its outcome.
 *
 * The outcome comes from the scan rule itself (`answerRequest`, or `outcomeOn` for a scan that did not happen). This
 * function decides nothing, so an explanation cannot contradict the gate.
 */
export function explain(
  request: BatchRequest,
  facts: ScanFacts,
  outcome: ScanOutcome,
  {
    isReplay = false,
    fixedSteps = {},
    atOpenExit = isAtOpenExit(request, facts),
    timeZone,
  }: ExplainOptions = {},
): Explanation {
  const deciding = decidingRule(outcome, isReplay);
  const end = deciding === undefined ? RULES.length : RULES.indexOf(deciding);
  const asked = request.kind === 'heartbeat' ? HEARTBEAT_RULES : RULES;
  const steps = asked.map((rule, index): ExplanationStep => {
    if (index > end) return { rule, ...NOT_REACHED };
    const stopped = index === end;
    const fixed = atOpenExit && NOT_ASKED_AT_OPEN_EXIT.has(rule) ? OPEN_EXIT : fixedSteps[rule];
    if (fixed && !stopped) return { rule, ...fixed, facts: {} };
    const context = { request, facts, outcome, stopped, atOpenExit, timeZone };
    const described = describeRule(rule, context);
    return { rule, result: stopped ? 'stopped' : 'passed', ...described };
  });
  return { ...answerOf(outcome), steps };
}

const NOT_ASKED_AT_OPEN_EXIT: ReadonlySet<Rule> = new Set([
  'cancelled',
  'valid_from',
  'valid_until',
]);
const OPEN_EXIT: FixedStep = {
  result: 'not_asked',
  because: 'Not asked: this exit opens for every ticket that was used to come in.',
};

function isAtOpenExit(request: BatchRequest, { key }: ScanFacts): boolean {
  return request.kind === 'scan' && key !== undefined && isOpenExit(request, key);
}

const HEARTBEAT_RULES: readonly Rule[] = ['key', 'rate'];
const NOT_REACHED = { result: 'not_reached', because: 'Not reached.', facts: {} } as const;

/** Explains a request that was refused before the scan rule was asked, because its key is not valid. */
export function explainRefusedKey(because: string): Explanation {
  const steps = RULES.map((rule): ExplanationStep => {
    if (rule === 'key') return { rule, result: 'stopped', because, facts: {} };
    return { rule, ...NOT_REACHED };
  });
  return { answer: 'key_refused', reason: null, granted: false, steps };
}

function answerOf(outcome: ScanOutcome): Omit<Explanation, 'steps'> {
  if (outcome.kind !== 'decided') {
    return { answer: outcome.kind, reason: null, granted: outcome.kind === 'alive' };
  }
  const { decision } = outcome;
  const reason = decision.status === 'rejected' ? decision.reason : null;
  return { answer: decision.status, reason, granted: isGranted(decision) };
}
