import { expectFound } from './expect-found.ts';
import { checkedFaults } from './selection.ts';

const all = checkedFaults();

expectFound(all.slice(0, all.length / 2));
