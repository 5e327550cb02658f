import { hash } from 'node:crypto';
import type { IntegrationType } from '../core/api-key.ts';
import type { Clock } from '../core/clock.ts';
import type { BodyIssue, Operation } from '../core/decision.ts';
import { TicketscanError } from '../core/errors.ts';
import { IDEMPOTENCY_MS, type RateLimit } from '../core/limits.ts';
import type {
  DecidedElsewhere,
  DeviceChanged,
  DeviceContact,
  HeartbeatAnswer,
  KeyRequest,
  Language,
  RateChanged,
  Refusal,
  RetryToken,
  ScanAnswer,
  ScanSubject,
} from '../core/scan-requests.ts';
import { type Keyring, verifyTicketCode } from '../core/ticket-code.ts';
import { withoutSecrets } from '../kit/secrets.ts';
import { keptDeviceText } from '../kit/text.ts';
import { before } from '../stores/deadline.ts';
import type { RecordStore } from '../stores/record-store.ts';
import type { ScanStore } from '../stores/store.ts';
import { CommitQueue, type ScanQueue } from './commit-queue.ts';
import { identifiesDevice } from './devices/device-model.ts';
import { type KeyAccess, KeyCache } from './key-cache.ts';

export interface ScanServiceDeps {
  readonly store: ScanStore & Pick<RecordStore, 'findKeyByHash'>;
  /** Called at every scan, so that a rotated keyring applies at once. */
  readonly keyring: () => Keyring;
  readonly clock: Clock;
  /**
   * A device's repeated post of the same card within this time gets the first answer again; 0 switches it off, which
   * is right wherever the same person may come back.
   */
  readonly deviceRetryWindowMs: number;
  /** Why no scan is to be decided now; undefined while they are. */
  readonly whyNot?: (() => string | undefined) | undefined;
  /** Makes the queue in front of the store; a `CommitQueue` by default. */
  readonly queue?: (onRevision: (revision: number) => void) => ScanQueue;
}

export interface ScanInput {
  readonly key: KeyAccess;
  readonly operation: Operation;
  /** The code as it was read; undefined when the request held none. */
  readonly ticketCode: string | undefined;
  /** The ticket whose identifier a person typed in place of a code: nobody signed it. */
  readonly typed?: { readonly ticketId: string; readonly eventId: string };
  /** Why own software's request held none. */
  readonly issue?: BodyIssue | undefined;
  readonly device?: ScanningDevice;
  readonly retry?: ClientRetry | 'bad_name' | undefined;
  /** What an account may scan, whose scope is in no key. */
  readonly events?: 'all' | readonly string[];
  /** Set when a person chose the ticket, and no code was read. */
  readonly byHand?: true | undefined;
  /** Set at the way out of an account: people are counted out, and no use is taken. */
  readonly direction?: 'out';
  /** How many uses a consume takes, all or none; 1 by default. */
  readonly uses?: number;
  /** When the request came in, on `performance.now()`, where its key may have been waited for; now by default. */
  readonly sinceMs?: number;
}

/** An account that signed in and scans without a key, with its rights in this request. */
export interface ScanningAccount {
  readonly id: string;
  readonly rate: RateLimit;
  readonly events: 'all' | readonly string[];
}

/** A client's `Idempotency-Key` with what it came with. */
export interface ClientRetry {
  readonly name: string;
  /** Undefined when it is longer than any scan. */
  readonly body: Uint8Array | undefined;
  readonly language: Language;
}

/** The data by which a device identifies itself, not shortened. */
export interface ScanningDevice {
  /** The model that it was taken for: devices of two models may have the same serial. */
  readonly model: string;
  readonly serial: string | null;
  readonly reader: string | null;
  /** Set where serial and reader do not distinguish devices. */
  readonly sharesSerial?: true;
}

/** The key of a device's request has another device file by now. Nothing was decided: find the key again and read the request again. */
export class DeviceFileChanged extends Error {}

/** A scan is not to be decided here, or not now: no use was taken. */
export class NotDecidedError extends TicketscanError {
  constructor(why: string) {
    super('conflict', why);
  }
}

function elsewhere({ eventId, where }: DecidedElsewhere): NotDecidedError {
  return new NotDecidedError(
    `Event ${eventId} has its home at ${where}: its scans are decided there, and nowhere else.`,
  );
}

