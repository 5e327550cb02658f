import type { Key, Ticket, World } from '../reference/world.ts';
import { device, type Parts, parsed, type Twin } from './twin.ts';

const isOpenEnd = ({ validFrom, validUntil }: Ticket) => validFrom !== null && validUntil === null;
const isOpenStart = ({ validFrom, validUntil }: Ticket) =>
  validFrom === null && validUntil !== null;
const isHundred = ({ usesAllowed }: Ticket) => usesAllowed === 100;
const GOOD_KINDS = {
  permanent: ({ usesAllowed }: Ticket) => usesAllowed === 9999,
  personalised: ({ holder }: Ticket) => holder !== undefined,
  windowed: ({ validFrom, validUntil }: Ticket) => validFrom !== null && validUntil !== null,
  openEnd: isOpenEnd,
  openStart: isOpenStart,
  hundred: isHundred,
};
const REFUSALS = {
  exhausted: ({ status, ticket }) => status === 'exhausted' && ticket?.usesAllowed === 1,
  'used-up-card': ({ status, ticket }) => status === 'exhausted' && Number(ticket?.usesAllowed) > 1,
  cancelled: ({ reason }) => reason === 'ticket_cancelled',
  'not-yet-valid': ({ reason }) => reason === 'not_yet_valid',
  expired: ({ reason }) => reason === 'expired',
} satisfies Record<string, (outcome: NonNullable<ReturnType<Parts['refuse']>>) => boolean>;

const isScoped = ({ events }: Key) => events !== 'all';

function uncounted(isFree: (ticket: Ticket, key: Key) => boolean) {
  return (parts: Parts): Partial<Parts> => ({
    register: (ticket, side, key) =>
      isFree(ticket, key) ? undefined : parts.register(ticket, side, key),
  });
}

function goodKindTwins([kind, isKind]: [string, (ticket: Ticket) => boolean]): Twin[] {
  return [
    {
      name: `${kind}-refused-to-scoped-keys`,
      section: '5',
      fault: `refuses tickets (${kind}) with a key for selected events`,
      alter: (parts) => ({
        refuse: (ticket, action, side, key) =>
          isScoped(key) && isKind(ticket) && ticket.usesConsumed < ticket.usesAllowed
            ? { status: 'rejected', reason: 'expired', ticket }
            : parts.refuse(ticket, action, side, key),
      }),
    },
    {
      name: `${kind}-uncounted-for-scoped-keys`,
      section: kind === 'hundred' ? '3.2' : '5',
      fault: `does not count the uses of tickets (${kind}) with a key for selected events`,
      alter: uncounted((ticket, key) => isScoped(key) && isKind(ticket)),
    },
  ];
}

/** A signature that is not verified for some tickets. */
function unverified(
  name: string,
  isKind: (id: string, ticket: Ticket | undefined) => boolean,
): Twin {
  return {
    name: `forged-code-of-${name}-taken`,
    section: '2.2',
    fault: `takes forged codes of some tickets (${name})`,
    alter: (parts, world) => {
      let isForged = false;
      return {
        verify(code, side, action) {
          const right = parts.verify(code, side, action);
          const id = code.split('.')[1] ?? '';
          isForged = right === undefined && isKind(id, world.tickets.get(id));
          return isForged ? id : right;
        },
        inScope: (...asked) => isForged || parts.inScope(...asked),
      };
    },
  };
}

const isUnknown = (id: string, ticket: Ticket | undefined) =>
  ticket === undefined && /^tkt_main/.test(id);

/** Does not count what one reader reads. */
function uncountedAtReader(
  kind: string,
  reader: number,
  isKind: (ticket: Ticket) => boolean,
): Twin {
  return {
    name: `${kind}-uncounted-at-reader-${reader}`,
    section: kind === 'multi' ? '3.2' : '5',
    fault: `does not count the uses of tickets (${kind}) at the reader ${reader}`,
    alter: (parts) => {
      let from: unknown;
      return {
        readCard(incoming) {
          from = parsed(incoming.body)?.['Reader'];
          return parts.readCard(incoming);
        },
        register: (ticket, side, key) =>
          side === 'hardware' && from === reader && isKind(ticket)
            ? undefined
            : parts.register(ticket, side, key),
      };
    },
  };
}

/** Takes a key for one that is nearly the same. */
function nearly(same: (known: string, given: string) => boolean) {
  return (parts: Parts, world: World): Partial<Parts> => ({
    acceptKey(value, side, action) {
      const found = [...world.keys.keys()].find((known) => same(known, value ?? ''));
      return parts.acceptKey(value, side, action) ?? parts.acceptKey(found, side, action);
    },
  });
}

