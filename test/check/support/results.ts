import type { CaseResult, CheckResult } from '../../../src/check/index.ts';
import { findingsFrom } from '../../../src/check/results/findings.ts';

/** Text that breaks reports which do not escape: markup, control characters, directives, lone surrogates. */
const HOSTILE =
  '</failure>]]>&<script>alert(1)</script>" \' \0\u0001\u001b[31m\u202e\ufffe\ud800 | `x` *b* [l](u) # SKIP %0A::error::x\r\n::stop-commands::t\n  ...\n```\n---';

/** A result with one case of each outcome, every text of which is hostile. */
export function hostileResult(): CheckResult {
  const one = (outcome: CaseResult['outcome'], more: Partial<CaseResult> = {}): CaseResult => ({
    id: `4.2/${outcome}`,
    section: '4.2',
    level: outcome === 'warned' ? 'observed' : outcome === 'observed' ? 'unstated' : 'stated',
    outcome,
    requirement: 'One use is registered on success.',
    expected: HOSTILE,
    observed: HOSTILE,
    reproduce: `curl ${HOSTILE}`,
    durationMs: 1.5,
    cause: HOSTILE,
    reason: HOSTILE,
    evidence: { request: HOSTILE, response: HOSTILE },
    endpoints: ['consume', 'hw/consume'],
    failedEndpoints: outcome === 'failed' ? ['hw/consume'] : [],
    variants: ['single'],
    failedVariants: [],
    notAsked: [{ endpoint: 'validate', variant: 'single', reason: HOSTILE }],
    ...more,
  });
  const cases = [
    one('passed', {
      expected: null,
      observed: null,
      reproduce: null,
      evidence: null,
      reason: null,
    }),
    one('failed'),
    one('warned'),
    one('skipped'),
    one('observed'),
    one('follows', { followsFrom: ['4.2/failed'] }),
    one('unanswered'),
    one('failed', { id: '2.3/known', section: '2.3', known: true }),
  ];
  return {
    target: 'https://scan.example.org/',
    verdict: 'deviates',
    requirements: '2026-11',
    totals: {
      passed: 1,
      failed: 1,
      warned: 1,
      skipped: 1,
      observed: 1,
      known: 1,
      follows: 0,
      unanswered: 0,
    },
    findings: findingsFrom(cases).map((one, index) =>
      index === 0 ? { ...one, followers: ['4.2/follows'] } : one,
    ),
    startedAt: '2026-11-21T09:00:00.000Z',
    durationMs: 1234,
    requests: 10,
    budget: { uses: 0, byKind: [] },
    usesGranted: 0,
    notes: [HOSTILE],
    leftOut: [{ id: '8/rate', endpoints: ['validate'], reason: HOSTILE }],
    stale: ['1/https'],
    brokenOff: HOSTILE,
    cases,
  };
}
