import type { Cell, CheckCase } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { TargetTicket } from '../deployment/target.ts';
import {
  type Answer,
  CONSUMES,
  type ConsumeEndpoint,
  describeAnswer,
  ENDPOINTS,
  type Endpoint,
  isConsume,
  isDevice,
  pathOf,
  type RequestSpec,
  SCANS,
  type ScanEndpoint,
  VALIDATES,
  type ValidateEndpoint,
} from '../facts/exchange.ts';
import { answeredOrNot } from '../facts/failures.ts';
import { read } from '../facts/reading.ts';
import { expectFields, expectStatusOf, expectTold, expectTypedFields } from '../judging/expect.ts';
import { cardOf } from '../requests/scan-request.ts';
import { judging, on } from '../samples/matrix.ts';
import {
  dashed,
  decoyFor,
  GOOD,
  GOOD_TOO,
  grantedCode,
  grantFor,
  keyFor,
  outcomeOf,
  quieterKey,
  REFUSED,
  REFUSED_AS_SUCH,
} from '../samples/samples.ts';
import { CONTENT_TYPES } from '../stimuli/client-headers.ts';
import { askedBy, OTHER_METHODS, type OtherMethod } from '../stimuli/methods.ts';
import { saying } from '../stimuli/saying.ts';

/** Guests whose tickets are shown, at most. */
const GUESTS = 12;
/** Tickets of a kind that are refused whoever has them, at most. */
const UNLIKE_TICKETS = 8;

/** Sections 4 to 4.4: what the four scan endpoints answer, and to which requests. */
export const ENDPOINT_CASES: readonly CheckCase[] = [
  {
    id: '4/good-ticket',
    states: ['a good ticket'],
    requirement:
      'A good ticket of each kind is let in: `validated` or `consumed` with valid true (and scannedAt), AcsRes "1" at devices, with HTTP 200.',
    cells: [
      ...judging([...GOOD, ...GOOD_TOO], SCANS, (exchange, _, { endpoint }) => {
        expectTold(exchange, 'granted');
        if (endpoint === 'consume') expectTypedFields(exchange, ['scannedAt']);
        expectStatusOf(exchange, 'granted');
      }),
      ...on(VALIDATES, everyGuest),
    ],
  },
  {
    id: '4/refused-ticket',
    states: ['a refused ticket'],
    requirement:
      'A ticket that may not enter is refused on each endpoint, with the status and reason of its state; at devices with AcsRes, ActIndex and Time "0".',
    cells: [
      ...judging(REFUSED, SCANS, (exchange, _, { endpoint, situation }) => {
        expectTold(exchange, outcomeOf(situation, endpoint));
      }),
      ...REFUSED_AS_SUCH.flatMap((kind) =>
        on(CONSUMES, (endpoint) => everyRefused(kind, endpoint)),
      ),
    ],
  },
  {
    id: '4/other-methods-let-nobody-in',
    requirement:
      'All endpoints use POST: no other method gives a scan result, opens a door or confirms a heartbeat.',
    cells: ENDPOINTS.flatMap((endpoint) =>
      OTHER_METHODS.filter(({ isSilent }) => !isSilent).map((other) =>
        otherMethodCell(endpoint, other),
      ),
    ),
  },
  {
    id: '4/other-methods-take-no-use',
    requirement: 'All endpoints use POST: no other method consumes.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { single: 1 },
      uses: {},
      async run(scan) {
        const { code } = scan.ticket('single');
        for (const other of OTHER_METHODS) {
          await answerTo(scan, carrying(code, askedBy(other, scan.request(endpoint, code))));
          const after = await scan.validate(code, quieterKey(scan, 'validate'));
          saying(`a consume was sent as ${other.name}`, () =>
            expectFields(after, { status: 'validated', usesConsumed: 0 }),
          );
        }
      },
    })),
  },
  {
    id: '4/answer-to-get',
    level: 'unstated',
    requirement: 'What GET on a scan endpoint gets.',
    cells: on(['validate', 'hw/consume'], (endpoint) => ({
      async run(scan) {
        const { answer } = await scan.send({ method: 'GET', path: pathOf(endpoint) });
        const allow = answer.headers['allow'];
        return describeAnswer(answer) + (allow === undefined ? '' : `, Allow: ${allow}`);
      },
    })),
  },
  {
    id: '4.1/same-body-in-another-form',
    requirement:
      'A body means the same with `charset=utf-8`, with white space, with JSON escapes, and in chunks (RFC 9112, 7.1).',
    cells: SCANS.flatMap((endpoint) => [
      ...Object.entries(CONTENT_TYPES).map(([variant, type]) =>
        sameBodyCell(endpoint, variant, (request) => ({
          ...request,
          headers: (request.headers ?? []).map(([name, value]) =>
            name === 'content-type' ? [name, type] : [name, value],
          ),
        })),
      ),
      sameBodyCell(endpoint, 'white-space', (request) => ({
        ...request,
        body: `\r\n ${JSON.stringify(JSON.parse(String(request.body)), null, '\t')} \n`,
      })),
      sameBodyCell(endpoint, 'escapes', (request, code) => ({
        ...request,
        body: String(request.body).replace(JSON.stringify(code), `"${escaped(code)}"`),
      })),
      {
        ...sameBodyCell(endpoint, 'chunks', (request) => ({ ...request, isChunked: true })),
        // only clients that do not know the length beforehand send it so
        level: 'observed',
      },
    ]),
  },
  {
    id: '4.1/answer-to-an-odd-body',
    level: 'unstated',
    requirement: 'What bodies get of which the specification says nothing.',
    cells: [
      oddBodyCell('no-content-type', (request) => ({
        ...request,
        headers: request.headers?.slice(0, 1) ?? [],
      })),
      oddBodyCell('further-members', (request, code) => ({
        ...request,
        body: JSON.stringify({ ticketCode: code, gate: 'north', at: null }),
      })),
      oddBodyCell('ticket-code-twice', (request, code) => ({
        ...request,
        body: `{"ticketCode":"first","ticketCode":${JSON.stringify(code)}}`,
      })),
      oddBodyCell('byte-order-mark', (request) => ({
        ...request,
        body: `\ufeff${request.body}`,
      })),
    ],
  },
];

