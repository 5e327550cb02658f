/**
 * What exactly was refused, for programs and for pages in other languages; the message says it in English. Reasons are stable:
 * they are the `code` of an answer of the admin API. Each has a text in every language of the page.
 */
export const ERROR_REASONS = [
  // Names and other fields
  'name_invalid',
  'name_secret',
  'name_taken',
  'unknown_time_zone',
  'unknown_sheet',
  'code_too_small',
  'own_lines',
  'logo_not_png',
  'logo_too_large',
  'logo_damaged',
  // Accounts
  'account_name_spaces',
  'account_name_invisible',
  'account_name_taken',
  'accounts_max',
  'access_tokens_max',
  'last_owner',
  'password_length',
  'password_wrong',
  'own_password',
  'token_role',
  'sign_in_first',
  'role_missing',
  'other_site',
  'session_needed',
  'sign_in_refused',
  'events_of_scanners',
  // Phones
  'pairings_max',
  'phones_max',
  'phone_not_asked',
  'phone_account',
  'pairing_ended',
  'pairing_code',
  // Webhooks
  'webhook_url',
  'webhook_url_parts',
  'webhook_address',
  'webhook_events',
  // Keys
  'keys_max',
  'keys_max_raisable',
  'limits_of_operator',
  'owners_keys_max',
  'no_overlap',
  'open_seconds',
  'event_elsewhere',
  'no_event_chosen',
  'readers_invalid',
  'device_unknown',
  'expiry_past',
  // Tickets
  'uses_fixed',
  'uses_missing',
  'uses_range',
  'holder_name',
  'window_reversed',
  'time_range',
  'time_form',
  'time_missing',
  'kind_unknown',
  'uses_number',
  'tickets_taken',
  'uses_below_consumed',
  'ticket_used',
  'replace_cancelled',
  'ticket_replaced',
  'undo_reason',
  'undo_no_use',
  'undo_twice',
  'log_entry_missing',
  // Lists
  'list_type',
  'list_too_large',
  'list_line_too_long',
  'list_lines_max',
  'list_encoding',
  'list_refused',
  'list_empty',
  'list_columns',
  'list_no_ids',
  'column_unknown',
  'column_twice',
  'column_missing',
  'row_cells',
  'row_quote_open',
  'row_quote_end',
  'row_not_json',
  'row_value',
  'row_future',
  'row_ticket_id',
  'row_other_event',
  'row_code',
  'row_batch',
  'row_consumed',
  'row_twice',
  'rows_max',
  'row_unknown_event',
  'row_existing',
  // Statistics
  'day_invalid',
  'period_reversed',
  'period_too_long',
  // Others
  'event_not_empty',
  'changed_meanwhile',
  'no_logo',
] as const;

export type ErrorReason = (typeof ERROR_REASONS)[number];

/** What the text for a reason fills in. */
export type ErrorValues = Readonly<Record<string, string | number>>;

/** Why something was refused, beside the English message. */
export interface Explanation {
  readonly reason?: ErrorReason | undefined;
  readonly values?: ErrorValues | undefined;
}
