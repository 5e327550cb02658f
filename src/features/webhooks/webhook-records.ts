import type { AdministrativeDocument, WebhookEvent } from '../../core/administrative-records.ts';

export type MessageType = WebhookEvent | 'webhook.test' | 'webhook.gap';

export const WEBHOOKS_PER_ORGANISATION_MAX = 10;

/** Signs messages (Standard Webhooks): `whsec_` and 32 random bytes in Base64. */
export interface WebhookSecret {
  readonly value: string;
  /** An earlier secret signs until then, in addition to the current one; null for the current one. */
  readonly until: number | null;
}

/** What people set. Kept as document `webhook` under its id. */
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
}

/** One attempt, without what was answered. */
export interface Delivery {
  /** The header `webhook-id`; the same in every attempt. */
  readonly id: string;
  readonly type: MessageType;
  readonly at: number;
  readonly attempt: number;
  /** HTTP; null when there was no answer. */
  readonly status: number | null;
  /** Why it failed; null when it did not. */
  readonly error: string | null;
  readonly ms: number;
}

export interface Failing {
  readonly since: number;
  readonly attempts: number;
  readonly nextAttemptAt: number;
}

/** The progress of deliveries. Kept as document `webhook-progress`; only the process that delivers writes it. */
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
  readonly deliveries: readonly Delivery[];
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

/** Of one organisation. Kept as document `webhook-notices`, so that a finding and its notice are one write. */
export interface NoticesRecord {
  readonly organisationId: string;
  /** The number of the newest notice; 0 before the first. */
  readonly newest: number;
  readonly notices: readonly Notice[];
  /** Devices that are known to be offline. */
  readonly offline: readonly string[];
  /** By month and key, the percentage that was reported. */
  readonly quota: Readonly<Record<string, number>>;
  /** By gate, when many denials were reported. */
  readonly denials: Readonly<Record<string, number>>;
}

/** The one process that delivers. Kept as document `webhook-lease`. */
export interface LeaseRecord {
  /** Null when no process holds it. */
  readonly holder: string | null;
}

interface ValueOf {
  readonly webhook: WebhookRecord;
  readonly 'webhook-progress': WebhookProgress;
  readonly 'webhook-notices': NoticesRecord;
  readonly 'webhook-lease': LeaseRecord;
}
export type WebhookDocumentKind = keyof ValueOf;

/** A document with the value that its kind has: only this program writes them. */
export interface WebhookDocument<Kind extends WebhookDocumentKind> extends AdministrativeDocument {
  readonly kind: Kind;
  readonly value: ValueOf[Kind];
}

export function webhookDocument<Kind extends WebhookDocumentKind>(
  document: AdministrativeDocument,
): WebhookDocument<Kind> {
  return document as WebhookDocument<Kind>;
}
