import type { Endpoint } from '../facts/exchange.ts';
import type { Level } from '../facts/level.ts';
import type { Budget } from './budget.ts';

/** How one case ended; `follows` when it deviates only because another one does. */
export type CaseOutcome =
  | 'passed'
  | 'failed'
  | 'warned'
  | 'skipped'
  | 'observed'
  | 'follows'
  | 'unanswered';
/** What a run says of the server; `incomplete` when something that a complete check judges was not judged. */
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
  /** What would have been asked there: `multi`. */
  readonly variant?: string;
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
  readonly variant?: string;
  readonly expected: string;
  readonly observed: string;
}

/** What became of one case. Every text is free of keys. */
export interface CaseResult {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly outcome: CaseOutcome;
  readonly requirement: string;
  readonly expected: string | null;
  readonly observed: string | null;
  /** A `curl` line that repeats the request, with the key as a variable. */
  readonly reproduce: string | null;
  readonly durationMs: number;
  /** What is wrong in the server, where what was observed shows it. */
  readonly cause: string | null;
  /** Why it was skipped. */
  readonly reason: string | null;
  /** The exchange that shows the first deviation, also of a case that only follows. */
  readonly evidence: Evidence | null;
  /** The endpoints that were asked, in the order of section 4. */
  readonly endpoints: readonly Endpoint[];
  /** Those of them that deviated, where that follows from no other case. */
  readonly failedEndpoints: readonly Endpoint[];
  /** The variants that were asked. */
  readonly variants: readonly string[];
  /** Those of them that deviated. */
  readonly failedVariants: readonly string[];
  /** What was not asked, and why. */
  readonly notAsked: readonly NotAsked[];
  /** Every deviation, where there are several; the first is in `expected` and `observed`. */
  readonly deviations?: readonly CellDeviation[];
  /** It came after the requirement set of the run: what was seen is reported, and fails nothing. */
  readonly later?: true;
  /** The ids of the findings that it follows from. */
  readonly followsFrom?: readonly string[];
  /** A grant that had to be a denial, or a use that was not counted. */
  readonly isDangerous?: true;
  /** A deviation that the baseline lists: it does not fail the run. */
  readonly known?: true;
}

/** A deviation that no other one explains, for all its endpoints and variants. */
export interface Finding {
  /** The id of its case. */
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly outcome: 'failed' | 'warned';
  readonly endpoints: readonly Endpoint[];
  readonly variants: readonly string[];
  readonly requirement: string;
  readonly expected: string | null;
  readonly observed: string | null;
  readonly cause: string | null;
  readonly reproduce: string | null;
  readonly evidence: Evidence | null;
  /** The ids of the cases that deviate because of it. */
  readonly followers: readonly string[];
  /** A grant that had to be a denial, a use counted twice or not at all, a key that was shown. */
  readonly isDangerous?: true;
  /** The baseline lists it, for this reason: it does not fail the run. */
  readonly known?: true;
  readonly reason?: string;
}

/** What shows before the first case that the address or the target file is wrong. */
export interface Preflight {
  readonly observed: string;
  /** What to try. */
  readonly advice: string;
  readonly reproduce: string | null;
}

/** How many cases ended how. */
export interface Totals {
  readonly passed: number;
  /** Without those that the baseline knows, and without those that only follow. */
  readonly failed: number;
  readonly warned: number;
  readonly skipped: number;
  readonly observed: number;
  readonly known: number;
  readonly follows: number;
  readonly unanswered: number;
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
  /** The deviations that no other one explains, the most dangerous first. */
  readonly findings: readonly Finding[];
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  /** What could be spent at most, and what the server granted in fact. */
  readonly budget: Budget;
  readonly usesGranted: number;
  /** Remarks on the run as a whole: what was left out, what hints at a wrong address. */
  readonly notes: readonly string[];
  /** Set when only a part of the cases was chosen: how many of all. */
  readonly chosen?: { readonly cases: number; readonly of: number };
  /** Cases that wait for a flag; a check is complete without them. */
  readonly leftOut: readonly LeftOut[];
  /** Ids that the baseline lists as known deviations, but which the deployment now keeps. */
  readonly stale: readonly string[];
  /** Set when no case ran, because the address or the target file is wrong. */
  readonly preflight?: Preflight;
  /** Set when the server stopped answering, or the run was stopped. */
  readonly brokenOff?: string;
  /** What the checker itself did wrong: then the run says nothing about those cases. */
  readonly ownFaults?: readonly string[];
  readonly cases: readonly CaseResult[];
}

/** True for what is not as required, whether it fails a run or only warns. */
export function isDeviation<Result extends { readonly outcome: CaseOutcome }>(
  result: Result,
): result is Result & { readonly outcome: Finding['outcome'] } {
  return result.outcome === 'failed' || result.outcome === 'warned';
}

/** Counts the outcomes; a known deviation counts apart. */
export function totalsOf(cases: readonly CaseResult[]): Totals {
  const count = (outcome: CaseOutcome) =>
    cases.filter((one) => one.outcome === outcome && !one.known).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    warned: count('warned'),
    skipped: count('skipped'),
    observed: count('observed'),
    known: cases.filter((one) => one.known).length,
    follows: count('follows'),
    unanswered: count('unanswered'),
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
  return !wasAsked || cases.some((one) => isOpen(one) || one.outcome === 'unanswered')
    ? 'incomplete'
    : 'conforms';
}

export const FAIL_ON = ['warned', 'skipped', 'observed', 'unanswered'] as const;
/** What may fail a run besides a deviation from a stated requirement. */
export type FailOn = (typeof FAIL_ON)[number];

/**
 * 0 when nothing failed; 1 when something did, when a baseline entry is stale, or when something of `failOn` is there;
 * 2 when the address or the target file is wrong; 3 when the server stopped answering, or left cases unanswered; 4 when
 * the checker caught itself in a fault of its own.
 */
export function exitCodeOf(result: CheckResult, failOn: readonly FailOn[] = []): 0 | 1 | 2 | 3 | 4 {
  const { totals } = result;
  if (result.preflight !== undefined) return 2;
  if (result.brokenOff !== undefined) return 3;
  const found: Record<FailOn, boolean> = {
    warned: totals.warned > 0,
    skipped: result.cases.some(isOpen),
    observed: totals.observed > 0,
    unanswered: totals.unanswered > 0,
  };
  if (totals.failed > 0 || result.stale.length > 0 || failOn.some((one) => found[one])) return 1;
  if ((result.ownFaults ?? []).length > 0) return 4;
  return totals.unanswered > 0 ? 3 : 0;
}
