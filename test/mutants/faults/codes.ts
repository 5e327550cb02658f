import type { Alteration } from '../reference/server.ts';
import { signatureOf, type Ticket, type World } from '../reference/world.ts';
import {
  type FaultyServer,
  faults,
  faultsOn,
  idIn,
  isCard,
  isHundred,
  isOpenEnd,
  isOpenStart,
  isPermanent,
  isPersonal,
  rest,
  status,
  step,
} from './faulty-server.ts';

const genuine = (world: World, id: string) => `REF.${id}.${signatureOf(world, `REF.${id}`)}`;

/** Compares a given signature with the expected one in its own way. */
const comparing = (same: (given: string, expected: string) => boolean): Alteration =>
  step('verify', ({ world }, code) => {
    const [prefix, id, signature = '', ...more] = code.split('.');
    if (prefix !== 'REF' || !id || more.length > 0) return undefined;
    return same(signature, signatureOf(world, `REF.${id}`)) ? id : undefined;
  });

/** Reads a code in its own way before it is verified. */
export const reading = (read: (code: string, world: World) => string): Alteration =>
  step('verify', ({ parts, world }, code, ...asked) => parts.verify(read(code, world), ...asked));

/** Looks for a ticket with a code of this kind, whose signature is at the end. */
const searching = (same: (known: string, given: string) => boolean): Alteration =>
  reading((code, world) => {
    const id = [...world.tickets.keys()].find((known) => same(known, idIn(code)));
    return id !== undefined && code.endsWith(signatureOf(world, `REF.${id}`))
      ? genuine(world, id)
      : code;
  });

/** Takes a code for the genuine one of a ticket where the two are alike in this way. */
const alike = (same: (given: string, known: string) => boolean): Alteration =>
  step(
    'verify',
    ({ next, world }, code) =>
      next() ?? [...world.tickets.keys()].find((id) => same(code, genuine(world, id))),
  );

/** Fails for some codes as an exception that nobody catches would. */
const failing = (isBad: (code: string) => boolean): Alteration =>
  step('verify', ({ next }, code) => {
    if (isBad(code)) throw new Error('out of range');
    return next();
  });

/** The code with a segment that is changed. */
function withSegment(code: string, segment: number, change: (text: string) => string): string {
  const segments = code.split('.');
  if (segments.length !== 3) return code;
  return segments.with(segment, change(segments[segment] ?? '')).join('.');
}

const without = (code: string, segment: number, at: number) =>
  withSegment(code, segment, (text) => text.slice(0, at) + text.slice(at + 1));
const sorted = (code: string, segment: number) =>
  withSegment(code, segment, (text) => [...text].toSorted().join(''));
const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Letters in the middle: the first and the last are those that people try. */
const LETTERS = { prefix: [1], identifier: [2, 5, 12, 18], signature: [1, 5, 16, 20] };

/** A server for each letter that it does not look at; the length must be right. */
const IGNORING_A_LETTER = Object.entries(LETTERS).flatMap(([segment, places], index) =>
  places.flatMap((at) =>
    faults('2.2', {
      [`does not look at letter ${at + 1} of the ${segment}`]: alike(
        (given, known) =>
          given.length === known.length && without(given, index, at) === without(known, index, at),
      ),
    }),
  ),
);

const isPast = (moment: string | null) => moment !== null && Date.parse(moment) < Date.now();
const isToCome = (moment: string | null) => moment !== null && Date.parse(moment) > Date.now();

type Trusted = (ticket: Ticket | undefined, id: string) => boolean;
const of =
  (isKind: (ticket: Ticket) => boolean): Trusted =>
  (ticket) =>
    ticket !== undefined && isKind(ticket);

