import { type CheckCase, cellsOf } from '../cases/case.ts';
import { type Known, refuseUnknownOptions } from '../deployment/known-options.ts';
import { readTarget } from '../deployment/read-target.ts';
import { CheckUsageError, type Target, type TargetInput } from '../deployment/target.ts';
import { ENDPOINTS, mayTakeUse } from '../facts/exchange.ts';
import { TransportFailure, UnreachableError } from '../facts/failures.ts';
import { read } from '../facts/reading.ts';
import { type CellResult, type JudgedCase, resultOf } from '../judging/combine.ts';
import { explainedBy, isCatchAll, withRoots } from '../judging/roots.ts';
import { AdminAccess } from '../key-changes/admin-access.ts';
import type { KeyAccess, KeyHooks } from '../key-changes/spare-keys.ts';
import type { AnswerRule } from '../law/answer-rule.ts';
import { makePlan, type Plan, ticketsOfSpenders } from '../planning/plan.ts';
import { type Selection, selectCases } from '../planning/select.ts';
import { readBaseUrl } from '../requests/base-url.ts';
import { REAL_WORLD } from '../requests/real-world.ts';
import type { World } from '../requests/world.ts';
import { casesOfSet, NEWEST_SET } from '../requirement-sets/index.ts';
import { type KnownDeviation, knownDeviations } from '../results/baseline.ts';
import type { Budget } from '../results/budget.ts';
import { conclusionOf } from '../results/conclusion.ts';
import type { CaseResult, CheckResult, LeftOut, Preflight } from '../results/result.ts';
import { totalsOf } from '../results/result.ts';
import { SAMPLES, type Sample, sampleNamed } from '../samples/samples.ts';
import { CASES } from '../sections/index.ts';
import { judge, neverAnswered } from './judge-question.ts';
import { lookAgain } from './last-look.ts';
import { mistakenKeys, mistakenTickets } from './mistaken-target.ts';
import { preflight, ticketsOfAnother } from './preflight.ts';
import { Run } from './run-state.ts';
import { leaveOutSpent, reservedIn } from './unspent.ts';

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
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string | undefined;
  /** Accepts any certificate: for test servers only. */
  readonly insecureTls?: boolean | undefined;
  /** Known deviations: a list of case ids, an object of id and reason, or an earlier result. */
  readonly baseline?: unknown;
  /** The requirement set to hold the deployment against, `2026-11`; the newest otherwise. What came later fails nothing. */
  readonly requirements?: string | undefined;
  /** Change the keys `spare` and `hardwareSpare` of the target, for section 3.1. */
  readonly keyHooks?: KeyHooks | undefined;
  /** An owner's access token for the admin API of a ticketscan server at the base address: keys are made for section 3.1. */
  readonly token?: string | undefined;
  /** Stops the run; what has not run is skipped. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the first case, with what may be spent: the requests before it spend nothing. */
  readonly onBudget?: ((budget: Budget, cases: number) => void) | undefined;
  /** Called before the first case with what is known of the target by then: tickets that were used up. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Called after each case; `known` is set where the baseline covers it. */
  readonly onProgress?: ((result: CaseResult, done: number, total: number) => void) | undefined;
}

const CHECK_OPTIONS: Known<CheckOptions> = {
  only: true,
  skip: true,
  rateLimits: true,
  baseUrl: true,
  target: true,
  consume: true,
  timeoutMs: true,
  maxRate: true,
  concurrency: true,
  insecureHttp: true,
  ca: true,
  insecureTls: true,
  baseline: true,
  requirements: true,
  keyHooks: true,
  token: true,
  signal: true,
  onBudget: true,
  onNote: true,
  onProgress: true,
};

/**
 * Checks a deployment against the specification.
 * @throws CheckUsageError when the options make no sense
 * @throws UnreachableError when the first request gets no answer
 */
export function check(options: CheckOptions): Promise<CheckResult> {
  return checkIn(REAL_WORLD, options);
}

