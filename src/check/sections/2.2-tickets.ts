import type { CheckCase } from '../case.ts';
import { NotApplicable } from '../case.ts';
import { describeAnswer } from '../exchange.ts';
import { countIn, expectFields, expectStatus } from '../expect.ts';
import { READER_CHANGES, TAMPERINGS, type Tampering } from '../facts/tamper.ts';
import type { ScanAction } from '../scan.ts';

const FORGED = { valid: false, status: 'rejected', reason: 'invalid_ticket' } as const;

/** Section 2.2: ticket types and ticket codes. */
export const TICKET_CASES: readonly CheckCase[] = [
  typeCase('single', 'single validated', 'A single ticket has ticketType `single`.', 'single'),
  typeCase('multi', 'multi validated', 'A multi-use card has ticketType `multi`.', 'multi'),
  typeCase('permanent', 'permanent validated', 'A permanent card has ticketType `multi`.', 'multi'),
  usesCase('single', 'single validated', 'A single ticket allows 1 use.', 1, 1),
  usesCase('multi', 'multi validated', 'A multi-use card allows 2 to 100 uses.', 2, 100),
  usesCase('permanent', 'permanent validated', 'A permanent card allows 9999 uses.', 9999, 9999),
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
  ...TAMPERINGS.map((tampering) => forgedCase(tampering)),
  ...READER_CHANGES.map((change) => readerCase(change)),
  ...['signature-last-letter', 'identifier-last-letter'].map((name) => deviceForgedCase(name)),
  forgedConsumeCase(),
];

function typeCase(
  kind: string,
  sample: string,
  requirement: string,
  ticketType: string,
): CheckCase {
  return {
    id: `2.2/${kind}-type`,
    level: 'stated',
    samples: [sample],
    requirement,
    cause: 'The type is derived from something else than what the ticket was sold as.',
    async run(scan) {
      expectFields(await scan.sample(sample), { ticketType });
    },
  };
}

function usesCase(
  kind: string,
  sample: string,
  requirement: string,
  least: number,
  most: number,
): CheckCase {
  return {
    id: `2.2/${kind}-uses-allowed`,
    level: 'stated',
    samples: [sample],
    requirement,
    cause: 'usesAllowed is stored or shown wrongly for this type.',
    async run(scan) {
      const allowed = countIn(await scan.sample(sample), 'usesAllowed');
      const range = least === most ? `${least}` : `${least} to ${most}`;
      if (allowed < least || allowed > most)
        scan.fail(`usesAllowed: ${range}`, `usesAllowed: ${allowed}`);
    },
  };
}

function forgedCase(tampering: Tampering): CheckCase {
  return {
    id: `2.2/forged-${tampering.name}`,
    level: 'stated',
    keys: ['rest'],
    tickets: { single: 2 },
    requirement: `A code ${tampering.what} is rejected as \`invalid_ticket\`.`,
    cause: 'The signature is not verified over the whole code, exactly as it stands.',
    async run(scan) {
      const code = tampering.spoil(scan.ticket('single').code, scan.ticket('single', 1).code);
      if (code === undefined) return new NotApplicable('codes of this form cannot be spoiled so');
      expectFields(await scan.validate(code), FORGED);
      return undefined;
    },
  };
}

function readerCase(change: Tampering): CheckCase {
  return {
    id: `2.2/code-with-${change.name}`,
    level: 'unstated',
    keys: ['rest'],
    tickets: { single: 1 },
    requirement: `What a code ${change.what} gets.`,
    cause: 'Whether a code is trimmed before it is verified is not said.',
    async run(scan) {
      const code = change.spoil(scan.ticket('single').code, '');
      return describeAnswer((await scan.validate(code ?? '')).answer);
    },
  };
}

function deviceForgedCase(name: string): CheckCase {
  const tampering = TAMPERINGS.find((one) => one.name === name);
  return {
    id: `2.2/device-forged-${name}`,
    level: 'stated',
    keys: ['hardware'],
    tickets: { single: 1 },
    requirement: `A device that reads a code ${tampering?.what} is told to stay closed.`,
    cause: 'The signature is verified on the REST endpoints only.',
    async run(scan) {
      const code = tampering?.spoil(scan.ticket('single').code, '');
      if (code === undefined) return new NotApplicable('codes of this form cannot be spoiled so');
      expectFields(await scan.hardware('validate', code), { AcsRes: '0' });
      return undefined;
    },
  };
}

function forgedConsumeCase(): CheckCase {
  const alias = TAMPERINGS.find(({ name }) => name === 'signature-alias');
  const ways: readonly (readonly [ScanAction, string, Tampering | undefined])[] = [
    ['consume', 'last letter', TAMPERINGS.find(({ name }) => name === 'signature-last-letter')],
    ['consume', 'alias', alias],
  ];
  return {
    id: '2.2/forged-codes-take-no-use',
    level: 'stated',
    keys: ['rest'],
    tickets: { single: 1 },
    uses: {},
    requirement: 'A manipulated code is rejected on consume too, and takes no use of the ticket.',
    cause: 'Consume trusts the identifier in a code whose signature it did not verify.',
    async run(scan) {
      const { code } = scan.ticket('single');
      for (const [action, , tampering] of ways) {
        const forged = tampering?.spoil(code, '');
        if (forged !== undefined)
          expectFields(await scan.send(scan.restRequest(action, forged)), FORGED);
      }
      const after = await scan.validate(code);
      expectStatus(after, 200);
      expectFields(after, { status: 'validated', usesConsumed: 0 });
    },
  };
}
