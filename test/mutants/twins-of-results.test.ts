import { expectEveryTwinCaught } from './expect-caught.ts';
import {
  DEVICE_TWINS,
  FORGED_CODE_TWINS,
  KIND_TWINS,
  PURPOSE_TWINS,
  RESULT_TWINS,
  TICKET_TWINS,
} from './twins/index.ts';

expectEveryTwinCaught([
  ...PURPOSE_TWINS,
  ...TICKET_TWINS,
  ...FORGED_CODE_TWINS,
  ...RESULT_TWINS,
  ...DEVICE_TWINS,
  ...KIND_TWINS,
]);
