import { type Cell, type CheckCase, NotApplicable } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  CONSUMES,
  describeAnswer,
  type Exchange,
  isConsume,
  isDevice,
  SCANS,
  type ScanEndpoint,
  VALIDATES,
} from '../facts/exchange.ts';
import { Deviation } from '../facts/failures.ts';
import { type Outcome, read } from '../facts/reading.ts';
import {
  oneLetterOff,
  SEGMENTS,
  type Segment,
  TAMPERINGS,
  type Tampering,
  withOtherLastSignatureLetter,
  withSkippedCharacters,
} from '../facts/tamper.ts';
import { expectDenied, expectFields, expectStatus, expectTold } from '../judging/expect.ts';
import { on } from '../samples/matrix.ts';
import {
  dashed,
  decoyFor,
  GOOD,
  GOOD_TOO,
  grantedCode,
  grantFor,
  keyFor,
  quieterKey,
  REFUSED,
  sampleOf,
  scopedKeyFor,
} from '../samples/samples.ts';
import { saying } from '../stimuli/saying.ts';
import { RESPELLED_CELLS } from './2.2-respelled-codes.ts';

/** Tickets whose state or kind a server may look at before the signature; single ones are forged in every way. */
const KINDS = [...GOOD, ...REFUSED, ...GOOD_TOO, 'otherEvent' as const].filter(
  (kind) => kind !== 'single',
);
/** Letters of a segment that are changed on an endpoint, at most; of a longer segment every second, every third and so on. */
const LETTERS_MAX = 64;
/** Requests under way at a time. */
const AT_ONCE = 16;
/** A code of this length is still read; a longer one may be refused for its length. */
const READ_CHARACTERS_MAX = 1000;
const LENGTHS = [300, READ_CHARACTERS_MAX, 2000, 10_000] as const;
/** Statuses of a request that is too long as a whole, or in a line of it. */
const TOO_LONG = [413, 431];
const ODD_CODES = [
  ['letters-outside-of-ascii', 'ÄÖÜ.tkt_żółć.ñ'],
  ['letters-outside-of-the-basic-plane', '🎫.tkt_🎫.🎫'],
  ['another-direction-of-writing', 'كود.tkt_التذكرة.توقيع'],
  ['control-characters', 'A\0\u0001.tkt_\u0007\u001b.\u007f'],
  ['half-a-surrogate-pair', 'A.tkt_\ud83c.B'],
  ['2000-letters-outside-of-ascii', `A.tkt_${'ß'.repeat(2000)}.B`],
  ['10000-characters', `A.tkt_${'a'.repeat(10_000)}.B`],
  ['2000-dots', '.'.repeat(2000)],
  ['quotes-and-brackets', `A'";--.tkt_%00../\${x}<b>.{{B}}`],
] as const;

