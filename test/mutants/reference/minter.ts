import { randomBytes } from 'node:crypto';
import type { TargetTicket, TicketKind } from '../../../src/check/index.ts';
import { addTicket, type Ticket, type World } from './world.ts';

const DAY_MS = 86_400_000;
const NAMES = ['Ada', 'Björn', 'Chloé', 'Dorota', 'Émile', 'Farida', 'Gökhan', 'Hanna'];

/** Makes new tickets in the reference server's world, each person with a name of their own. */
export function minterOf(world: World): (kind: TicketKind) => Promise<TargetTicket | undefined> {
  let made = 0;
  return async (kind) => {
    const at = (days: number) => new Date(world.clock.wallNow() + days * DAY_MS).toISOString();
    const options = WISHES[kind]?.(made, at);
    if (!options) return undefined;
    made += 1;
    const event = kind === 'otherEvent' ? 'other' : 'main';
    const id = `tkt_${event}${randomBytes(9).toString('hex')}`;
    const { holder } = options;
    return { ...addTicket(world, id, event, options), ...(holder ? { holder } : {}) };
  };
}

/** Each with the how manieth it is, and the moment that is so many days from now. */
const WISHES: Partial<
  Record<TicketKind, (n: number, at: (days: number) => string) => Partial<Ticket>>
> = {
  single: () => ({}),
  otherEvent: () => ({}),
  cancelled: () => ({ cancelled: true }),
  notYetValid: (_, at) => ({ validFrom: at(2) }),
  expired: (_, at) => ({ validUntil: at(-2) }),
  multi: () => ({ type: 'multi', usesAllowed: 5 }),
  permanent: () => ({ type: 'multi', usesAllowed: 9999 }),
  personalised: (n) => ({
    holder: { firstName: `${NAMES[n % NAMES.length]}`, lastName: `Person${n}` },
  }),
  hundred: () => ({ type: 'multi', usesAllowed: 100 }),
  openEnd: (_, at) => ({ validFrom: at(-1) }),
  openStart: (_, at) => ({ validUntil: at(1) }),
  windowed: (_, at) => ({ validFrom: at(-1), validUntil: at(1) }),
};