/** Tickets whose codes are not verified, in their scope. */
const UNVERIFIED: Readonly<Record<string, Trusted>> = {
  cards: of(isCard),
  'permanent cards': of(isPermanent),
  'tickets with a holder': of(isPersonal),
  'tickets with a window': of((one) => isPast(one.validFrom) && isToCome(one.validUntil)),
  'tickets that are used up': of((one) => one.usesConsumed >= one.usesAllowed),
  'cancelled tickets': of(({ cancelled }) => cancelled),
  'tickets that are not valid yet': of(({ validFrom }) => isToCome(validFrom)),
  'expired tickets': of(({ validUntil }) => isPast(validUntil)),
};

/** Tickets whose codes are taken as they are, in any scope. */
const TAKEN: Readonly<Record<string, Trusted>> = {
  'cards of 100': of(isHundred),
  'tickets without an end': of(isOpenEnd),
  'tickets without a beginning': of(isOpenStart),
  'tickets that do not exist': (ticket, id) => ticket === undefined && /^tkt_main/.test(id),
  'another event': of(({ event }) => event === 'other'),
  'another organisation': of(({ event }) => event === 'foreign'),
};

/** Does not verify the codes of some tickets. */
const unverified = (isTrusted: Trusted): Alteration =>
  step('verify', ({ next, world }, code) => {
    const id = idIn(code);
    return next() ?? (isTrusted(world.tickets.get(id), id) ? id : undefined);
  });

/** Verifies neither the code nor the scope of some tickets. */
const taking =
  (isTrusted: Trusted, isWith: (isScoped: boolean) => boolean = () => true): Alteration =>
  (parts, world) => {
    let isScoped = false;
    let isForged = false;
    return {
      acceptKey(...asked) {
        const key = parts.acceptKey(...asked);
        isScoped = key !== undefined && key.events !== 'all';
        return key;
      },
      verify(code, ...asked) {
        const right = parts.verify(code, ...asked);
        const id = idIn(code);
        isForged = right === undefined && isWith(isScoped) && isTrusted(world.tickets.get(id), id);
        return isForged ? id : right;
      },
      inScope: (...asked) => isForged || parts.inScope(...asked),
    };
  };

const verifiedExcept = (isHere: (side: string, action: string) => boolean): Alteration =>
  step('verify', ({ next }, code, side, action) =>
    isHere(side, action) ? idIn(code) || undefined : next(),
  );

const named = (prefix: string, rows: Readonly<Record<string, Trusted>>, how: typeof unverified) =>
  Object.fromEntries(Object.entries(rows).map(([what, is]) => [`${prefix} ${what}`, how(is)]));

