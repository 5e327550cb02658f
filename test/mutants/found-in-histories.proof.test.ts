import { expectFound } from './expect-found.ts';
import { FAULTY } from './found.ts';

expectFound(FAULTY.slice(FAULTY.length / 2));
