import type { Cell, CheckCase } from '../case.ts';
import { NotApplicable } from '../case.ts';
import { DEVICE, isDevice, REST, SCANS, type ScanEndpoint } from '../endpoint.ts';
import { describeAnswer, type Exchange } from '../exchange.ts';
import { countIn, expectFields, expectStatus } from '../expect.ts';
import { DENIAL_NOTES, usesInNote } from '../facts/device-answer.ts';
import {
  READER_CHANGES,
  TAMPERINGS,
  type Tampering,
  withOtherLastSignatureLetter,
} from '../facts/tamper.ts';
import { judging, on } from '../matrix.ts';
import { baitFor, type GoodKind, grantedCode, grantFor, keyFor } from '../samples.ts';

const FORGED = { valid: false, status: 'rejected', reason: 'invalid_ticket' } as const;

/** Section 2.2: ticket types and ticket codes. */
export const TICKET_CASES: readonly CheckCase[] = [
  typeCase('single', 'A single ticket has ticketType `single`.', 'single'),
  typeCase('multi', 'A multi-use card has ticketType `multi`.', 'multi'),
  typeCase('permanent', 'A permanent card has ticketType `multi`.', 'multi'),
  usesCase('single', 'A single ticket allows 1 use.', 1, 1),
  usesCase('multi', 'A multi-use card allows 2 to 100 uses.', 2, 100),
  usesCase('permanent', 'A permanent card allows 9999 uses.', 9999, 9999),
  {
    id: '2.2/card-of-100',
    level: 'stated',
    requirement: 'A multi-use card may have up to 100 uses: a card of 100 says so.',
    cause: 'The number of uses is cut, or kept in a field that is too small.',
    cells: [
      ...judging(['hundred'], REST, (exchange) => {
        expectFields(exchange, { ticketType: 'multi', usesAllowed: 100 });
      }),
      ...judging(['hundred'], DEVICE, (exchange, scan) => {
        const { AcsRes, Note } = expectFields(exchange, { AcsRes: '1' });
        if (usesInNote(Note)?.allowed !== 100)
          scan.fail('AcsRes: "1", Note: (<used>/100)', `AcsRes: ${AcsRes}, Note: ${Note}`);
      }),
    ],
  },
  {
    id: '2.2/answer-at-the-end-of-a-permanent-card',
    level: 'unstated',
    requirement: 'What a permanent card gets that was used 9999 times.',
    cause: 'A permanent card has unlimited uses, and usesAllowed 9999: the end is not described.',
    // only asked: a server that lets it in would change it
    cells: on(['validate', 'hw/validate'], (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { permanentEnded: 1 },
      run: async (scan) =>
        describeAnswer((await scan.ask(endpoint, scan.ticket('permanentEnded').code)).answer),
    })),
  },
  {
    id: '2.2/code-form',
    level: 'unstated',
    tickets: { single: 1 },
    requirement:
      'A ticket code has three segments: a prefix, an identifier that starts with `tkt_`, and a signature.',
    cause: 'The codes of this deployment have another form than the documented sample.',
    async run(scan) {
      const segments = scan.ticket('single').code.split('.');
      const sample = segments.length === 3 && segments[1]?.startsWith('tkt_');
      return sample
        ? `as in the documented sample, with prefix ${segments[0]}`
        : `${segments.length} segments, unlike the documented sample`;
    },
  },
  {
    id: '2.2/identifier-is-the-ticket-id',
    level: 'observed',
    keys: ['rest'],
    tickets: { single: 1 },
    requirement: 'In the documented sample the middle segment of a code is the ticketId.',
    cause: 'The code carries another identifier than the results.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const segments = code.split('.');
      const exchange = await scan.validate(code);
      if (segments.length !== 3) return 'the code has another form than the sample';
      expectFields(exchange, { ticketId: segments[1] });
      return undefined;
    },
  },
  ...TAMPERINGS.map((tampering) => ({
    id: `2.2/forged-${tampering.name}`,
    level: 'stated' as const,
    requirement: `A code ${tampering.what} is rejected as \`invalid_ticket\`, and opens no door.`,
    cause: 'The signature is not verified over the whole code, exactly as it stands.',
    cells: on(SCANS, (endpoint) => forgedCell(tampering, endpoint)),
  })),
  ...READER_CHANGES.map((change) => readerCase(change)),
  ...TAMPERINGS.filter(({ name }) =>
    ['signature-last-letter', 'identifier-last-letter'].includes(name),
  ).map(
    (tampering): CheckCase => ({
      id: `2.2/device-forged-${tampering.name}`,
      level: 'stated',
      requirement: `A device that reads a code ${tampering.what} is told to stay closed.`,
      cause: 'The signature is verified on the REST endpoints only.',
      cells: on(DEVICE, (endpoint) => forgedCell(tampering, endpoint)),
    }),
  ),
  {
    id: '2.2/forged-codes-take-no-use',
    level: 'stated',
    requirement: 'A manipulated code is rejected on consume too, and takes no use of the ticket.',
    cause: 'Consume trusts the identifier in a code whose signature it did not verify.',
    cells: on(['consume', 'hw/consume'], (endpoint) => ({
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
    level: 'stated',
    requirement: 'A manipulated code is rejected after its genuine code was let in as well.',
    cause: 'A ticket or a connection counts as verified once its genuine code came.',
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
];

function typeCase(kind: GoodKind, requirement: string, ticketType: string): CheckCase {
  return {
    id: `2.2/${kind}-type`,
    level: 'stated',
    requirement,
    cause: 'The type is derived from something else than what the ticket was sold as.',
    cells: judging([kind], REST, (exchange) => {
      expectFields(exchange, { ticketType });
    }),
  };
}

function usesCase(kind: GoodKind, requirement: string, least: number, most: number): CheckCase {
  return {
    id: `2.2/${kind}-uses-allowed`,
    level: 'stated',
    requirement,
    cause: 'usesAllowed is stored or shown wrongly for this type.',
    cells: judging([kind], REST, (exchange, scan) => {
      const allowed = countIn(exchange, 'usesAllowed');
      const range = least === most ? `${least}` : `${least} to ${most}`;
      if (allowed < least || allowed > most)
        scan.fail(`usesAllowed: ${range}`, `usesAllowed: ${allowed}`);
    }),
  };
}

function forgedCell(tampering: Tampering, endpoint: ScanEndpoint): Omit<Cell, 'endpoint'> {
  return {
    keys: [keyFor(endpoint)],
    ...baitFor(endpoint, 2),
    async run(scan) {
      const code = tampering.spoil(scan.bait(), scan.bait(1));
      if (code === undefined) return new NotApplicable('codes of this form cannot be changed so');
      expectForged(await scan.askForged(endpoint, code), endpoint);
      return undefined;
    },
  };
}

/** The text that the display shows tells a code that was not verified from one that was, also where the ticket is spent. */
function expectForged(exchange: Exchange, endpoint: ScanEndpoint): void {
  expectFields(exchange, isDevice(endpoint) ? { AcsRes: '0', Note: DENIAL_NOTES.forged } : FORGED);
}

function readerCase(change: Tampering): CheckCase {
  return {
    id: `2.2/code-with-${change.name}`,
    level: 'unstated',
    requirement: `What a code ${change.what} gets.`,
    cause: 'Whether a code is trimmed before it is verified is not said.',
    cells: on(['validate', 'hw/validate'], (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { single: 1 },
      async run(scan) {
        const code = change.spoil(scan.ticket('single').code, '');
        return describeAnswer((await scan.ask(endpoint, code ?? '')).answer);
      },
    })),
  };
}
