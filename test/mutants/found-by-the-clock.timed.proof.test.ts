import { expectFound } from './expect-found.ts';
import { faultsByTheClock } from './selection.ts';

expectFound(faultsByTheClock());
