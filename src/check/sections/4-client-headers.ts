import type { Cell, CheckCase } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  ENDPOINTS,
  type Endpoint,
  type Exchange,
  isDevice,
  isRest,
  validateFor,
} from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { expectFields, expectStatus, expectTypedFields } from '../judging/expect.ts';
import { on } from '../samples/matrix.ts';
import { keyFor, quieterKey, type Situation, sampleOf } from '../samples/samples.ts';
import { counted, expectCounted, expectUses, shown } from '../samples/uses.ts';
import {
  CLIENT_HEADERS,
  type ClientHeaders,
  HEADERS_TOGETHER,
  sentWith,
} from '../stimuli/client-headers.ts';
import { saying } from '../stimuli/saying.ts';

/** Refusals with a text of their own. Each header meets one of them on each endpoint, and on each endpoint another one. */
const REFUSALS = ['forged', 'exhausted', 'expired', 'notYetValid', 'unknown'] as const;
/** Those whose Note has an umlaut: it shows a translation, and another charset too. */
const WITH_UMLAUT = ['forged', 'exhausted', 'notYetValid'] as const;
/** What the specification fixes in an answer of each format. */
const FIXED = {
  rest: ['valid', 'status', 'reason'],
  device: ['AcsRes', 'Note'],
  heartbeat: ['Key'],
  unauthorised: ['message'],
} as const;

/** Sections 2, 4 and 7: what clients and proxies send besides what the specification asks for. */
export const CLIENT_HEADER_CASES: readonly CheckCase[] = [
  {
    id: '4/other-headers-change-nothing',
    requirement:
      'Which formats and languages a client prefers, and what proxies add, changes no decision and no text that the specification fixes.',
    cells: [
      ...CLIENT_HEADERS.flatMap((one, index) =>
        ENDPOINTS.map((endpoint) => headersCell(one, index, endpoint)),
      ),
      ...on(CONSUMES, usesCell),
    ],
  },
];

/** The shared answers that are asked for again with a header: a refusal by turns, and on REST that of the key and a grant that takes no use. */
function samplesFor(index: number, endpoint: Endpoint): string[] {
  if (endpoint === 'heartbeat') return [];
  const refusals = isDevice(endpoint) ? WITH_UMLAUT : REFUSALS;
  const turn = (index + ENDPOINTS.indexOf(endpoint)) % refusals.length;
  const situations: (Situation | 'noKey')[] = [refusals[turn] ?? 'forged'];
  if (isRest(endpoint)) situations.push('noKey');
  if (endpoint === 'validate' || endpoint === 'hw/validate') situations.push('single');
  return situations.map((situation) => sampleOf(situation, endpoint));
}

function headersCell(one: ClientHeaders, index: number, endpoint: Endpoint): Cell {
  const samples = samplesFor(index, endpoint);
  return {
    endpoint,
    variant: one.name,
    ...(endpoint === 'heartbeat' ? { keys: ['hardware'] } : { samples }),
    async run(scan) {
      const plain =
        endpoint === 'heartbeat'
          ? [await scan.once('a plain heartbeat', () => plainBeat(scan))]
          : await Promise.all(samples.map((name) => scan.sample(name)));
      for (const exchange of plain) {
        const request = sentWith(one, exchange.request);
        const withHeaders = await scan.aside((aside) => aside.send(request));
        if (one.mayBeRefused && isRefusedForIt(withHeaders, exchange)) continue;
        if (!scan.answers.isRightOutcome(exchange)) continue;
        saying(sentBeside(one), () => expectAlike(withHeaders, exchange, endpoint));
      }
    },
  };
}

/** A card that nobody has used: it is let in, and loses one use, whatever the client sends besides. */
function usesCell(endpoint: ConsumeEndpoint): Omit<Cell, 'endpoint'> {
  return {
    variant: 'uses-of-a-card',
    keys: [keyFor(endpoint)],
    tickets: { multi: 1 },
    uses: { multi: HEADERS_TOGETHER.length },
    async run(scan) {
      const card = await counted(scan, scan.ticket('multi').code, validateFor(endpoint));
      for (const one of HEADERS_TOGETHER.slice(0, card.allowed - card.used)) {
        const used = await shown(scan, card, endpoint, {
          send: (request) => scan.aside((aside) => aside.send(sentWith(one, request))),
        });
        saying(sentBeside(one), () => expectUses(used, card.allowed));
      }
      await expectCounted(scan, card, validateFor(endpoint));
    },
  };
}

function plainBeat(scan: Scan): Promise<Exchange> {
  return scan.send(scan.request('heartbeat', '', quieterKey(scan, 'heartbeat')));
}

/** Somebody on the way, or HTTP itself, has an answer of its own to such a header. */
function isRefusedForIt({ answer }: Exchange, plain: Exchange): boolean {
  const isOther = answer.status !== plain.answer.status;
  return (
    isOther && answer.status >= 400 && answer.status < 500 && read(answer).outcome !== 'granted'
  );
}

/** @throws Deviation where the decision or a fixed text is another one than without the headers */
function expectAlike(exchange: Exchange, plain: Exchange, endpoint: Endpoint): void {
  const { json, status } = plain.answer;
  // a plain answer that cannot be read is the finding of another case
  if (!isRecord(json)) return;
  if (!isDevice(endpoint)) expectStatus(exchange, status);
  // Any value of a request may come back to a heartbeat, another one each time.
  if (endpoint === 'heartbeat' && isRecord(exchange.answer.json) && 'Key' in exchange.answer.json)
    return;
  const names = FIXED[formatOf(plain, endpoint)];
  expectFields(exchange, Object.fromEntries(names.map((name) => [name, json[name]])));
  if (isRest(endpoint)) expectTypedFields(exchange, ['message']);
}

function formatOf({ answer }: Exchange, endpoint: Endpoint): keyof typeof FIXED {
  if (endpoint === 'heartbeat') return 'heartbeat';
  if (isDevice(endpoint)) return 'device';
  return answer.status === 401 ? 'unauthorised' : 'rest';
}

function sentBeside({ headers }: ClientHeaders): string {
  return `the client sent ${headers.map(([name, value]) => `${name}: ${value}`).join(', ')}`;
}
