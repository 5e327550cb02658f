import * as z from 'zod';
import type { WebhookEvent } from '../../core/administrative-records.ts';
import { Time } from '../../core/records.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { type Stored, typedRecords } from '../typed-records.ts';

export type MessageType = WebhookEvent | 'webhook.test' | 'webhook.gap';

/** A key or an event; its name is null when it is gone. */
type Named = { readonly id: string; readonly name: string | null };

export type ScanData = {
  /** The number of the log entry. */
  readonly sequence: number;
  readonly operation: string;
  /** The reason of a rejected ticket, else the status. */
  readonly outcome: string;
  readonly direction: 'in' | 'out' | null;
  readonly ticketId: string | null;
  readonly usesConsumed: number | null;
  readonly event: Named | null;
  readonly key: Named;
  /** The name is the one that people gave to the device; null for none. */
  readonly gate: {
    readonly name: string | null;
    readonly serial: string | null;
    readonly reader: string | null;
  };
};

export type DeviceData = {
  readonly key: Named;
  readonly gate: { readonly name: string | null; readonly serial: string; readonly model: string };
  /** ISO 8601. */
  readonly lastHeartbeatAt: string;
};

export type QuotaData = {
  readonly key: Named;
  /** The share of its month that the key has used: 80 or 95. */
  readonly percent: number;
  readonly requestsInMonth: number;
  readonly quotaPerMonth: number;
  /** When it will be used up at this pace, ISO 8601; null if that is unknown. */
  readonly usedUpAt: string | null;
};

export type DenialsData = {
  readonly key: Named;
  readonly gate: { readonly name: string | null; readonly serial: string | null };
  readonly denied: number;
  readonly granted: number;
  /** The length of the period, in minutes. */
  readonly minutes: number;
};

export type GapData = {
  /** Entries of these numbers, at most; null where it is unknown. */
  readonly fromSequence: number | null;
  readonly toSequence: number | null;
  readonly reason: 'pruned' | 'log_replaced';
  /** How many other messages are missing too. */
  readonly notices: number;
};

/** The data of a message: ids, names, outcomes, counts and times, but never a code, a key or a holder. */
type MessageData = {
  readonly 'scan.granted': ScanData;
  readonly 'scan.denied': ScanData;
  readonly 'device.offline': DeviceData;
  readonly 'device.online': DeviceData;
  readonly 'quota.warning': QuotaData;
  readonly 'denials.many': DenialsData;
  readonly 'webhook.gap': GapData;
  readonly 'webhook.test': { readonly webhookId: string };
};

/** The body of a message. */
export type WebhookBody = {
  [Type in MessageType]: {
    readonly type: Type;
    /** When it happened, ISO 8601 in UTC. */
    readonly timestamp: string;
    readonly data: MessageData[Type];
  };
}[MessageType];

export const WEBHOOKS_PER_ORGANISATION_MAX = 10;

/** Signs messages (Standard Webhooks): `whsec_` and 32 random bytes in Base64. */
export interface WebhookSecret {
  readonly value: string;
  /** An earlier secret signs until then, in addition to the current one; null for the current one. */
  readonly until: number | null;
}

/** The settings of a webhook. They are stored as record `webhook` under its id. */
export interface WebhookRecord {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** False while it is paused; what happens meanwhile is delivered later. */
  readonly active: boolean;
  /** The current one first. */
  readonly secrets: readonly WebhookSecret[];
  readonly createdAt: number;
  /** When it was created or last enabled: an earlier switch-off no longer counts. */
  readonly enabledAt: number;
  /** Deliveries begin after this entry of the scan log. */
  readonly startAfter: number;
  /** And after this notice. */
  readonly startAfterNotice: number;
  /** The latest tests, newest first; missing before the first. Not in the progress, which the process that delivers alone writes. */
  readonly tests?: readonly WebhookDelivery[];
}

/** One attempt, without what was answered. */
export const WebhookDelivery = z
  .object({
    /** The header `webhook-id`; the same in every attempt. */
    id: z.string(),
    type: z.string(),
    at: Time,
    attempt: z.number().int(),
    /** HTTP; null when there was no answer. */
    status: z.number().int().nullable(),
    /** The reason of a failure; null if there was none. */
    error: z.string().nullable(),
    ms: z.number().int(),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

interface Failing {
  readonly since: number;
  readonly attempts: number;
  readonly nextAttemptAt: number;
}

/** The progress of deliveries. Kept as record `webhook-progress`; only the process that delivers writes it. */
export interface WebhookProgress {
  readonly organisationId: string;
  /** The last entry of the scan log that needs no further delivery. */
  readonly afterSequence: number;
  /** The same for notices. */
  readonly afterNotice: number;
  readonly failing: Failing | null;
  readonly switchedOff: { readonly at: number; readonly reason: string } | null;
  readonly delivered: number;
  readonly lastSuccessAt: number | null;
  /** The newest first. */
  readonly deliveries: readonly WebhookDelivery[];
}

/** An event that is not a scan, stored with the state that keeps the next check from finding it again. */
export interface Notice {
  readonly number: number;
  readonly at: number;
  /** The newest log entry at that time: its position among the scans. */
  readonly afterSequence: number;
  readonly type: WebhookEvent;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The notices of one organisation. Kept as record `webhook-notices`, so that a finding and its notice are one write. */
export interface NoticesRecord {
  readonly organisationId: string;
  /** The number of the newest notice; 0 before the first. */
  readonly newest: number;
  readonly notices: readonly Notice[];
  /** Devices that are known to be offline. */
  readonly offline: readonly string[];
  /** The percentage that was reported, by month and key. */
  readonly quota: Readonly<Record<string, number>>;
  /** The time at which many denials were reported, by gate. */
  readonly denials: Readonly<Record<string, number>>;
}

interface ValueOf {
  readonly webhook: WebhookRecord;
  readonly 'webhook-progress': WebhookProgress;
  readonly 'webhook-notices': NoticesRecord;
  /** The one process that delivers; null when no process does. */
  readonly 'webhook-lease': { readonly holder: string | null };
}

export const { read: readStored, list: listStored } = typedRecords<ValueOf>();

/** @throws TicketscanError `conflict` when another process changed it since it was read */
export async function writeStored<Kind extends keyof ValueOf>(
  store: Pick<RecordStore, 'write'>,
  kind: Kind,
  id: string,
  { revision, value }: Stored<ValueOf[Kind]>,
): Promise<Stored<ValueOf[Kind]>> {
  await store.write({ administrative: [{ kind, id, revision, value }], audit: [] });
  return { revision: revision + 1, value };
}