/** Servers that take codes which are not genuine, or other ones than they should. */
export const CODE_FAULTS: readonly FaultyServer[] = [
  ...faults('2.2', {
    'does not look at the signature': comparing(() => true),
    'compares the first 8 letters of the signature': comparing(
      (given, expected) => given.slice(0, 8) === expected.slice(0, 8),
    ),
    'compares the signature only as far as it is given': comparing((given, expected) =>
      expected.startsWith(given),
    ),
    'takes anything after the signature': comparing((given, expected) =>
      given.startsWith(expected),
    ),
    'compares signatures without letter case': comparing(
      (given, expected) => given.toLowerCase() === expected.toLowerCase(),
    ),
    'compares decoded signatures, which have several spellings': comparing((given, expected) =>
      Buffer.from(given, 'base64url').equals(Buffer.from(expected, 'base64url')),
    ),
    'compares all but the last letter of the signature': comparing(
      (given, expected) => given.slice(0, 21) === expected.slice(0, 21),
    ),
    'looks only whether the signature is long enough': comparing(
      (given, expected) => given.length === expected.length,
    ),
    'has an off-by-one at the start of the signature': comparing(
      (given, expected) => given.slice(1) === expected.slice(1),
    ),
    'takes a signature that belongs to any ticket': step('verify', ({ world }, code) => {
      const [prefix, id, signature, ...more] = code.split('.');
      if (prefix !== 'REF' || !id || more.length > 0) return undefined;
      const known = [id, ...world.tickets.keys()];
      return known.some((one) => signatureOf(world, `REF.${one}`) === signature) ? id : undefined;
    }),
    'compares a sum of the letters of the signature': alike(
      (given, known) => sorted(given, 2) === sorted(known, 2),
    ),
    'verifies a signature only where there is one': reading((code, world) =>
      code.split('.')[2] ? code : genuine(world, idIn(code)),
    ),
    'does not look at the prefix': reading((code) => code.replace(/^REF\w*\./, 'REF.')),
    'takes codes without their prefix': reading((code) =>
      code.startsWith('REF.') ? code : `REF.${code}`,
    ),
    'ignores segments after the third': reading((code) => code.split('.').slice(0, 3).join('.')),
    'looks identifiers up without letter case, signature included': reading((code, world) => {
      const given = idIn(code);
      const ids = [...world.tickets.keys()];
      const id = ids.find((one) => one.toLowerCase() === given.toLowerCase());
      return id === undefined || given === id ? code : genuine(world, id);
    }),
    'takes the bare identifier for a code': reading((code, world) =>
      world.tickets.has(code) ? genuine(world, code) : code,
    ),
    'signs the identifier without its last letter': searching(
      (known, given) => known.slice(0, -1) === given.slice(0, -1),
    ),
    'cuts identifiers to the length of its column': searching((known, given) =>
      given.startsWith(known),
    ),
    'searches for the signed identifier from its second letter on': searching(
      (known, given) => known.slice(1) === given.slice(1),
    ),
    'completes an identifier whose last letter is missing': alike(
      (given, known) => given === without(known, 1, idIn(known).length - 1),
    ),
    'signs the letters of the identifier in the order of the alphabet': alike(
      (given, known) => sorted(given, 1) === sorted(known, 1),
    ),
    'takes blanks and line breaks out of a code': reading((code) => code.replace(/\s/g, '')),
    'takes what is no letter, digit, dot, hyphen or underscore out of a code': reading((code) =>
      code.replace(/[^\w.-]/g, ''),
    ),
    'takes `=` out of a signature, wherever it is': reading((code) => code.replaceAll('=', '')),
    'takes hyphens out of an identifier': reading((code) =>
      withSegment(code, 1, (id) => id.replaceAll('-', '')),
    ),
    'says `not_found` to a forged code': step(
      'verify',
      ({ next }) => next() ?? 'no such ticket main',
    ),
    'answers 404 to a code that is longer than its column': step('verify', ({ next }, code) =>
      code.length > 255 ? 'main-too-long' : next(),
    ),
    'calls the reason `invalid_signature`': rest('invalid_ticket', { reason: 'invalid_signature' }),
    'verifies signatures on REST only': verifiedExcept((side) => side === 'hardware'),
    'verifies signatures on validate only': verifiedExcept((_, action) => action === 'consume'),
    ...named('does not verify the codes of', UNVERIFIED, unverified),
    ...named('takes forged codes of', TAKEN, taking),
    'does not verify codes that come with a key for selected events': taking(
      of(({ event }) => event === 'main'),
      (isScoped) => isScoped,
    ),
    'lets forged codes of other events in with a key for selected events': taking(
      of(({ event }) => event === 'other'),
      (isScoped) => isScoped,
    ),
  }),
  ...IGNORING_A_LETTER,
  ...faultsOn('consume', '2.2', {
    'takes a code with a fourth segment': reading((code) => code.split('.').slice(0, 3).join('.')),
    'takes a signature in the other letter case': alike(
      (given, known) => withSegment(given, 2, swapCase) === known,
    ),
    'answers 503 to forged codes': status({ invalid_ticket: 503 }),
  }),
  ...faults('7.1', {
    'answers 500 to a code of more than 1,500 characters': failing((code) => code.length > 1500),
    'answers 500 to a code with characters outside of ASCII': failing(
      (code) => /[^\0-\x7f]/.test(code) && code.length > 20,
    ),
    'answers 500 to a code with characters outside of the basic plane': failing((code) =>
      /[\u{10000}-\u{10ffff}]/u.test(code),
    ),
  }),
];
