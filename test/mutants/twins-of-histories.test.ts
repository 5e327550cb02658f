import { expectEveryTwinCaught } from './expect-caught.ts';
import { APART_TWINS, COUNTING_TWINS, SCOPED_KEY_TWINS } from './twins/index.ts';

expectEveryTwinCaught([...COUNTING_TWINS, ...APART_TWINS, ...SCOPED_KEY_TWINS]);
