import type { Alteration } from '../reference/server.ts';
import type { Ticket, World } from '../reference/world.ts';
import { signatureOf } from '../reference/world.ts';
import type { Twin } from './twin.ts';

const SEGMENTS = ['prefix', 'identifier', 'signature'] as const;

const genuine = (world: World, id: string) => `REF.${id}.${signatureOf(world, `REF.${id}`)}`;
const idOf = (code: string) => code.split('.')[1] ?? '';

/** Takes a code for the genuine one of a ticket where the two are alike in this way. */
function alike(same: (given: string, known: string) => boolean): Alteration {
  return (parts, world) => ({
    verify: (code, side, action) =>
      parts.verify(code, side, action) ??
      [...world.tickets.keys()].find((id) => same(code, genuine(world, id))),
  });
}

/** The code without one letter of a segment. */
function without(code: string, segment: number, at: number): string {
  const segments = code.split('.');
  const text = segments[segment] ?? '';
  return segments.with(segment, text.slice(0, at) + text.slice(at + 1)).join('.');
}

/** Letters in the middle: the first and the last are those that people try. */
const LETTERS = { prefix: [1], identifier: [2, 5, 12, 18], signature: [1, 5, 16, 20] } as const;

/** A server for each letter that it does not look at; the length must be right. */
const ignoringALetter = SEGMENTS.flatMap((segment, index) =>
  LETTERS[segment].map(
    (at): Twin => ({
      name: `${segment}-letter-${at + 1}-ignored`,
      section: '2.2',
      fault: `does not look at letter ${at + 1} of the ${segment}`,
      alter: alike(
        (given, known) =>
          given.length === known.length && without(given, index, at) === without(known, index, at),
      ),
    }),
  ),
);

/** The code with the letters of a segment in the order of the alphabet. */
function withSorted(code: string, segment: number): string {
  const segments = code.split('.');
  if (segments.length !== 3) return code;
  return segments.with(segment, [...(segments[segment] ?? '')].toSorted().join('')).join('.');
}

/** Does not verify the codes of some tickets. */
function unverified(isTrusted: (ticket: Ticket) => boolean): Alteration {
  return (parts, world) => ({
    verify(code, side, action) {
      const ticket = world.tickets.get(idOf(code));
      return (
        parts.verify(code, side, action) ?? (ticket && isTrusted(ticket) ? ticket.id : undefined)
      );
    },
  });
}

const isPast = (moment: string | null) => moment !== null && Date.parse(moment) < Date.now();
const isToCome = (moment: string | null) => moment !== null && Date.parse(moment) > Date.now();

const TRUSTED: readonly (readonly [string, string, string, (ticket: Ticket) => boolean])[] = [
  ['multi', 'cards', 'cards', ({ usesAllowed }) => usesAllowed === 5],
  ['permanent', 'permanent-cards', 'permanent cards', ({ usesAllowed }) => usesAllowed === 9999],
  [
    'personalised',
    'personalised-tickets',
    'tickets with a holder',
    ({ holder }) => holder !== undefined,
  ],
  [
    'windowed',
    'windowed-tickets',
    'tickets with a window',
    (one) => isPast(one.validFrom) && isToCome(one.validUntil),
  ],
  [
    'exhausted',
    'used-up-tickets',
    'tickets that are used up',
    (one) => one.usesConsumed >= one.usesAllowed,
  ],
  ['cancelled', 'cancelled-tickets', 'cancelled tickets', ({ cancelled }) => cancelled],
  [
    'not-yet-valid',
    'coming-tickets',
    'tickets that are not valid yet',
    ({ validFrom }) => isToCome(validFrom),
  ],
  ['expired', 'expired-tickets', 'expired tickets', ({ validUntil }) => isPast(validUntil)],
];

/** Does not verify codes that come with a key for selected events, and looks at no scope either. */
function unverifiedWithScopedKeys(isTrusted: (event: string) => boolean): Alteration {
  return (parts, world) => {
    let isScoped = false;
    let isForged = false;
    return {
      acceptKey(value, side, action) {
        const key = parts.acceptKey(value, side, action);
        isScoped = key !== undefined && key.events !== 'all';
        return key;
      },
      verify(code, side, action) {
        const right = parts.verify(code, side, action);
        const ticket = world.tickets.get(idOf(code));
        isForged =
          right === undefined && isScoped && ticket !== undefined && isTrusted(ticket.event);
        return isForged ? ticket?.id : right;
      },
      inScope: (key, id, side, action) => isForged || parts.inScope(key, id, side, action),
    };
  };
}

/** Faults with codes that are forged in further ways, of further tickets, or shown with further keys. */
export const FORGED_CODE_TWINS: readonly Twin[] = [
  ...ignoringALetter,
  {
    name: 'identifier-letters-in-any-order',
    section: '2.2',
    fault: 'signs the letters of the identifier in the order of the alphabet',
    alter: alike((given, known) => withSorted(given, 1) === withSorted(known, 1)),
  },
  {
    name: 'signature-letters-in-any-order',
    section: '2.2',
    fault: 'compares a sum of the letters of the signature',
    alter: alike((given, known) => withSorted(given, 2) === withSorted(known, 2)),
  },
  {
    name: 'identifier-completed',
    section: '2.2',
    fault: 'completes an identifier whose last letter is missing',
    alter: alike((given, known) => given === without(known, 1, idOf(known).length - 1)),
  },
  ...TRUSTED.map(
    ([, name, what, isTrusted]): Twin => ({
      name: `forged-${name}-let-through`,
      section: '2.2',
      fault: `does not verify the codes of ${what}`,
      alter: unverified(isTrusted),
    }),
  ),
  {
    name: 'forged-with-scoped-keys',
    section: '2.2',
    fault: 'does not verify codes that come with a key for selected events',
    alter: unverifiedWithScopedKeys((event) => event === 'main'),
  },
  {
    name: 'forged-of-another-event',
    section: '2.2',
    fault: 'lets forged codes of other events in with a key for selected events',
    alter: unverifiedWithScopedKeys((event) => event === 'other'),
  },
];
