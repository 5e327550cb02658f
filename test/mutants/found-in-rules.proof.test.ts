import { expectFound } from './expect-found.ts';
import { FAULTY } from './faults/index.ts';

expectFound(FAULTY.slice(FAULTY.length / 2));
