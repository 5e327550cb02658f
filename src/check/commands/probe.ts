import {
  type CheckOptions,
  CheckUsageError,
  check,
  exitCodeOf,
  readTarget,
  type Target,
  type TicketKind,
  UnreachableError,
} from '../index.ts';

/** What a monitor found. */
export interface Probe {
  readonly at: string;
  readonly result: 'good' | 'deviates' | 'unreachable';
  readonly target: string;
  readonly durationMs: number;
  readonly passed: number;
  /** Cases that failed, with what was seen. */
  readonly failed: readonly ProbeFinding[];
  /** Cases of which the server shows something else than the specification's samples. */
  readonly warned: readonly ProbeFinding[];
  /** Cases that could not be asked, with the reason. */
  readonly skipped: readonly ProbeFinding[];
  /** Why the server could not be reached. */
  readonly error?: string;
}

interface ProbeFinding {
  readonly id: string;
  readonly observed: string;
}

export interface ProbeOptions
  extends Pick<CheckOptions, 'baseUrl' | 'timeoutMs' | 'insecureHttp' | 'insecureTls' | 'ca'> {
  readonly target: NonNullable<CheckOptions['target']>;
  readonly signal: AbortSignal;
}

/** Those first that nobody is likely to use up. */
const GOOD_KINDS: readonly (readonly [TicketKind, string])[] = [
  ['permanent', 'permanent'],
  ['hundred', 'hundred'],
  ['multi', 'multi'],
  ['openEnd', 'open-end'],
  ['single', 'single'],
  ['personalised', 'personalised'],
  ['windowed', 'windowed'],
];

/**
 * Asks a service a few questions that take no use.
 * @throws CheckUsageError for a target without a key or an address
 */
export async function probe(options: ProbeOptions): Promise<Probe> {
  const beganAt = performance.now();
  const at = new Date().toISOString();
  const target = readTarget(options.target);
  const where = String(options.baseUrl ?? target.baseUrl ?? '');
  const none = { passed: 0, failed: [], warned: [], skipped: [] };
  const took = () => Math.round(performance.now() - beganAt);
  try {
    const result = await check({ ...options, consume: false, only: questions(target, where) });
    const ended = (outcome: string) =>
      result.cases
        .filter((one) => one.outcome === outcome)
        .map(({ id, observed, reason }) => ({ id, observed: observed ?? reason ?? '' }));
    const found = {
      passed: result.totals.passed,
      failed: ended('failed'),
      warned: ended('warned'),
      skipped: ended('skipped'),
    };
    const base = { at, target: result.target, durationMs: took(), ...found };
    if (result.brokenOff !== undefined) {
      return { ...base, result: 'unreachable', error: result.brokenOff };
    }
    const isGood = exitCodeOf(result) === 0 && found.passed > 0;
    return { ...base, result: isGood ? 'good' : 'deviates' };
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    const durationMs = took();
    return { at, result: 'unreachable', target: where, durationMs, ...none, error: error.message };
  }
}

/** The cases that a target can be asked. @throws CheckUsageError when there is none */
function questions({ keys, tickets }: Target, where: string): string[] {
  const good = GOOD_KINDS.find(([kind]) => (tickets[kind] ?? []).length > 0)?.[1];
  const isHttps = where.startsWith('https:');
  const cases = [
    ...(keys.rest && good ? [`4.1/${good}-validated`] : []),
    ...(keys.rest && good ? ['2.2/forged-signature-last-letter@validate'] : []),
    ...(keys.hardware && good ? [`4.4/${good}-granted`] : []),
    ...(keys.hardware ? ['4.5/answers'] : []),
  ];
  if (cases.length === 0) {
    throw new CheckUsageError(
      'A probe needs keys.hardware in the target file, or keys.rest and a good ticket such as tickets.permanent.',
    );
  }
  return isHttps ? [...cases, '1/certificate-lasts'] : cases;
}

/** 0 good, 1 wrong answers, 3 unreachable. */
export function exitCodeOfProbe({ result }: Pick<Probe, 'result'>): 0 | 1 | 3 {
  return ({ good: 0, deviates: 1, unreachable: 3 } as const)[result];
}

/** One line for people. */
export function probeLine({ at, result, target, durationMs, error, ...found }: Probe): string {
  const named = (word: string, findings: readonly ProbeFinding[]) =>
    findings.map(({ id, observed }) => `${word} ${id}: ${observed}`);
  const parts = [
    ...(error === undefined ? [] : [error]),
    ...named('failed', found.failed),
    ...named('warning', found.warned),
    ...named('not asked', found.skipped),
  ];
  const about = parts.length === 0 ? '' : `; ${parts.join('; ')}`;
  return `${at}  ${result.padEnd(11)}  ${target}  ${found.passed} passed, ${durationMs} ms${about}`;
}