/** Section 2.2: manipulated and damaged codes, and codes that no ticket has. */
export const FORGED_CODE_CASES: readonly CheckCase[] = [
  {
    id: '2.2/forged-code',
    states: ['a forged code'],
    requirement:
      'A manipulated or damaged code is rejected as `invalid_ticket`, opens no door, and says nothing about its ticket.',
    cells: SCANS.flatMap((endpoint): Cell[] => [
      ...TAMPERINGS.map((tampering) => forgedCell(tampering, endpoint)),
      ...SEGMENTS.map((segment) => anyLetterCell(segment, endpoint)),
      ...KINDS.map((kind) => forgedKindCell(kind, endpoint)),
      {
        endpoint,
        variant: 'scoped-key',
        keys: [scopedKeyFor(endpoint)],
        ...decoyFor(endpoint, 1),
        async run(scan) {
          const code = withOtherLastSignatureLetter(scan.decoy());
          expectForged(await scan.askForged(endpoint, code, scopedKeyFor(endpoint)), endpoint);
        },
      },
      skippedCharacterCell(endpoint),
    ]).concat(RESPELLED_CELLS),
  },
  {
    id: '2.2/forged-code-outside-of-the-scope',
    requirement:
      'A manipulated code of an event that the key has no access to, or of another organisation, is refused for either reason.',
    cells: SCANS.flatMap((endpoint) => [otherEventCell(endpoint), otherOrganisationCell(endpoint)]),
  },
  {
    id: '2.2/forged-codes-take-no-use',
    requirement: 'A manipulated code takes no use of the ticket whose identifier is in it.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { single: 1 },
      uses: {},
      async run(scan) {
        const { code } = scan.ticket('single');
        for (const name of ['signature-last-letter', 'signature-alias']) {
          const forged = TAMPERINGS.find((one) => one.name === name)?.spoil(code, '');
          if (forged !== undefined) expectForged(await scan.askForged(endpoint, forged), endpoint);
        }
        const after = await scan.validate(code);
        expectStatus(after, 200);
        expectFields(after, { status: 'validated', usesConsumed: 0 });
      },
    })),
  },
  {
    id: '2.2/forged-after-the-genuine-code',
    requirement: 'A manipulated code is rejected after its genuine code was let in as well.',
    cells: on(SCANS, (endpoint) => ({
      ...grantFor(endpoint),
      async run(scan) {
        const code = grantedCode(scan, endpoint);
        const forged = withOtherLastSignatureLetter(code);
        const [genuine, second] = await scan.inARow([
          scan.request(endpoint, code),
          scan.forgedRequest(endpoint, forged),
        ]);
        if (genuine) expectFields(genuine, isDevice(endpoint) ? { AcsRes: '1' } : { valid: true });
        if (second) expectForged(second, endpoint);
        expectForged(await scan.askForged(endpoint, forged), endpoint);
      },
    })),
  },
  {
    id: '2.2/long-code',
    requirement:
      'A forged code of up to 1,000 characters is `invalid_ticket` or gets 400; a longer one may get 413 or 431 too.',
    cells: SCANS.flatMap((endpoint) =>
      LENGTHS.map(
        (length): Cell => ({
          endpoint,
          variant: `${length}`,
          keys: [keyFor(endpoint)],
          ...decoyFor(endpoint, 1),
          async run(scan) {
            const code = scan.decoy().padEnd(length, 'A');
            const exchange = await scan.askAside(endpoint, code, quieterKey(scan, endpoint));
            const statuses = [400, ...(length > READ_CHARACTERS_MAX ? TOO_LONG : [])];
            const isRefused = read(exchange.answer).outcome !== 'granted';
            if (statuses.includes(exchange.answer.status) && isRefused) return;
            expectRefusedAs(
              exchange,
              endpoint,
              ['invalid_ticket'],
              `HTTP ${statuses.join(', HTTP ')}`,
            );
          },
        }),
      ),
    ),
  },
  {
    id: '7.1/no-500-for-any-code',
    requirement:
      '500 is for unexpected errors: no code gets one, however long and of whatever characters, and none of them opens a door.',
    cells: SCANS.flatMap((endpoint) =>
      ODD_CODES.map(
        ([variant, code]): Cell => ({
          endpoint,
          variant,
          keys: [keyFor(endpoint)],
          async run(scan) {
            const exchange = await scan.askAside(endpoint, code, quieterKey(scan, endpoint));
            if (['error', 'granted'].includes(read(exchange.answer).outcome))
              scan.fail('a refusal without a 5xx', describeAnswer(exchange.answer), exchange);
          },
        }),
      ),
    ),
  },
  {
    id: '2.2/answer-to-a-code-with-a-line-end',
    level: 'unstated',
    requirement: 'What a code with a newline after it gets: whether a code is trimmed is not said.',
    cells: on(VALIDATES, (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { single: 1 },
      run: async (scan) =>
        describeAnswer((await scan.ask(endpoint, `${scan.ticket('single').code}\n`)).answer),
    })),
  },
];

/** A display's text shows whether the signature was verified, also where the ticket is used up. @throws Deviation */
function expectForged(exchange: Exchange, endpoint: ScanEndpoint): void {
  if (isDevice(endpoint)) expectDenied(exchange, 'invalid_ticket');
  else expectTold(exchange, 'invalid_ticket');
}

/** Where more than one refusal is right. @throws Deviation */
function expectRefusedAs(
  exchange: Exchange,
  endpoint: ScanEndpoint,
  outcomes: readonly Outcome[],
  more = '',
): void {
  if (outcomes.includes(read(exchange.answer).outcome)) return;
  if (outcomes.length === 1 && more === '') expectForged(exchange, endpoint);
  throw new Deviation(
    [outcomes.join(' or '), more].filter(Boolean).join(', or '),
    describeAnswer(exchange.answer),
    exchange,
  );
}

function forgedCell(tampering: Tampering, endpoint: ScanEndpoint): Cell {
  return {
    endpoint,
    variant: tampering.name,
    keys: [keyFor(endpoint)],
    ...decoyFor(endpoint, 2),
    async run(scan) {
      const code = tampering.spoil(scan.decoy(), scan.decoy(1));
      if (code === undefined) return new NotApplicable('codes of this form cannot be changed so');
      expectForged(await scan.askForged(endpoint, code), endpoint);
      return undefined;
    },
  };
}

