import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '../../core/administrative-records.ts';
import { isoTime } from '../../core/clock.ts';
import type { DeviceNames } from '../../core/gate-name.ts';
import type { ApiKeyRecord, EventRecord, LogEntry } from '../../core/records.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { LogGap } from '../../stores/log-search.ts';
import type { Send } from './network.ts';
import type {
  GapData,
  MessageType,
  Notice,
  ScanData,
  WebhookBody,
  WebhookDelivery,
  WebhookRecord,
  WebhookSecret,
} from './webhook-records.ts';

/** A message for an endpoint. */
export interface Message {
  /** The same in every attempt and after a restart: receivers ignore an id that they have. */
  readonly id: string;
  readonly type: MessageType;
  /** When it happened, milliseconds since 1970 UTC. */
  readonly at: number;
  /** Ids, names, outcomes, counts and times; never a code, a key or a holder. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Names at the time of delivery. */
export interface Names {
  readonly events: ReadonlyMap<string, Pick<EventRecord, 'id' | 'name'>>;
  readonly keys: ReadonlyMap<string, Pick<ApiKeyRecord, 'id' | 'name'>>;
  readonly devices: DeviceNames;
}

const ID_PREFIX = 'msg_';

/** The event of a log entry; undefined for a validate, and for a repeated answer, which was reported before. */
export function eventOfEntry({
  operation,
  replayed,
  status,
  done,
}: LogEntry): WebhookEvent | undefined {
  if (operation !== 'consume' || replayed) return undefined;
  return status === 'consumed' || done !== undefined ? 'scan.granted' : 'scan.denied';
}

/** The message about a scan. @param type as `eventOfEntry` names it */
export function scanMessage(
  webhookId: string,
  type: WebhookEvent,
  entry: LogEntry,
  names: Names,
): Message {
  const { sequence, at, keyId, serial, reader, operation, status, reason, ticketId } = entry;
  const eventId = ticketId === null ? undefined : eventOfTicketId(ticketId);
  return {
    id: `${ID_PREFIX}${webhookId}_scan_${sequence}`,
    type,
    at,
    data: {
      sequence,
      operation,
      outcome: reason ?? status,
      direction: entry.direction ?? null,
      ticketId,
      usesConsumed: entry.usesConsumed,
      event: eventId === undefined ? null : { id: eventId, name: nameIn(names.events, eventId) },
      key: { id: keyId, name: nameIn(names.keys, keyId) },
      gate: { name: names.devices.of({ keyId, serial }) ?? null, serial, reader },
    } satisfies ScanData,
  };
}

/** The message about something that is not a scan. */
export function noticeMessage(webhookId: string, { number, at, type, data }: Notice): Message {
  return { id: `${ID_PREFIX}${webhookId}_notice_${number}`, type, at, data };
}

/** The entries that can no longer be delivered. */
export interface Gap extends LogGap {
  readonly notices: number;
}

/** The message that reports a gap. */
export function gapMessage(webhookId: string, gap: Gap, at: number): Message {
  const name = [gap.fromSequence ?? 0, gap.toSequence ?? 0, gap.notices].join('_');
  return {
    id: `${ID_PREFIX}${webhookId}_gap_${name}`,
    type: 'webhook.gap',
    at,
    data: { ...gap } satisfies GapData,
  };
}

/** The message of the test button. @param name distinguishes the tests of a webhook */
export function testMessage(webhookId: string, name: string, at: number): Message {
  const id = `${ID_PREFIX}${webhookId}_test_${name}`;
  return { id, type: 'webhook.test', at, data: { webhookId } };
}

function nameIn(
  records: ReadonlyMap<string, { readonly name: string }>,
  id: string,
): string | null {
  return records.get(id)?.name ?? null;
}

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret, as libraries for Standard Webhooks take it. */
export function makeSecret(random: RandomBytes): string {
  return SECRET_PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64');
}

/** When a message is sent, how often it was sent with this one, and how. */
interface Attempt {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly number: number;
  readonly send: Send;
  readonly signal?: AbortSignal;
}

/** Sends a message once, and tells what came of it. */
export async function attempt(
  { id, type, at: happenedAt, data }: Message,
  { url, secrets }: WebhookRecord,
  { at, number, send, signal = new AbortController().signal }: Attempt,
): Promise<{ readonly delivery: WebhookDelivery; readonly retryAfterMs: number }> {
  const head: Omit<WebhookBody, 'data'> = { type, timestamp: isoTime(happenedAt) };
  const body = JSON.stringify({ ...head, data });
  const headers = signedHeaders(id, body, secrets, at);
  const { status, error = null, ms, retryAfterMs = 0 } = await send({ url, headers, body }, signal);
  return { delivery: { id, type, at, attempt: number, status, error, ms }, retryAfterMs };
}

/**
 * The headers of a message (Standard Webhooks 1.0), signed with every valid secret, so that a receiver can change over.
 * @param now of this attempt, milliseconds since 1970 UTC
 */
function signedHeaders(
  id: string,
  body: string,
  secrets: readonly WebhookSecret[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets
    .filter(({ until }) => until === null || until > now)
    .map(({ value }) => `v1,${signature(value, `${id}.${timestamp}.${body}`)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function signature(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
