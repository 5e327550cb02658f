import { isGranted } from '../../core/decision.ts';
import { isOpenExit } from '../../core/passage.ts';
import type { BatchRequest, ScanOutcome } from '../../core/scan-batch.ts';
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
  /** The exit opened for everybody who had come in. By default, what the key in the facts says. */
  readonly atOpenExit?: boolean;
  /** Fixed text for rules whose facts are unknown; never used for the rule that decided. */
  readonly instead?: InsteadOfSteps;
  /** Of the times in the sentences; without it they are ISO 8601 in UTC, as those in the facts. */
  readonly timeZone?: string | undefined;
}

export type InsteadOfSteps = Partial<Record<Rule, InsteadOfFacts>>;

export interface InsteadOfFacts {
  readonly result: 'passed' | 'not_asked';
  readonly because: string;
}

/**
 * Says step by step why a request got its outcome.
 *
 * The outcome is the one that the scan rule itself gave (`answerRequest`, or `outcomeOn` for a scan that did not happen):
 * nothing is decided here, so that an explanation cannot tell another story than the gate.
 */
export function explain(
  request: BatchRequest,
  facts: ScanFacts,
  outcome: ScanOutcome,
  {
    isReplay = false,
    instead = {},
    atOpenExit = isAtOpenExit(request, facts),
    timeZone,
  }: ExplainOptions = {},
): Explanation {
  const stopping = stoppedBy(outcome, isReplay);
  const end = stopping === undefined ? RULES.length : RULES.indexOf(stopping);
  const asked = request.kind === 'heartbeat' ? HEARTBEAT_RULES : RULES;
  const steps = asked.map((rule, index): ExplanationStep => {
    if (index > end) return { rule, ...NOT_REACHED };
    const stopped = index === end;
    const other = atOpenExit && NOT_ASKED_AT_OPEN_EXIT.has(rule) ? OPEN_EXIT : instead[rule];
    if (other && !stopped) return { rule, ...other, facts: {} };
    const context = { request, facts, outcome, stopped, atOpenExit, timeZone };
    const account = accountOf(rule, context);
    return { rule, result: stopped ? 'stopped' : 'passed', ...account };
  });
  return { ...answerOf(outcome), steps };
}

const NOT_ASKED_AT_OPEN_EXIT: ReadonlySet<Rule> = new Set([
  'cancelled',
  'valid_from',
  'valid_until',
]);
const OPEN_EXIT: InsteadOfFacts = {
  result: 'not_asked',
  because: 'Not asked: this exit opens for every ticket that was used to come in.',
};

function isAtOpenExit(request: BatchRequest, { key }: ScanFacts): boolean {
  return request.kind === 'scan' && key !== undefined && isOpenExit(request, key);
}

const HEARTBEAT_RULES: readonly Rule[] = ['key', 'rate'];
const NOT_REACHED = { result: 'not_reached', because: 'Not reached.', facts: {} } as const;

/** The explanation of a request that was refused before the scan rule was asked: its key is not one. */
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
