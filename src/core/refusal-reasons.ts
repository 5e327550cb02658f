/** Why a request was refused before any ticket was looked at: because of its key, or of a limit. In words for a person. */
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
};
export type RefusalReason = keyof typeof REFUSAL_REASONS;