/** Leads from a key and a code to a durable decision: key, limits, signature, then the store (ADR 0003 has the order). */
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

  /** Why no scan is decided now; undefined while they are. */
  get whyNot(): string | undefined {
    return this.#deps.whyNot?.();
  }

  /**
   * The key with this value, if it is active and of that type (section 5). A promise only when it must be looked up: it rejects when
   * a scan that came in at `sinceMs` is given up.
   */
  findKey(
    value: string,
    type: IntegrationType,
    sinceMs = performance.now(),
  ): KeyAccess | undefined | Promise<KeyAccess | undefined> {
    const found = this.#keys.find(value, type);
    const { scanMsMax } = this.#deps.store;
    if (scanMsMax === undefined || !(found instanceof Promise)) return found;
    return before(sinceMs + scanMsMax, found);
  }

  /** The same, when it need not be looked up. */
  knownKey(value: string, type: IntegrationType): KeyAccess | undefined {
    return this.#keys.known(value, type);
  }

  /**
   * Decides one scan. Resolves when the answer is durable.
   * Rejects when its outcome is unknown: a use may or may not be registered, so the gate must stay closed.
   * @throws DeviceFileChanged when a device's request was read by a file that its key no longer has; NotDecidedError for an event that has
   *   its home elsewhere, and while the gates of a site stand still
   */
  scan(input: ScanInput): Promise<ScanAnswer> {
    const why = this.whyNot;
    if (why !== undefined) return Promise.reject(new NotDecidedError(why));
    const asked = (caller: KeyRequest) => ({
      kind: 'scan' as const,
      ...caller,
      operation: input.operation,
      subject: this.#subjectOf(input),
      serial: keptText(input.device?.serial),
      reader: keptText(input.device?.reader),
      retry: this.#retryOf(input, caller.now),
      ...(input.events !== undefined && { events: input.events }),
      ...(input.byHand && { byHand: true as const }),
      ...(input.direction && { direction: input.direction }),
      ...(input.uses !== undefined && { uses: input.uses }),
    });
    return this.#ask(input.key, (caller) => this.#queue.commit(asked(caller), input.sinceMs));
  }

  /**
   * Scans for an account that the store knows as a scanner, with a bucket of its own; otherwise like `scan`.
   * @param input its device is the paired phone, if there is one
   */
  scanAs(
    { id, rate, events }: ScanningAccount,
    input: Omit<ScanInput, 'key'>,
  ): Promise<ScanAnswer> {
    const bucket = this.#keys.bucketOf(id, rate);
    const door = { relay: 'auto', openSeconds: 0 } as const;
    const key = {
      id,
      type: 'api',
      door,
      bucket,
      rotation: 0,
      until: Number.POSITIVE_INFINITY,
    } as const;
    return this.scan({ ...input, events, key });
  }

  /**
   * Records the heartbeat of a device (section 4.5).
   * @param contact null when the heartbeat could not be read; the key and its rate are asked all the same
   * @throws DeviceFileChanged as `scan` does
   */
  heartbeat(key: KeyAccess, contact: DeviceContact | null): Promise<HeartbeatAnswer> {
    return this.#ask(key, (caller) =>
      this.#queue.commit({ kind: 'heartbeat', ...caller, contact }),
    );
  }

  /** Resolves when every scan that was taken is answered. */
  async drained(): Promise<void> {
    await this.#queue.drained();
  }

  /**
   * Takes a token and asks the store; once more when the limits of the bucket turn out to be others by now.
   * @param commit called only with a token: nothing else is worked out for a request over its rate
   */
  async #ask<Answer extends ScanAnswer | HeartbeatAnswer>(
    key: Pick<KeyAccess, 'id' | 'type' | 'bucket' | 'rotation' | 'device'>,
    commit: (
      caller: KeyRequest,
    ) => Promise<Answer | RateChanged | DeviceChanged | DecidedElsewhere>,
    now = this.#deps.clock.now(),
  ): Promise<Answer | Refusal> {
    const { id: keyId, bucket, rotation } = key;
    const waitMs = bucket.take(this.#deps.clock.monotonicMs());
    const device = key.type === 'hardware' ? { device: key.device ?? '' } : undefined;
    const caller = { keyId, now, rate: bucket.rate, rotation, ...device };
    const asked: Promise<Answer | Refusal | RateChanged | DeviceChanged | DecidedElsewhere> =
      waitMs > 0 ? this.#queue.commit({ kind: 'limited', ...caller, waitMs }) : commit(caller);
    const answer = await asked;
    if (answer.kind === 'device_changed') throw new DeviceFileChanged();
    if (answer.kind === 'elsewhere') throw elsewhere(answer);
    if (answer.kind !== 'rate_changed') return answer;
    const current = this.#keys.bucketOf(keyId, answer.rate);
    return this.#ask({ ...key, bucket: current }, commit, now);
  }

  #subjectOf({ ticketCode, typed, issue, retry }: ScanInput): ScanSubject {
    if (retry === 'bad_name') return { kind: 'bad_retry_name' };
    if (typed) return { kind: 'ticket', ...typed, typed: true };
    if (ticketCode === undefined) return { kind: 'unreadable', ...(issue && { issue }) };
    const verified = verifyTicketCode(ticketCode, this.#deps.keyring());
    if (!verified) return { kind: 'forged', excerpt: excerptOf(ticketCode) };
    const { ticketId, eventId } = verified;
    return { kind: 'ticket', ticketId, eventId };
  }

  #retryOf(input: ScanInput, now: number): RetryToken | null {
    if (input.operation !== 'consume' || input.retry === 'bad_name') return null;
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
function isKnown(device: ScanningDevice | undefined): device is ScanningDevice {
  return device?.serial != null && identifiesDevice(device.serial) && !device.sharesSerial;
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
  return `${withoutSecrets(beginning)}…`;
}
