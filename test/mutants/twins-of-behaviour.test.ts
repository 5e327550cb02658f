import { expectEveryTwinCaught } from './expect-caught.ts';
import {
  EASILY_MISSED_TWINS,
  ENDPOINT_TWINS,
  ERROR_TWINS,
  KEY_TWINS,
  METHOD_TWINS,
  MISPLACED_KEY_TWINS,
  STATE_TWINS,
} from './twins/index.ts';

expectEveryTwinCaught([
  ...STATE_TWINS,
  ...METHOD_TWINS,
  ...ENDPOINT_TWINS,
  ...KEY_TWINS,
  ...MISPLACED_KEY_TWINS,
  ...ERROR_TWINS,
  ...EASILY_MISSED_TWINS,
]);
