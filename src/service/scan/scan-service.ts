import { hash } from 'node:crypto';
import type { IntegrationType } from '../../core/api-key.ts';
import { type Clock, msUntilNextMonth } from '../../core/clock.ts';
import type { Action, BodyFault } from '../../core/decision.ts';
import type { Keyring } from '../../core/keyring.ts';
import { IDEMPOTENCY_MS } from '../../core/limits.ts';
import type { TokenBucket } from '../../core/rate-limit.ts';
import type {
  DeviceContact,
  Language,
  RetryToken,
  ScanOutcome,
  ScanRequest,
  ScanSubject,
  ToldDecision,
} from '../../core/scan-batch.ts';
import { verifyTicketCode } from '../../core/ticket-code.ts';
import { withoutKeys } from '../../kit/safe-text.ts';
import { keptDeviceText } from '../../kit/utf8.ts';
import type { RecordStore, ScanStore } from '../stores/store.ts';
import { CommitQueue, type ScanQueue } from './commit-queue.ts';
import { type KeyAccess, KeyCache } from './key-cache.ts';

export interface ScanServiceDeps {
  readonly store: ScanStore & Pick<RecordStore, 'findKeyByHash'>;
  /** Asked for at every scan, so that a rotated keyring holds at once. */
  readonly keyring: () => Keyring;
  readonly clock: Clock;
  /**
   * A device's repeated post of the same card within this time gets the first answer again; 0 switches it off, which
   * is right wherever the same person may come back.
   */
  readonly deviceRetryWindowMs: number;
  /** Makes what commits requests to the store; a `CommitQueue` unless somebody wants to look at each request. */
  readonly queue?: (onRevision: (revision: number) => void) => ScanQueue;
}

export interface ScanInput {
  readonly key: KeyAccess;
  readonly action: Action;
  /** As it was read; undefined when the request held none. */
  readonly ticketCode: string | undefined;
  /** Why own software's request held none. */
  readonly fault?: BodyFault | undefined;
  readonly device?: ScanningDevice;
  readonly retry?: ClientRetry | 'bad_name' | undefined;
}

/** A client's `Idempotency-Key` with what it came with. */
export interface ClientRetry {
  readonly name: string;
  /** Undefined when it is longer than any scan. */
  readonly body: Uint8Array | undefined;
  readonly language: Language;
}

/** What a device says of itself, whole. */
export interface ScanningDevice {
  /** The model that it was taken for: devices of two models may have the same serial. */
  readonly model: string;
  readonly serial: string | null;
  readonly reader: string | null;
  /** Set where serial and reader tell no two devices apart. */
  readonly sharesSerial?: true;
}

/** What the edge turns into its own format. */
export type ScanAnswer =
  /** The decision has a language when it was told before. */
  | { readonly kind: 'decided'; readonly decision: ToldDecision }
  | { readonly kind: 'key_refused' }
  | { readonly kind: 'too_many_requests'; readonly retryAfterSeconds: number }
  | { readonly kind: 'retry_conflict' }
  | { readonly kind: 'bad_retry_name' };

const LIMITED = { kind: 'limited' } as const;

/** A request before it has its token; what it is about is worked out only when it gets one. */
interface Asked extends Omit<ScanRequest, 'subject' | 'rate'> {
  readonly subject: () => ScanSubject;
}

/** From a key and a code to a durable decision: key, limits, signature, then the store (ADR 0003 has the order). */
export class ScanService {
  readonly #deps: ScanServiceDeps;
  readonly #keys: KeyCache;
  readonly #queue: ScanQueue;

  constructor(deps: ScanServiceDeps) {
    this.#deps = deps;
    this.#keys = new KeyCache(deps.store, deps.clock);
    const onRevision = (revision: number) => this.#keys.onRevision(revision);
    this.#queue = deps.queue?.(onRevision) ?? new CommitQueue(deps.store, onRevision);
  }

  /** The key with this value, if it is active and of that type (section 5). A promise only when it must be looked up. */
  findKey(
    value: string,
    type: IntegrationType,
  ): KeyAccess | undefined | Promise<KeyAccess | undefined> {
    return this.#keys.find(value, type);
  }

