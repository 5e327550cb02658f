import { TransportFailure, UnreachableError } from '../judging/deviation.ts';
import { readBaseUrl } from '../requests/base-url.ts';
import { refuseToSpend } from '../run/consent.ts';
import {
  CheckUsageError,
  limitsOf,
  readTarget,
  type Target,
  type TargetInput,
  type TargetLimits,
} from '../target/target.ts';
import { Runner } from './run/runner.ts';
import type { Mint } from './run/tickets.ts';

/** Three see whether the service answers; the rest is a short history. */
const BUDGET_MIN = 10;
const TIMEOUT_MS_DEFAULT = 10_000;

/** What every way to send a history needs to know. */
export interface ConnectOptions {
  /** Where the service is; the target's own base address otherwise. */
  readonly baseUrl?: string | URL | undefined;
  readonly target?: TargetInput | undefined;
  /** Allows to spend uses of the target's tickets. Nothing is spent without it. */
  readonly consume?: boolean | undefined;
  /** For one request as a whole. */
  readonly timeoutMs?: number | undefined;
  /** Requests a second at most, over all keys; without it only the limits of each key count. */
  readonly maxRate?: number | undefined;
  /** The limits of a key where they differ from those that the target or section 8 states. */
  readonly limits?: TargetLimits | undefined;
  readonly insecureHttp?: boolean | undefined;
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string | undefined;
  /** Accepts any certificate: for test servers only. */
  readonly insecureTls?: boolean | undefined;
  /** Makes new tickets, so that the target's own last longer. */
  readonly mint?: Mint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A service that is ready to be asked. */
export interface Connected {
  readonly target: Target;
  readonly baseUrl: URL;
  readonly runner: Runner;
}

/** @throws CheckUsageError when the options make no sense */
export function connect(options: ConnectOptions): Connected {
  const target = readTarget(options.target ?? {});
  const baseUrl = readBaseUrl(options.baseUrl ?? target.baseUrl, options.insecureHttp ?? false);
  if (target.keys.rest === undefined && target.keys.hardware === undefined) {
    throw new CheckUsageError(
      'The target has no key "rest" and no key "hardware": one of them is needed.',
    );
  }
  const runner = new Runner({
    baseUrl,
    keys: target.keys,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS_DEFAULT,
    limits: { ...limitsOf(target), ...options.limits },
    maxRate: options.maxRate,
    ca: options.ca,
    insecureTls: options.insecureTls,
    signal: options.signal,
    guard: options.consume ? () => undefined : (request) => refuseToSpend(request, target),
  });
  return { target, baseUrl, runner };
}

/** True for what a run throws that was stopped from outside. */
export function isStop(error: unknown): boolean {
  return error instanceof TransportFailure && error.kind === 'stopped';
}

/** The error to throw: an UnreachableError where the service stopped answering. */
export function unreachableOf(error: unknown, { baseUrl, runner }: Connected): unknown {
  if (!(error instanceof TransportFailure)) return error;
  return new UnreachableError(
    `${baseUrl.origin} stopped answering after ${runner.requests} requests: ${error.message}.`,
    { cause: error },
  );
}

/** @throws CheckUsageError when so few requests make no history */
export function refuseSmallBudget(budget: number): void {
  if (budget < BUDGET_MIN)
    throw new CheckUsageError(`The budget must be at least ${BUDGET_MIN} requests.`);
}
