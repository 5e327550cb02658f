import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { pastedEndpoint } from '../kit/base-address.ts';
import { asSentence } from '../kit/failures.ts';
import { proxyFor } from '../kit/proxies.ts';
import {
  type Attempt,
  attemptFrom,
  type FailedAttempt,
  mayHaveTakenUse,
  RetryPolicy,
} from './attempt.ts';
import { errorAfter, ScanError } from './scan-error.ts';
import type { ConsumeResult, Operation, ScanResult, ValidateResult } from './scan-result.ts';
import { type TlsOptions, Transport } from './transport.ts';

const TIMEOUT_MS = 5000;
const TOTAL_TIMEOUT_MS = 20_000;

/** The client's time; tests replace it. */
export interface ClientClock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Where the service is, the key, and how long to wait. */
export interface ScanClientOptions extends TlsOptions {
  /** Address of the service, also with a path: `https://scan.example.org/pool`. */
  readonly baseUrl: string | URL;
  /** A key for own software. Keep it on your server. */
  readonly apiKey: string;
  /**
   * True (default): each consume carries an `Idempotency-Key`, so that repeating it takes one use. False for a service that
   * does not know the header: then a consume is repeated after a 429 only, and for anything else its outcome is unknown.
   */
  readonly idempotent?: boolean;
  /** The time limit of one try, in milliseconds; 5,000 by default. */
  readonly timeoutMs?: number;
  /** The time limit of a call with all its tries and waiting, in milliseconds; 20,000 by default. */
  readonly totalTimeoutMs?: number;
  /** Permits plain HTTP to another machine: the key is readable on the way. */
  readonly insecureHttp?: boolean;
  readonly clock?: ClientClock;
  /** 0 to below 1, for the jitter of waiting times. */
  readonly random?: () => number;
  /** Told before the client waits and tries again. */
  readonly onWait?: (wait: {
    readonly ms: number;
    readonly because: FailedAttempt['kind'];
  }) => void;
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of one consume. */
export interface ConsumeOptions extends CallOptions {
  /** Repeats a call that ended in a `ScanError`, whose `idempotencyKey` it is. Each call makes a new one by default. */
  readonly idempotencyKey?: string | undefined;
}

interface Call {
  readonly operation: Operation;
  readonly ticketCode: string;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks a scan service from own software (sections 4.1, 4.2 and 4.6). Waits and tries again where that cannot take a second
 * use: after a 429 as long as `Retry-After` says, after a 5xx with backoff, once after a lost answer.
 *
 * A result is a decision of the service; open only when `valid` is true. Everything else is a `ScanError`: do not open.
 *
 * @example
 * const client = new ScanClient({ baseUrl: 'https://scan.example.org', apiKey: process.env.SCAN_KEY ?? '' });
 * const result = await client.consume(code);
 * if (result.valid) openGate(); else showMessage(result.message);
 */
export class ScanClient implements AsyncDisposable {
  readonly #base: string;
  readonly #options: ScanClientOptions;
  readonly #clock: ClientClock;
  readonly #transport: Transport;

  /** @throws ScanError `usage` */
  constructor(options: ScanClientOptions) {
    this.#base = checkedBase(options);
    this.#options = options;
    this.#clock = options.clock ?? { now: Date.now, wait: waitFor };
    this.#transport = new Transport(options);
  }

  /** Checks a ticket; takes no use. @throws ScanError */
  validate(ticketCode: string, { signal }: CallOptions = {}): Promise<ValidateResult> {
    const call: Call = { operation: 'validate', ticketCode, idempotencyKey: undefined, signal };
    return this.#call(call, true) as Promise<ValidateResult>;
  }

  /** Checks a ticket and takes one use. @throws ScanError, whose `useTaken` says what is known */
  consume(
    ticketCode: string,
    { signal, idempotencyKey }: ConsumeOptions = {},
  ): Promise<ConsumeResult> {
    const { idempotent = true } = this.#options;
    const name = idempotent ? (idempotencyKey ?? randomUUID()) : undefined;
    const call: Call = { operation: 'consume', ticketCode, idempotencyKey: name, signal };
    return this.#call(call, idempotent) as Promise<ConsumeResult>;
  }

  /** Ends all connections; calls under way end with `no_answer`. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #call(call: Call, mayRepeat: boolean): Promise<ScanResult> {
    const { totalTimeoutMs = TOTAL_TIMEOUT_MS, random = Math.random, onWait } = this.#options;
    const patience = new RetryPolicy(mayRepeat, random);
    const deadline = this.#clock.now() + totalTimeoutMs;
    let mayBeTaken = false;
    if (call.signal?.aborted)
      throw new ScanError('aborted', 'The call was aborted before it started.');
    for (;;) {
      const attempt = await this.#try(call, deadline);
      if (attempt.kind === 'answered') return attempt.result;
      mayBeTaken ||= call.operation === 'consume' && mayHaveTakenUse(attempt);
      const useTaken = mayBeTaken ? 'unknown' : 'no';
      const facts = { useTaken, idempotencyKey: call.idempotencyKey } as const;
      const ms = call.signal?.aborted ? undefined : patience.waitMsAfter(attempt);
      if (ms === undefined || this.#clock.now() + ms >= deadline) {
        throw errorAfter(attempt, facts, new URL(this.#base).origin, call.signal);
      }
      onWait?.({ ms, because: attempt.kind });
      await this.#clock.wait(ms, call.signal).catch((cause: unknown) => {
        throw new ScanError('aborted', 'The call was aborted while waiting.', {
          ...facts,
          cause,
        });
      });
    }
  }

  async #try(call: Call, deadline: number): Promise<Attempt> {
    const { operation, ticketCode, idempotencyKey, signal } = call;
    const { apiKey, timeoutMs = TIMEOUT_MS } = this.#options;
    try {
      const answer = await this.#transport.post({
        url: new URL(`${this.#base}/scan/${operation}`),
        headers: {
          'content-type': 'application/json',
          'x-api-key': apiKey,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify({ ticketCode }),
        timeoutMs: Math.min(timeoutMs, deadline - this.#clock.now()),
        signal,
      });
      return attemptFrom(operation, answer, this.#clock.now());
    } catch (cause) {
      return { kind: 'lost', cause };
    }
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The address without a slash at its end. @throws ScanError `usage` */
function checkedBase({ baseUrl, apiKey, insecureHttp }: ScanClientOptions): string {
  if (!URL.canParse(String(baseUrl))) {
    throw new ScanError('usage', 'baseUrl must be an address such as https://scan.example.org.');
  }
  const { protocol, hostname, origin, pathname } = new URL(baseUrl);
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new ScanError('usage', 'baseUrl must begin with https://.');
  }
  const base = new URL(baseUrl);
  const pasted = pastedEndpoint(base);
  if (pasted !== undefined) throw new ScanError('usage', pasted);
  try {
    proxyFor(base);
  } catch (cause) {
    throw new ScanError(
      'usage',
      asSentence(cause instanceof Error ? cause.message : String(cause)),
      { cause },
    );
  }
  if (protocol === 'http:' && !LOOPBACK.test(hostname) && insecureHttp !== true) {
    throw new ScanError(
      'usage',
      `With http:// others on the network can read the API key on its way to ${hostname}. Use https://.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ScanError('usage', 'apiKey must be the value of an API key, without spaces.');
  }
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

async function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(ms, undefined, signal && { signal });
}