  /**
   * Decides one scan. Resolves when the answer is durable.
   * Rejects when its outcome is unknown: then a use may or may not be registered, and nobody may be let in on it.
   */
  scan(input: ScanInput): Promise<ScanAnswer> {
    const now = this.#deps.clock.now();
    const asked = this.#ask(input.key.bucket, {
      keyId: input.key.id,
      action: input.action,
      subject: () => this.#subjectOf(input),
      now,
      serial: keptText(input.device?.serial),
      reader: keptText(input.device?.reader),
      retry: this.#retryOf(input, now),
    });
    return asked.then((outcome) => answerFrom(outcome, now));
  }

  /**
   * Records that a device is there (section 4.5).
   * @param contact null when the heartbeat could not be read; the key and its rate are asked all the same
   * @returns undefined when the key holds; otherwise why it is refused
   */
  async heartbeat(key: KeyAccess, contact: DeviceContact | null): Promise<ScanAnswer | undefined> {
    const now = this.#deps.clock.now();
    const outcome = await this.#ask(key.bucket, {
      keyId: key.id,
      action: 'validate',
      subject: () => ({ kind: 'heartbeat', contact }),
      now,
      serial: null,
      reader: null,
      retry: null,
    });
    return outcome.kind === 'alive' ? undefined : answerFrom(outcome, now);
  }

  /** Resolves when every scan that was taken is answered. */
  async drained(): Promise<void> {
    await this.#queue.drained();
  }

  /** Takes a token and asks the store; once more when the limits of the bucket turn out to be others by now. */
  async #ask(bucket: TokenBucket, request: Asked): Promise<ScanOutcome> {
    const waitMs = bucket.take(this.#deps.clock.monotonicMs());
    const subject = waitMs > 0 ? LIMITED : request.subject();
    const outcome = await this.#queue.commit({ ...request, subject, rate: bucket.rate });
    if (outcome.kind === 'rate_changed') {
      return this.#ask(this.#keys.bucketOf(request.keyId, outcome.rate), request);
    }
    if (outcome.kind !== 'limited') return outcome;
    return { kind: 'limited', waitMs: Math.max(waitMs, outcome.waitMs ?? 0) };
  }

  #subjectOf({ ticketCode, fault, retry }: ScanInput): ScanSubject {
    if (retry === 'bad_name') return { kind: 'bad_retry_name' };
    if (ticketCode === undefined) return { kind: 'unreadable', ...(fault && { fault }) };
    const verified = verifyTicketCode(ticketCode, this.#deps.keyring());
    if (!verified) return { kind: 'forged', excerpt: excerptOf(ticketCode) };
    return { kind: 'ticket', ticketId: verified.ticketId, eventId: verified.eventId };
  }

  #retryOf(input: ScanInput, now: number): RetryToken | null {
    if (input.action !== 'consume' || input.retry === 'bad_name') return null;
    if (input.retry) return clientToken(input.retry, now);
    const windowMs = this.#deps.deviceRetryWindowMs;
    if (windowMs === 0 || input.ticketCode === undefined || !isKnown(input.device)) return null;
    const { model, serial, reader } = input.device;
    const card = hash('sha256', input.ticketCode, 'hex');
    // Hashed whole: two devices may differ in their last character only.
    const name = `device ${hash('sha256', JSON.stringify([model, serial, reader, card]), 'hex')}`;
    return { name, bodyHash: card, expiresAt: now + windowMs };
  }
}

/** True when the device says which one it is: the cards of two that do not would be taken for repeats of one another. */
/** A serial without a letter or a digit but 0 is a placeholder, which many devices have. */
const SAYS_WHO = /[1-9\p{L}]/u;

function isKnown(device: ScanningDevice | undefined): device is ScanningDevice {
  return device?.serial != null && SAYS_WHO.test(device.serial) && !device.sharesSerial;
}

function keptText(text: string | null | undefined): string | null {
  return text == null ? null : keptDeviceText(text);
}

/** Bodies that are too long are not kept, so they are all one: their answer is the same. */
const TOO_LONG = 'too long';

function clientToken({ name, body, language }: ClientRetry, now: number): RetryToken {
  const bodyHash = body ? hash('sha256', body, 'hex') : TOO_LONG;
  return { name: `client ${name}`, bodyHash, expiresAt: now + IDEMPOTENCY_MS, language };
}

const EXCERPT_CHARACTERS_MAX = 24;

/** Enough of a forged code to recognise it in the log, never the whole of it. */
function excerptOf(ticketCode: string): string {
  const length = Math.min(EXCERPT_CHARACTERS_MAX, Math.floor(ticketCode.length / 2));
  const beginning = ticketCode
    .slice(0, length)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '·');
  return `${withoutKeys(beginning)}…`;
}

function answerFrom(outcome: ScanOutcome, now: number): ScanAnswer {
  switch (outcome.kind) {
    case 'decided':
    case 'key_refused':
    case 'retry_conflict':
    case 'bad_retry_name':
      return outcome;
    case 'limited':
      return { kind: 'too_many_requests', retryAfterSeconds: seconds(outcome.waitMs ?? 0) };
    case 'quota_exceeded':
      return { kind: 'too_many_requests', retryAfterSeconds: seconds(msUntilNextMonth(now)) };
    case 'alive':
    case 'rate_changed':
      throw new Error(`a scan was answered with ${outcome.kind}`);
  }
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
