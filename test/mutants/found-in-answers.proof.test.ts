import { expectFound } from './expect-found.ts';
import { FAULTY } from './faults/index.ts';

expectFound(FAULTY.slice(0, FAULTY.length / 2));
