import type { Level } from '../cases/level.ts';
import type { Budget } from '../planning/budget.ts';
import type { Endpoint } from '../requests/endpoint.ts';

/** How one case ended. */
export type Outcome = 'passed' | 'failed' | 'warned' | 'skipped' | 'observed';
/** What a run says of the server; `incomplete` when cases of stated requirements were skipped. */
export type Verdict = 'conforms' | 'deviates' | 'incomplete';

/** The exchange behind a finding, with every key replaced by its variable. */
export interface Evidence {
  readonly request: string;
  readonly response: string;
}

/** A question that was not asked. */
export interface NotAsked {
  /** Undefined when the case is about a sequence over several endpoints. */
  readonly endpoint?: Endpoint;
  /** What would have been shown there: `multi`. */
  readonly about?: string;
  readonly reason: string;
  /** True when the check is complete without it. */
  readonly optional?: true;
}

/** A case that the run did not include, because a flag for it was not given. */
export interface LeftOut {
  readonly id: string;
  readonly endpoints: readonly Endpoint[];
  readonly reason: string;
}

/** One of several deviations of a case. */
export interface CellDeviation {
  readonly endpoint?: Endpoint;
  readonly about?: string;
  readonly expected: string;
  readonly observed: string;
}

/** What became of one case. Every text is free of keys. */
export interface CaseResult {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly outcome: Outcome;
  readonly requirement: string;
  readonly expected: string | null;
  readonly observed: string | null;
  /** A `curl` line that repeats the request, with the key as a variable. */
  readonly reproduce: string | null;
  readonly durationMs: number;
  /** What usually is wrong in a server with this deviation. */
  readonly likelyCause: string | null;
  /** Why it was skipped. */
  readonly reason: string | null;
  readonly evidence: Evidence | null;
  /** The endpoints that were asked, in the order of section 4. */
  readonly endpoints: readonly Endpoint[];
  /** Those of them that deviated. */
  readonly failedEndpoints: readonly Endpoint[];
  /** What was not asked, and why. */
  readonly notAsked: readonly NotAsked[];
  /** Every deviation, where there are several; the first is in `expected` and `observed`. */
  readonly deviations?: readonly CellDeviation[];
  /** It came after the requirement set of the run: what was seen is reported, and fails nothing. */
  readonly later?: true;
  /** A deviation that the baseline lists: it does not fail the run. */
  readonly known?: true;
}

/** How many cases ended how. */
export interface Totals {
  readonly passed: number;
  /** Without those that the baseline knows. */
  readonly failed: number;
  readonly warned: number;
  readonly skipped: number;
  readonly observed: number;
  readonly known: number;
}

/** The whole run. */
export interface CheckResult {
  /** What was judged by `check device`; absent when it was a server. */
  readonly subject?: 'device' | 'client';
  /** The address of the server; of the one that this program was, when a device or client was judged. */
  readonly target: string;
  readonly verdict: Verdict;
  /** The requirement set that it was held against: `2026-11`. */
  readonly requirements: string;
  readonly totals: Totals;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  /** What could be spent at most, and what the server granted in fact. */
  readonly budget: Budget;
  readonly usesGranted: number;
  /** Remarks on the run as a whole: what was left out, what hints at a wrong address. */
  readonly notes: readonly string[];
  /** Cases that wait for a flag; a check is complete without them. */
  readonly leftOut: readonly LeftOut[];
  /** Ids that the baseline lists as known deviations, but which the deployment now keeps. */
  readonly stale: readonly string[];
  /** Set when the server stopped answering, or the run was stopped. */
  readonly brokenOff?: string;
  /** What the checker itself did wrong: then the run says nothing about those cases. */
  readonly ownFaults?: readonly string[];
  readonly cases: readonly CaseResult[];
}

/** Counts the outcomes; a known deviation counts apart. */
export function totalsOf(cases: readonly CaseResult[]): Totals {
  const count = (outcome: Outcome) =>
    cases.filter((one) => one.outcome === outcome && !one.known).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    warned: count('warned'),
    skipped: count('skipped'),
    observed: count('observed'),
    known: cases.filter((one) => one.known).length,
  };
}

/** True when something was not asked that a complete check asks. */
export function isOpen({ notAsked }: CaseResult): boolean {
  return notAsked.some(({ optional }) => !optional);
}

/** A known deviation is a deviation all the same; it only does not fail the run. */
export function verdictOf(cases: readonly CaseResult[]): Verdict {
  if (cases.some(({ outcome }) => outcome === 'failed')) return 'deviates';
  const wasAsked = cases.some(({ outcome }) => outcome !== 'skipped');
  return !wasAsked || cases.some(isOpen) ? 'incomplete' : 'conforms';
}
