import { isGranted } from '../decision.ts';
import type { ScanOutcome, ScanRequest } from '../scan-batch.ts';
import {
  type Explanation,
  type ExplanationStep,
  RULES,
  type Rule,
  stoppedBy,
} from './explanation.ts';
import type { ScanFacts } from './scan-facts.ts';
import { accountOf } from './step-accounts.ts';

export interface ExplainOptions {
  /** The answer was given before, to the same request. */
  readonly isReplay?: boolean;
  /** Rules about which the asker said nothing; they count as asked only where they gave the answer. */
  readonly notAsked?: readonly Rule[];
}

/**
 * Says step by step why a request got its outcome.
 *
 * The outcome is the one that the scan rule itself gave (`answerScan`, or `outcomeOn` for a scan that did not happen):
 * nothing is decided here, so that an explanation cannot tell another story than the gate.
 */
export function explain(
  request: ScanRequest,
  facts: ScanFacts,
  outcome: ScanOutcome,
  { isReplay = false, notAsked = [] }: ExplainOptions = {},
): Explanation {
  const stopping = stoppedBy(outcome, isReplay);
  const end = stopping === undefined ? RULES.length : RULES.indexOf(stopping);
  const asked = request.subject.kind === 'heartbeat' ? RULES.slice(0, 3) : RULES;
  const steps = asked.map((rule, index): ExplanationStep => {
    if (index > end) return { rule, result: 'not_reached', because: 'Not reached.', facts: {} };
    const account = accountOf(rule, { request, facts, outcome, stopped: index === end });
    if (index === end) return { rule, result: 'stopped', ...account };
    if (!notAsked.includes(rule)) return { rule, result: 'passed', ...account };
    return { rule, result: 'not_asked', because: NOT_ASKED[rule] ?? 'Not asked.', facts: {} };
  });
  return { ...answerOf(outcome), steps };
}

const NOT_ASKED: Partial<Record<Rule, string>> = {
  key: 'No key was named.',
  rate: 'How many requests came in the last second only the running server knows.',
  quota: 'No key was named.',
  retry: 'Explained as a first request, without Idempotency-Key.',
  scope: 'No key was named; one of the organisation that may scan the event is taken for granted.',
};

/** The explanation of a request that was refused before the scan rule was asked: its key is not one. */
export function explainRefusedKey(because: string): Explanation {
  const steps = RULES.map((rule): ExplanationStep => {
    if (rule === 'key') return { rule, result: 'stopped', because, facts: {} };
    return { rule, result: 'not_reached', because: 'Not reached.', facts: {} };
  });
  return { answer: 'key_refused', reason: null, granted: false, steps };
}

/** The step that gave the answer; undefined when every rule let the request through. */
export function decidingStep({ steps }: Explanation): ExplanationStep | undefined {
  return steps.find(({ result }) => result === 'stopped');
}

function answerOf(outcome: ScanOutcome): Omit<Explanation, 'steps'> {
  if (outcome.kind !== 'decided') {
    return { answer: outcome.kind, reason: null, granted: outcome.kind === 'alive' };
  }
  const { decision } = outcome;
  const reason = decision.status === 'rejected' ? decision.reason : null;
  return { answer: decision.status, reason, granted: isGranted(decision) };
}
