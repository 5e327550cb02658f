import { expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { LONG_CASES } from './found.ts';
import { startServer } from './reference/server.ts';
import { makeWorld, type Ticket } from './reference/world.ts';

const HOLDER = { firstName: 'Ada', lastName: 'Lovelace' };
const CARD = { type: 'multi', usesAllowed: 10 } as const;
const CARD_IN_USE = { ...CARD, usesConsumed: 3 };
const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

type World = ReturnType<typeof makeWorld>;
type Kind = keyof World['target']['tickets'];

/** What a target page leaves open about the tickets of each list: a right server has them otherwise than the sample. */
const UNUSUAL: Readonly<Partial<Record<Kind, Partial<Ticket>>>> = {
  otherEvent: { ...CARD, holder: HOLDER },
  personalised: { ...CARD, validUntil: hour(24) },
  windowed: { ...CARD, holder: HOLDER },
  openEnd: CARD,
  openStart: { ...CARD, holder: HOLDER },
  exhausted: { ...CARD, usesConsumed: 10, holder: HOLDER },
  cancelled: { ...CARD_IN_USE, holder: HOLDER },
  notYetValid: { ...CARD, holder: HOLDER },
  expired: { ...CARD_IN_USE, holder: HOLDER },
  otherEventCancelled: CARD,
  otherEventExpired: CARD_IN_USE,
  otherOrganisation: CARD,
  single: { validUntil: hour(24) },
  multi: { usesAllowed: 9, holder: HOLDER },
};

function unusualWorld(): World {
  const made = makeWorld();
  for (const [kind, change] of Object.entries(UNUSUAL))
    for (const { code } of made.target.tickets[kind as Kind]) {
      const ticket = made.world.tickets.get(code.split('.')[1] ?? '');
      if (ticket) Object.assign(ticket, change);
    }
  // not the first one that a run looks at: it is not left out as used before
  const inUse = made.world.tickets.get(made.target.tickets.otherEvent[1]?.ticketId ?? '');
  if (inUse) inUse.usesConsumed = 3;
  return made;
}

/** The target with all that is known of a ticket, or with its code alone. */
function targetOf({ world, target }: World, isKnown: boolean) {
  const lists = Object.entries(target.tickets).map(([kind, list]) => [
    kind,
    list.map(({ code, ...more }) => {
      const ticket = world.tickets.get(code.split('.')[1] ?? '');
      // a code alone says that single tickets and cards have neither a holder nor a window
      if (!ticket || !(isKnown || ['single', 'multi', 'windowed'].includes(kind)))
        return { code, ...('inScope' in more ? { inScope: true } : {}) };
      const { id: ticketId, usesAllowed, holder, validFrom, validUntil } = ticket;
      return { code, ticketId, usesAllowed, validFrom, validUntil, ...(holder && { holder }) };
    }),
  ]);
  return { ...target, tickets: Object.fromEntries(lists) };
}

test.each([
  ['says all about them', true],
  ['says the codes', false],
])(
  'tickets of other kinds than usual accuse no right server, where the target %s',
  async (_, isKnown) => {
    const made = unusualWorld();
    const server = await startServer({ world: made });
    const { baseUrl, keyHooks } = server;
    const target = targetOf(made, isKnown);
    const options = { baseUrl, target, keyHooks, consume: true, maxRate: 5000 };
    const result = await check({ ...options, skip: [...LONG_CASES] }).finally(server.close);
    expect(result.preflight).toBeUndefined();
    expect(result.findings.map(({ id, observed }) => [id, observed])).toEqual([]);
    const open = result.cases.flatMap(({ id, notAsked }) =>
      notAsked.filter(({ optional }) => !optional).map(({ reason }) => `${id}: ${reason}`),
    );
    expect(open).toEqual([]);
  },
);
