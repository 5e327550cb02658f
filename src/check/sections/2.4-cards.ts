import type { Cell, CheckCase } from '../cases/case.ts';
import { judging, on } from '../cases/matrix.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { withOtherLastSignatureLetter } from '../facts/tamper.ts';
import { countIn, expectFields } from '../judging/expect.ts';
import { DEVICE, type DeviceEndpoint, pathOf } from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { cardOf } from '../requests/scan-request.ts';
import {
  baitFor,
  dashed,
  grantedCode,
  grantFor,
  REFUSED,
  type RefusedKind,
  sampleOf,
} from '../samples/samples.ts';

/** Beside 0, which every other request of a device comes from. */
const READERS = [1, 2, 3] as const;
const ODD_SERIAL = 'Z-99/äöü 0815';
/** What a device may say of itself. */
const SENDERS: readonly Readonly<Record<string, unknown>>[] = [
  ...[...READERS, 7].map((Reader) => ({ Reader })),
  ...[ODD_SERIAL, 'S'.repeat(65), '', 4711, undefined].map((Serial) => ({ Serial })),
];
type ShownKind = RefusedKind | 'forged' | 'outOfScope';

/** Section 2.4: what a device sends. */
export const CARD_CASES: readonly CheckCase[] = [
  {
    id: '2.4/card-is-decoded',
    requirement: 'Card is the QR content in Base64, which the service decodes.',
    cause: 'Card is taken as the code itself, or decoded as something else.',
    cells: judging(['single'], DEVICE, (exchange) => {
      expectFields(exchange, { AcsRes: '1' });
    }),
  },
  grantedCase(
    'reader-index',
    'Any Reader index is accepted, as sent by the device.',
    READERS.map((Reader) => ({ Reader })),
  ),
  grantedCase('any-serial', 'Any Serial is accepted, as sent by the device.', [
    { Serial: ODD_SERIAL },
  ]),
  ...[...REFUSED, 'forged' as const, 'outOfScope' as const].map(
    (kind): CheckCase => ({
      id: `2.4/${dashed(kind)}-at-every-reader`,
      requirement: `A ticket that is refused (${kind}) is refused at every Reader, with the Note that says why.`,
      cause:
        'A reader is taken for an exit, for a staff door or for a test, and opens for every ticket.',
      cells: on(DEVICE, (endpoint) => refusedAtReaders(kind, endpoint)),
    }),
  ),
  {
    id: '2.4/counted-at-every-reader',
    endpoint: 'hw/consume',
    keys: ['rest', 'hardware'],
    tickets: { permanent: 1 },
    uses: { permanent: SENDERS.length },
    requirement:
      'Each door that opens takes one use, for any Reader and Serial that the device sends.',
    cause: 'A reader, or a device without a serial or with an odd one, opens without counting.',
    async run(scan) {
      const { code } = scan.ticket('permanent');
      let used = countIn(await scan.validate(code), 'usesConsumed');
      const Card = cardOf(code);
      for (const from of SENDERS) {
        const exchange = await scan.send(scan.cardRequest('hw/consume', { Card, ...from }));
        // whether a device must say who it is, and whether it counts then, is not said
        const seen = countIn(await scan.validate(code), 'usesConsumed');
        used = isRefused(exchange) ? seen : used + 1;
        const what = JSON.stringify(from).slice(1, -1) || 'no Serial';
        if (seen !== used)
          scan.fail(
            `usesConsumed: ${used}`,
            `${seen} after the door opened with ${what}`,
            exchange,
          );
      }
    },
  },
  {
    id: '2.4/two-readers-one-ticket',
    requirement: 'What is in Card decides, not the reader that it was read by.',
    cause: 'The last card of a reader is kept and answered again.',
    cells: on(DEVICE, (endpoint) => ({
      ...grantFor(endpoint),
      async run(scan) {
        const genuine = grantedCode(scan, endpoint);
        expectFields(await scan.ask(endpoint, genuine), { AcsRes: '1' });
        expectFields(await scan.askForged(endpoint, `${genuine}AAAA`), { AcsRes: '0' });
      },
    })),
  },
  deniedCase('unreadable', 'A Card that is not Base64 is denied.', { Card: '!!! not base64 !!!' }),
  deniedCase('noise', 'A Card that decodes to no ticket code is denied.', {
    Card: Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x7f]).toString('base64'),
  }),
  refusedCase('empty', 'An empty Card opens no door.', { Card: '' }),
  refusedCase('missing', 'A request without Card opens no door.', {}),
  refusedCase('no-string', 'A Card that is not a string opens no door.', { Card: 12345 }),
  readCase('card-not-encoded', 'a Card that is the code itself, not encoded', (code) => ({
    Card: code,
  })),
  readCase('card-url-safe', 'a Card in URL-safe Base64', (code) => ({
    Card: Buffer.from(code).toString('base64url'),
  })),
  readCase('card-without-padding', 'a Card in Base64 without padding', (code) => ({
    Card: Buffer.from(code)
      .toString('base64')
      .replace(/={1,2}$/, ''),
  })),
  readCase('card-with-newlines', 'a Card in Base64 with line breaks', (code) => ({
    Card: Buffer.from(code)
      .toString('base64')
      .replace(/(.{40})/g, '$1\r\n'),
  })),
  readCase('reader-as-text', 'a Reader index sent as text', (code) => ({
    Card: cardOf(code),
    Reader: '1',
  })),
  readCase('more-fields', 'the further fields that controllers of this family send', (code) => ({
    Card: cardOf(code),
    type: 9,
    DataLen: code.length,
    Index: '1',
    Status: '0',
    Ver: '1.0',
    ID: 'A1',
    MAC: '00:11:22:33:44:55',
  })),
  modelCase('intercom', 'an intercom panel', 'application/json', (code) =>
    JSON.stringify({ identifier_number: code, identifier_type: 'qr' }),
  ),
  modelCase(
    'reader',
    'a reader that posts text',
    'text/plain',
    (code) => `vgdecoderesult=${code}&&devicenumber=001`,
  ),
];

