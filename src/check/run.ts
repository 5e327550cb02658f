import { readBaseUrl } from './base-url.ts';
import { knownDeviations, withBaseline } from './baseline.ts';
import { type CheckCase, cellsOf } from './case.ts';
import { CASES } from './cases.ts';
import { TransportFailure, UnreachableError } from './deviation.ts';
import { hintOn, judge } from './judge.ts';
import { type Budget, makePlan, ticketsOfSpenders } from './plan.ts';
import { type CaseResult, type CheckResult, totalsOf, verdictOf } from './result.ts';
import { Run } from './run-state.ts';
import { SAMPLES, type Sample, sampleNamed } from './samples.ts';
import { type Selection, selectCases } from './select.ts';
import { readTarget, type TargetInput } from './target.ts';
import { usedUpBefore } from './used-tickets.ts';

const TIMEOUT_MS_DEFAULT = 10_000;
const CONCURRENCY_DEFAULT = 8;

/** How to check; everything but the address has a careful default. */
export interface CheckOptions extends Selection {
  /** Where the service is; the target's own base address otherwise. */
  readonly baseUrl?: string | URL | undefined;
  /** Keys and tickets of the deployment; what is missing is skipped. */
  readonly target?: TargetInput | undefined;
  /** Allows to spend uses of the target's tickets. Nothing is spent without it. */
  readonly consume?: boolean | undefined;
  /** For one request as a whole. */
  readonly timeoutMs?: number | undefined;
  /** Requests a second at most, instead of four fifths of the limits of each key. */
  readonly maxRate?: number | undefined;
  /** Cases that run at the same time. */
  readonly concurrency?: number | undefined;
  /** Permits plain HTTP to an address that is not loopback. */
  readonly insecureHttp?: boolean | undefined;
  /** PEM certificates to trust beside the system's. */
  readonly ca?: string | undefined;
  /** Known deviations: a list of case ids, an object of id and reason, or an earlier result. */
  readonly baseline?: unknown;
  /** Stops the run; what has not run is skipped. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the first request, with what may be spent. */
  readonly onBudget?: ((budget: Budget, cases: number) => void) | undefined;
  /** Called after each case. */
  readonly onProgress?: ((result: CaseResult, done: number, total: number) => void) | undefined;
}

/**
 * Checks a deployment against the specification.
 * @throws CheckUsageError when the options make no sense
 * @throws UnreachableError when the first request gets no answer
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const cases = selectCases(CASES, options);
  const known = knownDeviations(options.baseline, CASES);
  const target = readTarget(options.target ?? {});
  const baseUrl = readBaseUrl(options.baseUrl ?? target.baseUrl, options.insecureHttp ?? false);
  const samples = samplesOf(cases);
  const reserved = ticketsOfSpenders(CASES, SAMPLES);
  const plan = makePlan(cases, samples, target, options.consume ?? false, reserved);
  options.onBudget?.(plan.budget, cases.length);
  const run = new Run(target, plan, {
    baseUrl,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS_DEFAULT,
    ca: options.ca,
    signal: options.signal,
    maxRate: options.maxRate,
    consent: options.consume ?? false,
  });
  try {
    return await runAll(cases, run, options, known);
  } finally {
    run.close();
  }
}

/** The shared answers that these cases judge. */
function samplesOf(cases: readonly CheckCase[]): Sample[] {
  const names = cases.flatMap(cellsOf).flatMap(({ samples = [] }) => samples);
  return [...new Set(names)].map(sampleNamed);
}

async function runAll(
  cases: readonly CheckCase[],
  run: Run,
  options: CheckOptions,
  known: Parameters<typeof withBaseline>[1],
): Promise<CheckResult> {
  const startedAt = new Date();
  const started = performance.now();
  const hint = await knock(run);
  const results = new Map<string, CaseResult>();
  const finish = (result: CaseResult) => {
    results.set(result.id, result);
    options.onProgress?.(result, results.size, cases.length);
  };
  const concurrency = options.concurrency ?? CONCURRENCY_DEFAULT;
  const phase = (name: CheckCase['phase']) => cases.filter((one) => (one.phase ?? 'scan') === name);
  await runSome(phase('scan'), concurrency, run, finish);
  await runSome(phase('review'), concurrency, run, finish);
  await runSome(phase('rate-limits'), 1, run, finish);
  const ordered = cases.map((one) => results.get(one.id)).filter((one) => one !== undefined);
  const { cases: judged, stale } = withBaseline(ordered, known);
  return {
    target: run.baseUrl.href,
    verdict: verdictOf(judged),
    totals: totalsOf(judged),
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - started),
    requests: run.exchanges.length,
    budget: run.plan.budget,
    usesGranted: usesGranted(run),
    notes: [...hint, ...usedUpBefore(run, judged), ...run.limited.notes(), ...leftOut(options)].map(
      (note) => run.redactor.redact(note),
    ),
    stale,
    ...(run.ownFaults.length > 0
      ? { ownFaults: run.ownFaults.map((fault) => run.redactor.redact(fault)) }
      : {}),
    ...(run.gone ? { brokenOff: run.redactor.redact(run.gone.message) } : {}),
    cases: judged,
  };
}

/** Asks whether anybody is there, and whether it is a scan service at all. */
async function knock(run: Run): Promise<string[]> {
  try {
    const hint = hintOn(await run.knock());
    return hint === undefined ? [] : [hint];
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    throw new UnreachableError(`${run.baseUrl.origin} cannot be checked: ${error.message}.`, {
      cause: error,
    });
  }
}

async function runSome(
  cases: readonly CheckCase[],
  concurrency: number,
  run: Run,
  finish: (result: CaseResult) => void,
): Promise<void> {
  const queue = cases.values();
  const worker = async () => {
    for (const one of queue) finish(await judge(one, run));
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
}

function usesGranted(run: Run): number {
  return run.exchanges.filter(({ request, answer }) => {
    const body = answer.json as { status?: unknown; AcsRes?: unknown } | null | undefined;
    return (
      (request.path === '/scan/consume' && body?.status === 'consumed') ||
      (request.path === '/scan/hw/consume' && body?.AcsRes === '1')
    );
  }).length;
}

function leftOut(options: CheckOptions): string[] {
  const left = CASES.filter((one) => one.phase === 'rate-limits').length;
  if (options.rateLimits || (options.only ?? []).length > 0) return [];
  return [`${left} rate-limit cases were left out; --rate-limits runs them.`];
}
