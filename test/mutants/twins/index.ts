import { PURPOSE_TWINS } from './1-purpose.ts';
import { FORGED_CODE_TWINS } from './2.2-forged-codes.ts';
import { TICKET_TWINS } from './2.2-tickets.ts';
import { RESULT_TWINS } from './2.3-results.ts';
import { DEVICE_TWINS } from './2.4-devices.ts';
import { METHOD_TWINS, STATE_TWINS } from './3-states.ts';
import { ENDPOINT_TWINS } from './4-endpoints.ts';
import { KEY_TWINS } from './5-keys.ts';
import { MISPLACED_KEY_TWINS } from './5-misplaced-keys.ts';
import { ERROR_TWINS } from './7-errors.ts';
import { COUNTING_TWINS } from './counting.ts';
import { EASILY_MISSED_TWINS } from './easily-missed.ts';
import { KIND_TWINS } from './kinds.ts';
import { APART_TWINS } from './requests-apart.ts';
import { SCOPED_KEY_TWINS } from './scoped-keys.ts';
import type { Twin } from './twin.ts';

/** Every faulty twin but those of the rate limits, which take their time. */
export const TWINS: readonly Twin[] = [
  ...PURPOSE_TWINS,
  ...TICKET_TWINS,
  ...FORGED_CODE_TWINS,
  ...RESULT_TWINS,
  ...DEVICE_TWINS,
  ...STATE_TWINS,
  ...METHOD_TWINS,
  ...ENDPOINT_TWINS,
  ...KEY_TWINS,
  ...MISPLACED_KEY_TWINS,
  ...ERROR_TWINS,
  ...KIND_TWINS,
  ...COUNTING_TWINS,
  ...APART_TWINS,
  ...SCOPED_KEY_TWINS,
  ...EASILY_MISSED_TWINS,
];