function otherMethodCell(endpoint: Endpoint, other: OtherMethod): Cell {
  return {
    endpoint,
    variant: other.name,
    keys: [keyFor(endpoint)],
    ...(endpoint === 'heartbeat' ? {} : decoyFor(endpoint, 1)),
    // an intact ticket with a good key goes to a consume endpoint only with consent
    ...(isConsume(endpoint) ? { uses: {} } : {}),
    async run(scan) {
      const code = endpoint === 'heartbeat' ? '' : scan.decoy();
      const request = scan.request(endpoint, code, quieterKey(scan, endpoint));
      const answer = await answerTo(scan, askedBy(other, request));
      if (answer && ['granted', 'exhausted', 'confirmed'].includes(read(answer).outcome))
        scan.fail(`${other.name} not served`, describeAnswer(answer));
    },
  };
}

/** The request of a device with the card in its query too, where a handler of GET looks for it. */
function carrying(code: string, request: RequestSpec): RequestSpec {
  if (!request.path.includes('/hw/')) return request;
  return { ...request, query: [...(request.query ?? []), ['Card', cardOf(code)]] };
}

/** What another method gets; undefined for a closed connection, which serves nothing either. */
async function answerTo(scan: Scan, request: RequestSpec): Promise<Answer | undefined> {
  return (await answeredOrNot(() => scan.send(request)))?.answer;
}

type Change = (request: RequestSpec, code: string) => RequestSpec;

function sameBodyCell(endpoint: ScanEndpoint, variant: string, change: Change): Cell {
  return {
    endpoint,
    variant,
    ...grantFor(endpoint),
    async run(scan) {
      const code = grantedCode(scan, endpoint);
      const sent = isDevice(endpoint) ? cardOf(code) : code;
      const exchange = await scan.send(change(scan.request(endpoint, code), sent));
      expectFields(exchange, isDevice(endpoint) ? { AcsRes: '1' } : { valid: true });
    },
  };
}

function oddBodyCell(variant: string, change: Change): Cell {
  return {
    endpoint: 'validate',
    variant,
    keys: ['rest'],
    tickets: { single: 1 },
    async run(scan) {
      const { code } = scan.ticket('single');
      return describeAnswer((await scan.send(change(scan.request('validate', code), code))).answer);
    },
  };
}

function escaped(text: string): string {
  return [...text]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Guests with names of other lengths and letters than the first: what is stored, sent and cut of them may err for one. */
function everyGuest(endpoint: ValidateEndpoint): Omit<Cell, 'endpoint'> {
  return {
    variant: 'every-guest',
    keys: [keyFor(endpoint)],
    tickets: { personalised: 1 },
    every: 'personalised',
    async run(scan) {
      const guests = new Map(
        scan.tickets('personalised').map((one) => [JSON.stringify(one.holder) ?? one.code, one]),
      );
      const hardestFirst = [...guests.values()].toSorted((a, b) => bytesOf(b) - bytesOf(a));
      for (const { code } of hardestFirst.slice(0, GUESTS)) {
        const exchange = await scan.ask(endpoint, code);
        // others may have used it before
        if (read(exchange.answer).outcome !== 'exhausted') expectTold(exchange, 'granted');
      }
    },
  };
}

/** A door may look at the state of some tickets only: those with a guest, a window or many uses are shown first. */
function everyRefused(
  kind: (typeof REFUSED_AS_SUCH)[number],
  endpoint: ConsumeEndpoint,
): Omit<Cell, 'endpoint'> {
  return {
    variant: `every-${dashed(kind)}`,
    keys: [keyFor(endpoint)],
    tickets: { [kind]: 1 },
    uses: {},
    every: kind,
    async run(scan) {
      const alike = Map.groupBy(scan.tickets(kind), shapeOf);
      const unlike = [...alike.values()].flatMap(([first]) => first ?? []);
      for (const { code } of unlike.slice(0, UNLIKE_TICKETS))
        expectTold(await scan.ask(endpoint, code), outcomeOf(kind, endpoint));
    },
  };
}

/** What a ticket has, as far as a target says it. */
function shapeOf({ holder, usesAllowed, validFrom, validUntil }: TargetTicket): string {
  const window = [validFrom, validUntil].map((time) => time !== undefined);
  return JSON.stringify([holder !== undefined, usesAllowed, ...window]);
}

/** How long a name is in bytes, as displays count: letters outside of ASCII have more than one. */
function bytesOf({ holder }: TargetTicket): number {
  return Buffer.byteLength(JSON.stringify(holder ?? ''));
}
