import { randomBytes } from 'node:crypto';
import type { TargetTicket, TicketKind } from '../../../src/check/index.ts';
import { addTicket, type Ticket, type World } from './world.ts';

const DAY_MS = 86_400_000;
const NAMES = ['Ada', 'Björn', 'Chloé', 'Dorota', 'Émile', 'Farida', 'Gökhan', 'Hanna'];

/** Makes new tickets in the reference server's world, each person with a name of their own. */
export function minterOf(world: World): (kind: TicketKind) => Promise<TargetTicket | undefined> {
  let made = 0;
  return async (kind) => {
    const options = WISHES[kind]?.(made);
    if (!options) return undefined;
    made += 1;
    const event = kind === 'otherEvent' ? 'other' : 'main';
    const id = `tkt_${event}${randomBytes(9).toString('hex')}`;
    const { holder } = options;
    return { ...addTicket(world, id, event, options), ...(holder ? { holder } : {}) };
  };
}

const WISHES: Partial<Record<TicketKind, (n: number) => Partial<Ticket>>> = {
  single: () => ({}),
  otherEvent: () => ({}),
  cancelled: () => ({ cancelled: true }),
  notYetValid: () => ({ validFrom: at(2) }),
  expired: () => ({ validUntil: at(-2) }),
  multi: () => ({ type: 'multi', usesAllowed: 5 }),
  permanent: () => ({ type: 'multi', usesAllowed: 9999 }),
  personalised: (n) => ({
    holder: { firstName: `${NAMES[n % NAMES.length]}`, lastName: `Person${n}` },
  }),
  hundred: () => ({ type: 'multi', usesAllowed: 100 }),
  openEnd: () => ({ validFrom: at(-1) }),
  openStart: () => ({ validUntil: at(1) }),
  windowed: () => ({ validFrom: at(-1), validUntil: at(1) }),
};

function at(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}
