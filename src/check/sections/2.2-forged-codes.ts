import type { Cell, CheckCase } from '../cases/case.ts';
import { NotApplicable } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import {
  READER_CHANGES,
  TAMPERINGS,
  type Tampering,
  withOtherLastSignatureLetter,
} from '../facts/tamper.ts';
import { Deviation } from '../judging/deviation.ts';
import { expectFields, expectStatus, objectOf } from '../judging/expect.ts';
import {
  CONSUMES,
  DEVICE,
  isConsume,
  isDevice,
  LOOKS,
  SCANS,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import {
  baitFor,
  dashed,
  GOOD,
  GOOD_TOO,
  grantedCode,
  grantFor,
  keyFor,
  REFUSED,
  sampleOf,
  scopedKeyFor,
} from '../samples/samples.ts';
import { expectForged, FORGED_LETTER_CASES } from './2.2-forged-letters.ts';

/** Tickets whose state or kind a server may look at before the signature; single ones are forged in every way. */
const KINDS = [...GOOD, ...REFUSED, ...GOOD_TOO, 'otherEvent' as const].filter(
  (kind) => kind !== 'single',
);

/** Section 2.2: a manipulated or damaged code. */
export const FORGED_CODE_CASES: readonly CheckCase[] = [
  ...TAMPERINGS.map((tampering) => ({
    id: `2.2/forged-${tampering.name}`,
    level: 'stated' as const,
    requirement: `A code ${tampering.what} is rejected as \`invalid_ticket\`, and opens no door.`,
    cause: 'The signature is not verified over the whole code, exactly as it was sent.',
    cells: on(SCANS, (endpoint) => forgedCell(tampering, endpoint)),
  })),
  ...FORGED_LETTER_CASES,
  ...KINDS.map(
    (kind): CheckCase => ({
      id: `2.2/forged-code-of-${dashed(kind)}`,
      requirement: `A manipulated code of a ticket (${kind}) is rejected as \`invalid_ticket\`, and says nothing about the ticket.`,
      cause: 'What is known about the ticket is answered before the signature is looked at.',
      cells: on(SCANS, (endpoint) => forgedKindCell(kind, endpoint)),
    }),
  ),
  {
    id: '2.2/forged-with-a-scoped-key',
    requirement:
      'A manipulated code is rejected as `invalid_ticket` with a key for selected events.',
    cause: 'The scope is looked at instead of the signature.',
    cells: on(SCANS, (endpoint) => ({
      keys: [scopedKeyFor(endpoint)],
      ...baitFor(endpoint, 1),
      async run(scan) {
        const code = withOtherLastSignatureLetter(scan.bait());
        expectForged(await scan.askForged(endpoint, code, scopedKeyFor(endpoint)), endpoint);
      },
    })),
  },
  {
    id: '2.2/forged-of-another-event',
    requirement:
      'A manipulated code of an event that the key has no access to is refused, for one reason or the other.',
    cause: 'An event outside the scope is looked at in another place, which forgets the signature.',
    cells: on(SCANS, (endpoint) => {
      const sample = sampleOf('outOfScope', endpoint);
      return {
        samples: [sample],
        async run(scan) {
          await scan.sample(sample);
          const { code } = scan.ticketOf(sample, 'otherEvent');
          const forged = withOtherLastSignatureLetter(code);
          expectRefused(await scan.askForged(endpoint, forged, scopedKeyFor(endpoint)), endpoint);
        },
      };
    }),
  },
  {
    id: '2.2/forged-code-of-other-organisation',
    requirement:
      'A manipulated code of a ticket of another organisation is refused, for one reason or the other.',
    cause: 'Whom a ticket belongs to is looked at in another place, which forgets the signature.',
    cells: on(SCANS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { otherOrganisation: 1 },
      ...(isConsume(endpoint) ? { uses: {} } : {}),
      async run(scan) {
        const forged = withOtherLastSignatureLetter(scan.ticket('otherOrganisation').code);
        expectRefused(await scan.askForged(endpoint, forged), endpoint);
      },
    })),
  },
  ...READER_CHANGES.map((change) => readerCase(change)),
  ...TAMPERINGS.filter(({ name }) =>
    ['signature-last-letter', 'identifier-last-letter'].includes(name),
  ).map(
    (tampering): CheckCase => ({
      id: `2.2/device-forged-${tampering.name}`,
      requirement: `A device that reads a code ${tampering.what} gets a denial.`,
      cause: 'The signature is verified on the REST endpoints only.',
      cells: on(DEVICE, (endpoint) => forgedCell(tampering, endpoint)),
    }),
  ),
  {
    id: '2.2/forged-codes-take-no-use',
    requirement: 'A manipulated code is rejected on consume too, and takes no use of the ticket.',
    cause: 'Consume trusts the identifier in a code whose signature it did not verify.',
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

/** The ticket of a shared answer: no other cell needs the use that a faulty server may take from it. */
function forgedKindCell(
  kind: (typeof KINDS)[number],
  endpoint: ScanEndpoint,
): Omit<Cell, 'endpoint'> {
  const sample = sampleOf(kind === 'otherEvent' ? 'outOfScope' : kind, endpoint);
  const isPurse = kind === 'permanent' && isConsume(endpoint);
  return {
    samples: [sample],
    ...(isPurse ? { purse: true } : {}),
    async run(scan) {
      await scan.sample(sample);
      const code = isPurse ? scan.purse() : scan.ticketOf(sample, kind).code;
      const forged = withOtherLastSignatureLetter(code);
      expectForged(await scan.askForged(endpoint, forged), endpoint);
      const scoped = scopedKeyFor(endpoint);
      if (kind === 'otherEvent' || !scan.hasKey(scoped)) return;
      const exchange = await scan.askForged(endpoint, forged, scoped);
      // a ticket that does not exist belongs to no event
      if (kind === 'unknown') expectRefused(exchange, endpoint);
      else expectForged(exchange, endpoint);
    },
  };
}

/** Which is looked at first, the signature or the scope, is not said. */
function expectRefused(exchange: Exchange, endpoint: ScanEndpoint): void {
  const json = objectOf(exchange);
  const notes: readonly unknown[] = [DENIAL_NOTES.forged, DENIAL_NOTES.outOfScope];
  const reasons: readonly unknown[] = ['invalid_ticket', 'event_not_allowed'];
  const isRefused = isDevice(endpoint)
    ? json['AcsRes'] === '0' && notes.includes(json['Note'])
    : json['valid'] === false && reasons.includes(json['reason']);
  if (!isRefused)
    throw new Deviation(
      isDevice(endpoint) ? `AcsRes: "0", Note: ${notes.join(' or ')}` : reasons.join(' or '),
      describeAnswer(exchange.answer),
      exchange,
    );
}

function readerCase(change: Tampering): CheckCase {
  return {
    id: `2.2/code-with-${change.name}`,
    level: 'unstated',
    requirement: `What a code ${change.what} gets.`,
    cause: 'Whether a code is trimmed before it is verified is not said.',
    cells: on(LOOKS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { single: 1 },
      async run(scan) {
        const code = change.spoil(scan.ticket('single').code, '');
        return describeAnswer((await scan.ask(endpoint, code ?? '')).answer);
      },
    })),
  };
}
