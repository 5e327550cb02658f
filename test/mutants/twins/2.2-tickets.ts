import { signatureOf, type World } from '../reference/world.ts';
import type { Parts, Twin } from './twin.ts';
import { rest } from './twin.ts';

/** Replaces the comparison of a given signature with the expected one. */
function comparing(same: (given: string, expected: string) => boolean) {
  return (_: Parts, world: World): Partial<Parts> => ({
    verify(code) {
      const [prefix, id, signature, ...more] = code.split('.');
      if (prefix !== 'REF' || !id || more.length > 0) return undefined;
      return same(signature ?? '', signatureOf(world, `REF.${id}`)) ? id : undefined;
    },
  });
}

/** Cleans a code up before the right verification sees it. */
function cleaning(clean: (code: string, world: World) => string) {
  return (parts: Parts, world: World): Partial<Parts> => ({
    verify: (code, side, action) => parts.verify(clean(code, world), side, action),
  });
}

const signed = (world: World, id: string) => `REF.${id}.${signatureOf(world, `REF.${id}`)}`;
const idOf = (code: string) => code.split('.')[1] ?? '';
const resigned = (world: World, id: string | undefined, code: string) =>
  id === undefined ? code : signed(world, id);

export const TICKET_TWINS: readonly Twin[] = [
  {
    name: 'single-as-multi',
    section: '2.2',
    fault: 'calls every ticket `multi`',
    alter: rest((body) => (body['ticketType'] ? { ...body, ticketType: 'multi' } : body)),
  },
  {
    name: 'multi-as-single',
    section: '2.2',
    fault: 'calls every ticket `single`',
    alter: rest((body) => (body['ticketType'] ? { ...body, ticketType: 'single' } : body)),
  },
  {
    name: 'permanent-type',
    section: '2.2',
    fault: 'has a type `permanent` of its own',
    alter: rest((body) =>
      body['usesAllowed'] === 9999 ? { ...body, ticketType: 'permanent' } : body,
    ),
  },
  {
    name: 'permanent-1000',
    section: '2.2',
    fault: 'lets permanent cards in 1000 times',
    alter: rest((body) =>
      body['usesAllowed'] === 9999
        ? { ...body, usesAllowed: 1000, usesRemaining: 1000 - Number(body['usesConsumed']) }
        : body,
    ),
  },
  {
    name: 'multi-beyond-100',
    section: '2.2',
    fault: 'has cards of 500 uses',
    alter: rest((body) =>
      body['usesAllowed'] === 5
        ? { ...body, usesAllowed: 500, usesRemaining: 500 - Number(body['usesConsumed']) }
        : body,
    ),
  },
  {
    name: 'single-of-two',
    section: '2.2',
    fault: 'shows single tickets with two uses',
    alter: rest((body) =>
      body['usesAllowed'] === 1
        ? { ...body, usesAllowed: 2, usesRemaining: 2 - Number(body['usesConsumed']) }
        : body,
    ),
  },
  {
    name: 'no-verification',
    section: '2.2',
    fault: 'does not look at the signature',
    alter: comparing(() => true),
  },
  {
    name: 'signature-by-prefix',
    section: '2.2',
    fault: 'compares the first 8 letters of the signature',
    alter: comparing((given, expected) => given.slice(0, 8) === expected.slice(0, 8)),
  },
  {
    name: 'signature-as-far-as-given',
    section: '2.2',
    fault: 'compares the signature only as far as it is given',
    alter: comparing((given, expected) => expected.startsWith(given)),
  },
  {
    name: 'signature-with-anything-after',
    section: '2.2',
    fault: 'takes anything after the signature',
    alter: comparing((given, expected) => given.startsWith(expected)),
  },
  {
    name: 'signature-case',
    section: '2.2',
    fault: 'compares signatures without letter case',
    alter: comparing((given, expected) => given.toLowerCase() === expected.toLowerCase()),
  },
  {
    name: 'signature-bytes',
    section: '2.2',
    fault: 'compares decoded signatures, which have several spellings',
    alter: comparing((given, expected) =>
      Buffer.from(given, 'base64url').equals(Buffer.from(expected, 'base64url')),
    ),
  },
  {
    name: 'signature-last-letter-ignored',
    section: '2.2',
    fault: 'compares all but the last letter of the signature',
    alter: comparing((given, expected) => given.slice(0, 21) === expected.slice(0, 21)),
  },
  {
    name: 'signature-length',
    section: '2.2',
    fault: 'looks only whether the signature is long enough',
    alter: comparing((given, expected) => given.length === expected.length),
  },
  {
    name: 'signature-first-letter-ignored',
    section: '2.2',
    fault: 'has an off-by-one at the start of the signature',
    alter: comparing((given, expected) => given.slice(1) === expected.slice(1)),
  },
  {
    name: 'signature-of-any-ticket',
    section: '2.2',
    fault: 'takes a signature that belongs to any ticket',
    alter: (_, world) => ({
      verify(code) {
        const [prefix, id, signature, ...more] = code.split('.');
        if (prefix !== 'REF' || !id || more.length > 0) return undefined;
        const known = [id, ...world.tickets.keys()];
        return known.some((one) => signatureOf(world, `REF.${one}`) === signature) ? id : undefined;
      },
    }),
  },
  {
    name: 'any-prefix',
    section: '2.2',
    fault: 'does not look at the prefix',
    alter: cleaning((code) => code.replace(/^REF\w*\./, 'REF.')),
  },
  {
    name: 'no-prefix-needed',
    section: '2.2',
    fault: 'takes codes without their prefix',
    alter: cleaning((code) => (code.startsWith('REF.') ? code : `REF.${code}`)),
  },
  {
    name: 'segments-ignored',
    section: '2.2',
    fault: 'ignores segments after the third',
    alter: cleaning((code) => code.split('.').slice(0, 3).join('.')),
  },
  {
    name: 'identifier-case',
    section: '2.2',
    fault: 'looks identifiers up without letter case, signature included',
    alter: cleaning((code, world) => {
      const id = [...world.tickets.keys()].find(
        (one) => one.toLowerCase() === idOf(code).toLowerCase(),
      );
      return id === undefined || idOf(code) === id ? code : signed(world, id);
    }),
  },
  {
    name: 'identifier-alone',
    section: '2.2',
    fault: 'takes the bare identifier for a code',
    alter: cleaning((code, world) => (world.tickets.has(code) ? signed(world, code) : code)),
  },
  {
    name: 'signature-optional',
    section: '2.2',
    fault: 'verifies a signature only where there is one',
    alter: cleaning((code, world) => (code.split('.')[2] ? code : signed(world, idOf(code)))),
  },
  {
    name: 'identifier-last-letter',
    section: '2.2',
    fault: 'signs the identifier without its last letter',
    alter: cleaning((code, world) => {
      const id = [...world.tickets.keys()].find(
        (one) => one.slice(0, -1) === idOf(code).slice(0, -1),
      );
      return id === undefined || !code.endsWith(signatureOf(world, `REF.${id}`))
        ? code
        : resigned(world, id, code);
    }),
  },
  {
    name: 'identifier-cut',
    section: '2.2',
    fault: 'cuts identifiers to the length of its column',
    alter: cleaning((code, world) => {
      const id = [...world.tickets.keys()].find((one) => idOf(code).startsWith(one));
      return id === undefined || !code.endsWith(signatureOf(world, `REF.${id}`))
        ? code
        : resigned(world, id, code);
    }),
  },
  {
    name: 'identifier-first-letter',
    section: '2.2',
    fault: 'searches for the signed identifier from its second letter on',
    alter: cleaning((code, world) => {
      const id = [...world.tickets.keys()].find((one) => one.slice(1) === idOf(code).slice(1));
      return id === undefined || !code.endsWith(signatureOf(world, `REF.${id}`))
        ? code
        : resigned(world, id, code);
    }),
  },
  {
    name: 'forged-not-found',
    section: '2.2',
    fault: 'says `not_found` to a forged code',
    alter: (parts) => ({
      verify: (code, side, action) => parts.verify(code, side, action) ?? 'no such ticket main',
    }),
  },
  {
    name: 'reason-invalid-signature',
    section: '2.2',
    fault: 'calls the reason `invalid_signature`',
    alter: rest((body) =>
      body['reason'] === 'invalid_ticket' ? { ...body, reason: 'invalid_signature' } : body,
    ),
  },
  {
    name: 'devices-unverified',
    section: '2.2',
    fault: 'verifies signatures on REST only',
    alter: (parts) => ({
      verify: (code, side, action) =>
        side === 'hardware' ? idOf(code) || undefined : parts.verify(code, side, action),
    }),
  },
  {
    name: 'consume-unverified',
    section: '2.2',
    fault: 'verifies signatures on validate only',
    alter: (parts) => ({
      verify: (code, side, action) =>
        action === 'consume' ? idOf(code) || undefined : parts.verify(code, side, action),
    }),
  },
];
