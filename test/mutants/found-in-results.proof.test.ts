import { expectFound } from './expect-found.ts';
import { FAULTY } from './found.ts';

expectFound(FAULTY.slice(0, FAULTY.length / 2));
