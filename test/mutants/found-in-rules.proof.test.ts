import { expectFound } from './expect-found.ts';
import { checkedFaults } from './selection.ts';

const all = checkedFaults();

expectFound(all.slice(all.length / 2));