/** Every letter of a segment changed alone. */
function anyLetterCell(segment: Segment, endpoint: ScanEndpoint): Cell {
  return {
    endpoint,
    variant: `any-${segment}-letter`,
    keys: [keyFor(endpoint)],
    ...decoyFor(endpoint, 2),
    async run(scan) {
      const codes = oneLetterOff(scan.decoy(), segment, scan.decoy(1));
      if (codes.length === 0) return new NotApplicable('codes of this form have no such segment');
      const step = Math.ceil(codes.length / LETTERS_MAX);
      // the endpoints begin at different letters: together they cover more
      const first = SCANS.indexOf(endpoint) % step;
      const chosen = [...codes.entries()].filter(([at]) => at % step === first);
      const keys = keysFor(segment, endpoint, scan);
      for (let from = 0; from < chosen.length; from += AT_ONCE)
        await Promise.all(
          chosen.slice(from, from + AT_ONCE).map(async ([at, code]) => {
            const key = keys[at % keys.length];
            const exchange = await scan.askForged(endpoint, code, key);
            saying(`letter ${at + 1} was changed`, () => expectForged(exchange, endpoint));
          }),
        );
      return step === 1 ? undefined : `${chosen.length} of ${codes.length} letters were changed`;
    },
  };
}

/** Two keys are limited half as soon as one. Which event a changed identifier names, the scope could ask first. */
function keysFor(segment: Segment, endpoint: ScanEndpoint, scan: Scan): readonly KeyName[] {
  const scoped = scopedKeyFor(endpoint);
  const isInScope = segment === 'signature' && scan.hasKey(scoped);
  return isInScope ? [keyFor(endpoint), scoped] : [keyFor(endpoint)];
}

/** A lenient decoder skips what is not in its alphabet. */
function skippedCharacterCell(endpoint: ScanEndpoint): Cell {
  return {
    endpoint,
    variant: 'foreign-character-inside',
    keys: [keyFor(endpoint)],
    ...decoyFor(endpoint, 1),
    async run(scan) {
      const codes = withSkippedCharacters(scan.decoy(), SCANS.indexOf(endpoint));
      if (codes.length === 0) return new NotApplicable('codes of this form have no segments');
      const key = quieterKey(scan, endpoint);
      await Promise.all(
        codes.map(async ({ code, segment, what }) => {
          const exchange = await scan.askForged(endpoint, code, key);
          // the event is derived from the code: the scope may be asked before the signature
          const mayBeOutside = segment !== 'signature' && key !== keyFor(endpoint);
          const outside: Outcome[] = mayBeOutside ? ['event_not_allowed'] : [];
          saying(`${what} was added`, () =>
            expectRefusedAs(exchange, endpoint, ['invalid_ticket', ...outside]),
          );
        }),
      );
      return undefined;
    },
  };
}

/** The ticket of a shared answer: no other cell needs the use that a faulty server may take from it. */
function forgedKindCell(kind: (typeof KINDS)[number], endpoint: ScanEndpoint): Cell {
  const sample = sampleOf(kind === 'otherEvent' ? 'outOfScope' : kind, endpoint);
  const isShared = kind === 'permanent' && isConsume(endpoint);
  return {
    endpoint,
    variant: `code-of-${dashed(kind)}`,
    samples: [sample],
    ...(isShared ? { sharedCard: true } : {}),
    async run(scan) {
      await scan.sample(sample);
      const code = isShared ? scan.sharedCard() : scan.ticketOf(sample, kind).code;
      const forged = withOtherLastSignatureLetter(code);
      expectForged(await scan.askForged(endpoint, forged), endpoint);
      const scoped = scopedKeyFor(endpoint);
      if (kind === 'otherEvent' || !scan.hasKey(scoped)) return;
      const exchange = await scan.askForged(endpoint, forged, scoped);
      // a ticket that does not exist belongs to no event
      const outside: Outcome[] = kind === 'unknown' ? ['event_not_allowed'] : [];
      expectRefusedAs(exchange, endpoint, ['invalid_ticket', ...outside]);
    },
  };
}

/** Which is looked at first, the signature or the scope, is not said. */
const EITHER: readonly Outcome[] = ['invalid_ticket', 'event_not_allowed'];

function otherEventCell(endpoint: ScanEndpoint): Cell {
  const sample = sampleOf('outOfScope', endpoint);
  return {
    endpoint,
    variant: 'other-event',
    samples: [sample],
    async run(scan) {
      await scan.sample(sample);
      const forged = withOtherLastSignatureLetter(scan.ticketOf(sample, 'otherEvent').code);
      const exchange = await scan.askForged(endpoint, forged, scopedKeyFor(endpoint));
      expectRefusedAs(exchange, endpoint, EITHER);
    },
  };
}

function otherOrganisationCell(endpoint: ScanEndpoint): Cell {
  return {
    endpoint,
    variant: 'other-organisation',
    keys: [keyFor(endpoint)],
    tickets: { otherOrganisation: 1 },
    ...(isConsume(endpoint) ? { uses: {} } : {}),
    async run(scan) {
      const forged = withOtherLastSignatureLetter(scan.ticket('otherOrganisation').code);
      expectRefusedAs(await scan.askForged(endpoint, forged), endpoint, EITHER);
    },
  };
}
