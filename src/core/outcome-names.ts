import { CONNECTION_REFUSALS, type ConnectionRefusal } from '../kit/refused-connections.ts';

/** How a scan can end (section 2.3). */
export const SCAN_STATUSES = [
  'validated',
  'consumed',
  'exhausted',
  'rejected',
  'not_found',
] as const;

/** What a log entry can say: how a scan ended, or that a use was taken back. */
export const LOG_STATUSES = [...SCAN_STATUSES, 'undone'] as const;

/** Why a code is rejected before any ticket is looked at. */
export const REASONS_OF_A_CODE = [
  'invalid_ticket',
  'event_not_allowed',
  'missing_ticket_code',
] as const;

/** Why a ticket is rejected. */
export const REASONS_OF_A_TICKET = ['ticket_cancelled', 'not_yet_valid', 'expired'] as const;

/**
 * What a way out answers where it keeps somebody inside: it asks for the state of the ticket there, as at an entrance. A way out that opens
 * for those who came in never answers these. Whatever else it refuses, nobody could be counted.
 */
export const DENIALS_AT_AN_EXIT = ['exhausted', ...REASONS_OF_A_TICKET] as const;

/** Why a ticket is not let out at an exit that opens for those who came in. Never on REST. */
export const REASONS_OF_AN_EXIT = ['not_used'] as const;

/** The reasons on the wire (section 2.3). */
export const REJECTION_REASONS = [...REASONS_OF_A_CODE, ...REASONS_OF_A_TICKET] as const;

/** How a request can be refused before there is a decision. */
export const REFUSED_KINDS = [
  'key_refused',
  'limited',
  'quota_exceeded',
  'retry_conflict',
  'bad_retry_name',
] as const;

/** What people tell apart: of rejections, the reasons. */
export const OUTCOME_NAMES = [
  'consumed',
  'validated',
  'exhausted',
  'not_found',
  ...REJECTION_REASONS,
  ...REASONS_OF_AN_EXIT,
] as const;

const CONNECTION_REASONS = Object.fromEntries(
  Object.entries(CONNECTION_REFUSALS).map(([reason, { what }]) => [reason, what]),
) as { readonly [Reason in ConnectionRefusal]: (typeof CONNECTION_REFUSALS)[Reason]['what'] };

/** Why a request of an account, or of a reader of metrics, was refused. In words for a person. */
const REASONS_OF_ACCOUNTS = {
  account_refused: 'no valid session, token or password',
  not_allowed: 'not allowed',
  too_many_attempts: 'too many attempts',
  busy: 'too many waiting',
  metrics_token: 'no valid token for the metrics',
};

/** Counted by the server's edge, also in the metrics: no commit of a store sees them. */
export const EDGE_REASONS = { ...REASONS_OF_ACCOUNTS, ...CONNECTION_REASONS };
export type EdgeReason = keyof typeof EDGE_REASONS;

/** Why a connection or a request was refused before any ticket was looked at. In words for a person. */
export const REFUSAL_REASONS = {
  missing_key: 'no key',
  repeated_key: 'several keys',
  malformed_key: 'mistyped key',
  unknown_key: 'unknown key',
  wrong_key_type: 'key of the other type',
  disabled_key: 'disabled key',
  deleted_key: 'deleted key',
  rate_limit: 'rate limit',
  monthly_quota: 'monthly quota',
  retry_conflict: 'Idempotency-Key of another body',
  bad_retry_name: 'malformed Idempotency-Key',
  ...EDGE_REASONS,
};
export type RefusalReason = keyof typeof REFUSAL_REASONS;