const withoutMiddle = (text: string, width: number) => {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle - width)}…${text.slice(middle + width + 1)}`;
};

const sameOutside = (one: string, other: string, width: number) =>
  one.length === other.length && withoutMiddle(one, width) === withoutMiddle(other, width);

/** Servers that are wrong for some tickets only: with a key for selected events, at one reader, forged, or late in a card's life. */
export const SCOPED_KEY_TWINS: readonly Twin[] = [
  ...Object.entries(REFUSALS).map(
    ([name, isOverlooked]): Twin => ({
      name: `${name}-let-in-with-scoped-keys`,
      section: '5',
      fault: `lets tickets in that it must refuse (${name}) with a key for selected events`,
      alter: (parts) => ({
        refuse(ticket, action, side, key) {
          const refused = parts.refuse(ticket, action, side, key);
          return refused && isScoped(key) && isOverlooked(refused) ? undefined : refused;
        },
      }),
    }),
  ),
  {
    name: 'unknown-let-in-with-scoped-keys',
    section: '5',
    fault: 'lets tickets in that it does not know with a key for selected events',
    alter: (parts, world) => {
      let asked: Key | undefined;
      return {
        inScope(key, id, side, action) {
          asked = key;
          return parts.inScope(key, id, side, action);
        },
        find(id) {
          const [any] = world.tickets.values();
          const made = any && { ...any, id, usesAllowed: 1, usesConsumed: 0 };
          return parts.find(id) ?? (asked && isScoped(asked) ? made : undefined);
        },
      };
    },
  },
  {
    name: 'other-organisation-let-in-with-scoped-keys',
    section: '5',
    fault: 'lets tickets of other organisations in with a key for selected events',
    alter: (parts) => ({
      inScope: (key, id, side, action) =>
        (isScoped(key) && id.includes('foreign')) || parts.inScope(key, id, side, action),
    }),
  },
  ...Object.entries(GOOD_KINDS).flatMap(goodKindTwins),
  unverified('hundred', (_, ticket) => ticket !== undefined && isHundred(ticket)),
  unverified('open-end', (_, ticket) => ticket !== undefined && isOpenEnd(ticket)),
  unverified('open-start', (_, ticket) => ticket !== undefined && isOpenStart(ticket)),
  unverified('unknown', isUnknown),
  unverified('other-event', (_, ticket) => ticket?.event === 'other'),
  unverified('other-organisation', (_, ticket) => ticket?.event === 'foreign'),
  uncountedAtReader('personalised', 1, GOOD_KINDS.personalised),
  uncountedAtReader('windowed', 1, GOOD_KINDS.windowed),
  uncountedAtReader('multi', 2, ({ usesAllowed }) => usesAllowed === 5),
  uncountedAtReader('multi', 3, ({ usesAllowed }) => usesAllowed === 5),
  {
    name: 'other-event-uncounted',
    section: '5',
    fault: 'does not count the uses of the tickets of a second event',
    alter: uncounted(({ event }) => event === 'other'),
  },
  {
    name: 'hundred-ends-early',
    section: '3.2',
    fault: 'refuses a card of 100 after 16 uses',
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        isHundred(ticket) && ticket.usesConsumed >= 16
          ? { status: 'exhausted', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'hundred-free-later',
    section: '3.2',
    fault: 'counts 20 uses of a card of 100 and no more',
    alter: uncounted((ticket) => isHundred(ticket) && ticket.usesConsumed >= 20),
  },
  {
    name: 'hundred-without-end',
    section: '3.2',
    fault: 'lets a card of 100 in for ever',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        return refused?.status === 'exhausted' && isHundred(ticket) ? undefined : refused;
      },
    }),
  },
  {
    name: 'note-of-two-digits-cut',
    section: '3.2',
    fault: 'shows one digit of the uses of a card',
    alter: device((body) => ({
      ...body,
      Note: String(body['Note']).replace(/\(\d(\d\/100)/, '($1'),
    })),
  },
  {
    name: 'key-by-its-ends',
    section: '5',
    fault: 'compares the beginning and the end of keys',
    alter: nearly((known, given) => sameOutside(known, given, 4)),
  },
  {
    name: 'key-with-a-letter-without-case',
    section: '5',
    fault: 'compares the middle of keys without letter case',
    alter: nearly(
      (known, given) => sameOutside(known, given, 4) && known.toLowerCase() === given.toLowerCase(),
    ),
  },
  {
    name: 'key-trimmed',
    section: '5',
    fault: 'takes blanks before and after the key of a device away',
    alter: (parts, world) => ({
      acceptKey(value, side, action) {
        const { acceptKey } = nearly((known, given) => known === given.trim())(parts, world);
        return side === 'rest'
          ? parts.acceptKey(value, side, action)
          : acceptKey?.(value, side, action);
      },
    }),
  },
];