/** The same in another world than this machine's, for tests: `check` has the options and what is thrown. */
export async function checkIn(world: World, options: CheckOptions): Promise<CheckResult> {
  refuseUnknownOptions('check', options, CHECK_OPTIONS);
  const requirements = options.requirements ?? NEWEST_SET;
  const cases = selectCases(casesOfSet(CASES, requirements), options);
  const known = knownDeviations(options.baseline, CASES);
  const target = readTarget(options.target ?? {}, undefined, world.wallNow());
  const baseUrl = readBaseUrl(options.baseUrl ?? target.baseUrl, options.insecureHttp ?? false);
  const samples = samplesOf(cases);
  const reserved = ticketsOfSpenders(CASES, SAMPLES);
  const access = accessOf(options, baseUrl, world);
  const consent = options.consume ?? false;
  const planFor = (one: Target, kept = reserved) =>
    makePlan(cases, samples, one, consent, { reserved: kept, access });
  const plan = planFor(target);
  const run = new Run(
    target,
    plan,
    {
      baseUrl,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS_DEFAULT,
      ca: options.ca,
      insecureTls: options.insecureTls,
      signal: options.signal,
      maxRate: options.maxRate,
      consent,
      access,
    },
    world,
  );
  const begun = { at: new Date(world.wallNow()), ms: world.now() };
  try {
    const isPart = !consent || (options.only ?? []).length > 0;
    const { wrong, spent } = await prepare(run, isPart, (one) =>
      planFor(one, consent ? reserved : reservedIn(one, target, reserved)),
    );
    if (wrong) return withoutCases(run, requirements, wrong, begun);
    options.onBudget?.(run.plan.budget, cases.length);
    for (const note of spent) options.onNote?.(note);
    const result = await runAll(cases, run, options, { known, begun });
    return {
      ...result,
      notes: [...spent, ...result.notes].map((note) => run.redactor.redact(note)),
    };
  } finally {
    await run.spareKeys.restore();
    run.close();
    if (access instanceof AdminAccess) access.close();
  }
}

/** @throws CheckUsageError for both ways at once, or for a token that would be readable on the way */
function accessOf(options: CheckOptions, baseUrl: URL, world: World): KeyAccess {
  const { token, keyHooks, ca, insecureTls } = options;
  if (token === undefined) return { hooks: keyHooks ?? {} };
  if (keyHooks !== undefined)
    throw new CheckUsageError('--hook and --token cannot be combined: give one of them.');
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS_DEFAULT;
  // without the signal: what was changed is put back also when the run is stopped
  return new AdminAccess(token, { baseUrl, timeoutMs, ca, insecureTls }, world);
}

/** The shared answers that these cases judge. */
function samplesOf(cases: readonly CheckCase[]): Sample[] {
  const names = cases.flatMap(cellsOf).flatMap(({ samples = [] }) => samples);
  return [...new Set(names)].map(sampleNamed);
}

interface Beginning {
  readonly known: readonly KnownDeviation[];
  /** When the first request was sent; `ms` on the steady clock of the run. */
  readonly begun: { readonly at: Date; readonly ms: number };
}

async function runAll(
  cases: readonly CheckCase[],
  run: Run,
  options: CheckOptions,
  { known, begun }: Beginning,
): Promise<CheckResult> {
  const judged = new Map<CheckCase, JudgedCase>();
  const finish = (one: JudgedCase) => {
    judged.set(one.one, one);
    options.onProgress?.(resultOf(one), judged.size, cases.length);
  };
  const concurrency = options.concurrency ?? CONCURRENCY_DEFAULT;
  const phase = (name: CheckCase['phase']) => cases.filter((one) => (one.phase ?? 'scan') === name);
  await runSome(phase('scan'), concurrency, run, finish);
  await runSome(phase('key-changes'), 1, run, finish);
  const problems = await run.spareKeys.restore();
  await runSome(phase('review'), concurrency, run, finish);
  await runSome(phase('rate-limits'), 1, run, finish);
  const judgedInOrder = () =>
    cases.map((one) => judged.get(one)).filter((one) => one !== undefined);
  await askAgain(judgedInOrder(), run);
  const isWhole = (options.only ?? []).length === 0;
  if (cases.some(isCatchAll)) await lookAgain(run, options.rateLimits === true && isWhole);
  run.isExplained = explainedBy(judgedInOrder(), run.answers, rulesOf(CASES));
  await runSome(phase('every-answer'), concurrency, run, finish);
  const ordered = judgedInOrder();
  const left = leftOut(options);
  const results = withRoots(ordered, run.answers, rulesOf(CASES)).map(resultOf);
  const { verdict, totals, findings, stale, cases: marked } = conclusionOf(results, known, NET);
  return {
    target: run.baseUrl.href,
    verdict,
    requirements: options.requirements ?? NEWEST_SET,
    totals,
    findings,
    startedAt: begun.at.toISOString(),
    durationMs: Math.round(run.clock.now() - begun.ms),
    requests: run.exchanges.length,
    budget: run.plan.budget,
    usesGranted: usesGranted(run),
    notes: [
      ...run.limited.notes(),
      ...noteOn(left),
      ...noteOnTls(run.baseUrl, options),
      ...problems,
    ].map((note) => run.redactor.redact(note)),
    ...chosenOf(options, marked.length),
    leftOut: left,
    stale,
    ...(run.ownFaults.length > 0
      ? { ownFaults: run.ownFaults.map((fault) => run.redactor.redact(fault)) }
      : {}),
    ...(run.gone ? { brokenOff: run.redactor.redact(run.gone.message) } : {}),
    cases: marked,
  };
}

