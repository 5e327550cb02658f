import { proveInThreads } from '../../test/mint/support/prove-in-threads.ts';
import { hasZbar } from '../../test/mint/support/zbar.ts';
import { type Part, SkippedError } from '../part.ts';

const TICKETS = 10_000;

/** Draws random tickets in each form and reads every picture with three readers. */
export const codes: Part = {
  name: 'codes',
  about: `pictures of ${TICKETS} random tickets, each read as its code by three readers`,
  isNightly: true,
  async run({ seed, say }) {
    if (!hasZbar) throw new SkippedError('zbarimg is not installed');
    const told = (tickets: number) => say(`${tickets} of ${TICKETS}`);
    const [first] = await proveInThreads(TICKETS, String(seed), told);
    if (first !== undefined) throw new Error(first);
    return `${TICKETS} tickets, every picture reads as its code`;
  },
};
