import { expectFound } from './expect-found.ts';
import { FAULTY, todaysPart } from './found.ts';

expectFound(todaysPart(FAULTY.slice(0, FAULTY.length / 2)));
