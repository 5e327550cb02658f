import { CONNECTION_REFUSALS, type ConnectionRefusal } from '../../kit/refused-connections.ts';
import type { RefusalReason } from '../outcome-names.ts';

const NEW_KEY =
  'Compare the key in the device with the keys of the organisation (ticketscan keys list).';
const OWN_SIGN_IN = 'Sign in again, or make a new access token.';

/** What to do about a refusal that is not one of a connection. */
const OTHER_ADVICE: Readonly<Record<Exclude<RefusalReason, ConnectionRefusal>, string>> = {
  missing_key:
    'Send the key: own software in the header x-api-key, a device as ?key= in its address.',
  repeated_key: 'Send the key once.',
  malformed_key: `It was mistyped or cut. ${NEW_KEY}`,
  unknown_key: NEW_KEY,
  wrong_key_type: 'Give devices a hardware key, and own software an API key.',
  disabled_key: 'Enable the key (ticketscan keys enable), or take it out of the device.',
  deleted_key: 'Give the device a key that exists.',
  rate_limit:
    'Use a separate key for each gate, or raise the limit (ticketscan organisations edit).',
  monthly_quota: 'Raise the quota (ticketscan organisations edit --quota).',
  retry_conflict:
    'Make a new Idempotency-Key for each scan, and repeat it only with the same body.',
  bad_retry_name: 'An Idempotency-Key has 1 to 255 visible ASCII characters.',
  account_refused: OWN_SIGN_IN,
  not_allowed: 'An owner can change the role of the account.',
  too_many_attempts:
    'Wait as long as Retry-After says. If nobody of yours tries to sign in, somebody guesses.',
  busy: 'Ask less at once; try again as Retry-After says.',
  metrics_token: 'Give the scraper the token of --metrics-token-file.',
};

/** What a person can do about a refusal, in one or two sentences. */
export function refusalAdvice(reason: RefusalReason): string {
  if (Object.hasOwn(CONNECTION_REFUSALS, reason)) {
    return CONNECTION_REFUSALS[reason as ConnectionRefusal].advice;
  }
  return OTHER_ADVICE[reason as keyof typeof OTHER_ADVICE];
}
