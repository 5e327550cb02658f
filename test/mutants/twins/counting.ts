import type { Action, Outcome, Parts, Side } from '../reference/parts.ts';
import type { Ticket } from '../reference/world.ts';
import type { Twin } from './twin.ts';

const KINDS = {
  multi: ({ usesAllowed }: Ticket) => usesAllowed === 5,
  hundred: ({ usesAllowed }: Ticket) => usesAllowed === 100,
  personalised: ({ holder }: Ticket) => holder !== undefined,
  windowed: ({ validFrom, validUntil }: Ticket) => validFrom !== null && validUntil !== null,
};
type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];
const CARDS: readonly Kind[] = ['multi', 'hundred'];

/** Tells another ticket than the one that was scanned. */
function telling(
  told: (ticket: Ticket, outcome: Outcome, action: Action, side: Side) => Ticket,
): (parts: Parts) => Partial<Parts> {
  const change = (outcome: Outcome, action: Action, side: Side): Outcome =>
    outcome.ticket
      ? { ...outcome, ticket: told({ ...outcome.ticket }, outcome, action, side) }
      : outcome;
  return (parts) => ({
    restBody: (outcome, action) => parts.restBody(change(outcome, action, 'rest'), action),
    deviceBody: (outcome, action) => parts.deviceBody(change(outcome, action, 'hardware'), action),
  });
}

const withUses = (ticket: Ticket, usesConsumed: number): Ticket => ({
  ...ticket,
  usesConsumed: Math.max(0, Math.min(ticket.usesAllowed, usesConsumed)),
});

/** Counts that are wrong for one kind of ticket. */
function countTwins(kind: Kind): Twin[] {
  const isKind = KINDS[kind];
  const isUse = ({ status, ticket }: Outcome) =>
    status === 'consumed' && ticket !== undefined && isKind(ticket);
  return [
    {
      name: `${kind}-told-and-not-stored`,
      section: '3.2',
      fault: `tells the count of tickets (${kind}) and does not store it`,
      alter: (parts) => ({
        ...telling((ticket, outcome) =>
          isUse(outcome) ? withUses(ticket, ticket.usesConsumed + 1) : ticket,
        )(parts),
        register: (ticket, side, key) =>
          isKind(ticket) ? undefined : parts.register(ticket, side, key),
      }),
    },
    {
      name: `${kind}-count-of-before`,
      section: '3.2',
      fault: `tells the count of before the use (${kind})`,
      alter: telling((ticket, outcome) =>
        isUse(outcome) ? withUses(ticket, ticket.usesConsumed - 1) : ticket,
      ),
    },
    {
      name: `${kind}-old-count-on-validate`,
      section: '3.2',
      fault: `validates with the count of before the last use (${kind})`,
      alter: (parts) => ({
        refuse(ticket, action, side, key) {
          const isOld = action === 'validate' && isKind(ticket) && ticket.lastScan !== undefined;
          return parts.refuse(
            isOld ? withUses(ticket, ticket.usesConsumed - 1) : ticket,
            action,
            side,
            key,
          );
        },
        ...telling((ticket, _, action) =>
          action === 'validate' && isKind(ticket) && ticket.lastScan
            ? withUses(ticket, ticket.usesConsumed - 1)
            : ticket,
        )(parts),
      }),
    },
  ];
}

/** Counts of cards that are wrong by a step. */
function cardTwins(kind: Kind): Twin[] {
  const isKind = KINDS[kind];
  return [
    {
      name: `${kind}-counted-twice`,
      section: '3.2',
      fault: `stores two uses for one that it tells (${kind})`,
      alter: (parts) => ({
        ...telling((ticket, { status }) =>
          status === 'consumed' && isKind(ticket)
            ? withUses(ticket, ticket.usesConsumed - 1)
            : ticket,
        )(parts),
        register(ticket) {
          const uses = isKind(ticket) ? 2 : 1;
          ticket.usesConsumed = Math.min(ticket.usesAllowed, ticket.usesConsumed + uses);
        },
      }),
    },
    {
      name: `${kind}-starts-at-one`,
      section: '3.2',
      fault: `tells one use more than were made (${kind})`,
      alter: telling((ticket, { status }) =>
        status === 'consumed' && isKind(ticket)
          ? withUses(ticket, ticket.usesConsumed + 1)
          : ticket,
      ),
    },
  ];
}

/** Servers that count wrong for some kind of ticket, or tell other things after a use than before it. */
export const COUNTING_TWINS: readonly Twin[] = [
  ...ALL.flatMap(countTwins),
  ...CARDS.flatMap(cardTwins),
  {
    name: 'note-without-uses-on-validate',
    section: '3.2',
    fault: 'shows a device that validates a card as if it were unused',
    alter: telling((ticket, _, action, side) =>
      action === 'validate' && side === 'hardware' ? withUses(ticket, 0) : ticket,
    ),
  },
  {
    name: 'used-up-card-note',
    section: '3.2',
    fault: 'shows a device the numbers of a card that is used up',
    alter: (parts) => ({
      deviceBody: (outcome, action) => ({
        ...parts.deviceBody(outcome, action),
        ...(outcome.status === 'exhausted' && Number(outcome.ticket?.usesAllowed) > 1
          ? {
              Note: `Ticket gültig (${outcome.ticket?.usesConsumed}/${outcome.ticket?.usesAllowed})`,
            }
          : {}),
      }),
    }),
  },
  {
    name: 'used-up-card-as-single',
    section: '3.2',
    fault: 'tells of a card that is used up what it tells of a single ticket',
    alter: telling((ticket, { status }) =>
      status === 'exhausted'
        ? { ...ticket, type: 'single', usesAllowed: 1, usesConsumed: 1 }
        : ticket,
    ),
  },
  {
    name: 'validate-gives-a-use-back',
    section: '3.2',
    fault: 'gives a use of a card back when it is validated',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        if (action === 'validate' && ticket.usesConsumed > 1) ticket.usesConsumed -= 1;
        return parts.refuse(ticket, action, side, key);
      },
    }),
  },
  {
    name: 'id-of-the-use',
    section: '2.3',
    fault: 'tells an id of the use as ticketId from the second use on',
    alter: telling((ticket) =>
      ticket.usesConsumed > 1 ? { ...ticket, id: `${ticket.id}-${ticket.usesConsumed}` } : ticket,
    ),
  },
  {
    name: 'window-of-the-use',
    section: '2.3',
    fault: 'tells the time of the last use as validFrom',
    alter: telling((ticket) =>
      ticket.usesConsumed > 1 ? { ...ticket, validFrom: ticket.lastScan ?? null } : ticket,
    ),
  },
  {
    name: 'holder-after-the-second-use',
    section: '2.3',
    fault: 'tells somebody as the holder of a card from its second use on',
    alter: telling((ticket, _outcome, _action, side) =>
      side === 'rest' && ticket.usesConsumed > 1
        ? { ...ticket, holder: { firstName: 'A', lastName: 'B' } }
        : ticket,
    ),
  },
  {
    name: 'ticket-id-of-the-used-up',
    section: '2.3',
    fault: 'tells another ticketId once a ticket is used up',
    alter: telling((ticket, { status }) =>
      status === 'exhausted' ? { ...ticket, id: `${ticket.id}-used` } : ticket,
    ),
  },
];