function grantedCase(name: string, requirement: string, sent: readonly object[]): CheckCase {
  return {
    id: `2.4/${name}`,
    requirement,
    cause: 'The service wants to know the device beforehand.',
    cells: DEVICE.flatMap((endpoint) => sent.map((fields) => grantedCell(endpoint, fields))),
  };
}

function grantedCell(endpoint: DeviceEndpoint, fields: object): Cell {
  return {
    endpoint,
    variant: JSON.stringify(fields).slice(1, -1),
    ...grantFor(endpoint),
    async run(scan) {
      const Card = cardOf(grantedCode(scan, endpoint));
      const request = scan.cardRequest(endpoint, { Card, ...fields });
      expectFields(await scan.send(request), { AcsRes: '1' });
    },
  };
}

/** Shows the ticket of a shared answer at the readers which that answer is not from. */
function refusedAtReaders(kind: ShownKind, endpoint: DeviceEndpoint): Omit<Cell, 'endpoint'> {
  const sample = sampleOf(kind, endpoint);
  const isForged = kind === 'forged';
  // What the display shows for a cancelled ticket is not said.
  const note = kind === 'cancelled' ? {} : { Note: DENIAL_NOTES[kind] };
  return {
    ...(isForged ? { keys: ['hardware'], ...baitFor(endpoint, 1) } : { samples: [sample] }),
    async run(scan) {
      if (!isForged) await scan.sample(sample);
      const code = isForged
        ? withOtherLastSignatureLetter(scan.bait())
        : scan.ticketOf(sample, kind === 'outOfScope' ? 'otherEvent' : kind).code;
      const key = kind === 'outOfScope' ? 'hardwareScoped' : 'hardware';
      for (const Reader of [1, 2]) {
        const body = { Card: cardOf(code), Reader };
        const exchange = await scan.send(scan.cardRequest(endpoint, body, key));
        expectFields(exchange, { AcsRes: '0', ...note });
      }
    },
  };
}

function isRefused({ answer }: Exchange): boolean {
  return !isRecord(answer.json) || answer.json['AcsRes'] !== '1';
}

/** The device's format is known from the body, so the denial must be in it. */
function deniedCase(name: string, requirement: string, body: object): CheckCase {
  return {
    id: `2.4/card-${name}`,
    requirement,
    cause: 'A card that cannot be decoded ends in an error page or in a grant.',
    cells: on(DEVICE, (endpoint) => ({
      keys: ['hardware'],
      async run(scan) {
        expectFields(await scan.send(scan.cardRequest(endpoint, body)), { AcsRes: '0' });
      },
    })),
  };
}

function refusedCase(name: string, requirement: string, body: object): CheckCase {
  return {
    id: `2.4/card-${name}`,
    requirement,
    cause: 'What is missing is taken for what was sent before, or for valid.',
    cells: on(DEVICE, (endpoint) => ({
      keys: ['hardware'],
      async run(scan) {
        const { answer } = await scan.send(scan.cardRequest(endpoint, body));
        if (isRecord(answer.json) && String(answer.json['AcsRes']) === '1')
          scan.fail('no grant', describeAnswer(answer));
      },
    })),
  };
}

function readCase(name: string, what: string, body: (code: string) => object): CheckCase {
  return {
    id: `2.4/${name}`,
    level: 'unstated',
    keys: ['hardware'],
    tickets: { single: 1 },
    requirement: `What ${what} gets.`,
    cause: 'The specification does not say.',
    async run(scan) {
      const request = scan.cardRequest('hw/validate', body(scan.ticket('single').code));
      return describeAnswer((await scan.send(request)).answer);
    },
  };
}

function modelCase(
  name: string,
  what: string,
  type: string,
  body: (code: string) => string,
): CheckCase {
  return {
    id: `2.4/other-model-${name}`,
    level: 'unstated',
    keys: ['hardware'],
    tickets: { single: 1 },
    requirement: `What ${what} gets; the formats of other device models are not shown.`,
    cause: 'The specification does not say.',
    async run(scan) {
      const exchange = await scan.send({
        path: pathOf('hw/validate'),
        query: [['key', scan.key('hardware')]],
        headers: [['content-type', type]],
        body: body(scan.ticket('single').code),
      });
      return describeAnswer(exchange.answer);
    },
  };
}
