import { expectFound } from './expect-found.ts';
import { FAULTY, todaysPart } from './found.ts';

expectFound(todaysPart(FAULTY.slice(FAULTY.length / 2)));