/** The probes show that no case could say more. */
function withoutCases(
  run: Run,
  requirements: string,
  wrong: Preflight,
  begun: Beginning['begun'],
): CheckResult {
  return {
    target: run.baseUrl.href,
    verdict: 'incomplete',
    requirements,
    totals: totalsOf([]),
    findings: [],
    preflight: wrong,
    startedAt: begun.at.toISOString(),
    durationMs: Math.round(run.clock.now() - begun.ms),
    requests: run.exchanges.length,
    budget: { uses: 0, byKind: [] },
    usesGranted: 0,
    notes: [],
    leftOut: [],
    stale: [],
    cases: [],
  };
}

/** Asks what shows that no case could say more, and leaves out the tickets that were used before. */
async function prepare(
  run: Run,
  isPart: boolean,
  planFor: (target: Target) => Plan,
): Promise<{ wrong: Preflight | undefined; spent: readonly string[] }> {
  await firstRequest(run);
  const wrong = (await preflight(run)) ?? (await mistakenKeys(run));
  if (wrong) return { wrong, spent: [] };
  const spent = await leaveOutSpent(run, isPart, planFor);
  return { wrong: ticketsOfAnother(run) ?? (await mistakenTickets(run)), spent };
}

/** Sees whether the service answers. */
async function firstRequest(run: Run): Promise<void> {
  try {
    await run.firstRequest();
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    throw new UnreachableError(`${run.baseUrl.origin} cannot be checked: ${error.ending}`, {
      cause: error,
    });
  }
}

/** Asks the questions of these cases, so many at a time. */
async function runSome(
  cases: readonly CheckCase[],
  concurrency: number,
  run: Run,
  finish: (judged: JudgedCase) => void,
): Promise<void> {
  const questions = cases.flatMap((one) => {
    const cells = cellsOf(one);
    const found: CellResult[] = [];
    const startedAt = run.clock.now();
    return cells.map((cell, at) => async () => {
      found[at] = await judge(cell, run);
      if (Object.keys(found).length === cells.length)
        finish({ one, cells: found, durationMs: run.clock.now() - startedAt });
    });
  });
  const queue = questions.values();
  const worker = async () => {
    for (const ask of queue) await ask();
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
}

/** What was never answered is asked again at the end; what is not answered then either has failed. */
async function askAgain(judged: readonly JudgedCase[], run: Run): Promise<void> {
  const silent = judged.flatMap(({ cells }) =>
    cells.map((cell, at) => ({ cells: cells as CellResult[], cell, at })),
  );
  const answered = new Map<string, Promise<boolean>>();
  await Promise.all(
    silent.map(async ({ cells, cell, at }) => {
      if (cell.outcome !== 'unanswered' || !cell.silent || run.gone) return;
      const text = JSON.stringify(cell.silent);
      const again = answered.get(text) ?? run.isAnsweredNow(cell.silent);
      answered.set(text, again);
      if (!(await again)) cells[at] = neverAnswered(cell, run);
    }),
  );
}

/** The cases that compare every answer. */
const NET = new Set(CASES.filter(isCatchAll).map(({ id }) => id));

/** The rules on every answer, which may explain why a case failed. */
function rulesOf(cases: readonly CheckCase[]): AnswerRule[] {
  // what a 5xx says, and in which form, explains less than the 5xx
  const isLater = ({ id }: CheckCase) => Number(id !== '7.1/no-server-errors');
  return cases
    .toSorted((a, b) => isLater(a) - isLater(b))
    .flatMap((one) => {
      const endpoints = cellsOf(one).flatMap(({ endpoint }) => endpoint ?? []);
      return one.rule ? [{ id: one.id, endpoints, wrong: one.rule }] : [];
    });
}

function usesGranted(run: Run): number {
  return run.exchanges.filter(
    ({ request, answer }) => mayTakeUse(request) && read(answer).outcome === 'granted',
  ).length;
}

function leftOut(options: CheckOptions): LeftOut[] {
  if (options.rateLimits || (options.only ?? []).length > 0) return [];
  return CASES.filter((one) => one.phase === 'rate-limits').map((one) => {
    const asked = cellsOf(one).map(({ endpoint }) => endpoint);
    const endpoints = ENDPOINTS.filter((endpoint) => asked.includes(endpoint));
    return { id: one.id, endpoints, reason: 'it exceeds the limits on purpose: add --rate-limits' };
  });
}

function noteOn(left: readonly LeftOut[]): string[] {
  if (left.length === 0) return [];
  return [`${left.length} rate-limit cases were left out; --rate-limits runs them.`];
}

function noteOnTls({ protocol }: URL, { insecureTls }: CheckOptions): string[] {
  if (protocol !== 'https:' || !insecureTls) return [];
  return ['The TLS certificate was not verified (--insecure-tls).'];
}

/** What a chosen part keeps says little about the rest. */
function chosenOf(
  { only = [], skip = [] }: CheckOptions,
  cases: number,
): Pick<CheckResult, 'chosen'> {
  return only.length + skip.length === 0 ? {} : { chosen: { cases, of: CASES.length } };
}
