import type { CheckCase } from '../cases/case.ts';
import { judging, ruling } from '../cases/matrix.ts';
import { expectFields, expectStatus } from '../judging/expect.ts';
import { DEVICE, ENDPOINTS, REST } from '../requests/endpoint.ts';
import { describeAnswer } from '../requests/exchange.ts';
import { dashed, GOOD, GOOD_TOO } from '../samples/samples.ts';
import { isUsedUpMonth } from './7.1-used-up-month.ts';

const MISSING = { valid: false, status: 'rejected', reason: 'missing_ticket_code' } as const;

/** Bodies that have no usable ticketCode. */
const BAD_BODIES: readonly (readonly [string, string, string])[] = [
  ['empty-body', 'an empty body', ''],
  ['no-json', 'a body that is not JSON', 'ticketCode'],
  ['form-body', 'a form instead of JSON', 'ticketCode=TS1.tkt_a.b'],
  ['cut-json', 'JSON that breaks off', '{"ticketCode":"TS1.tkt_a.b"'],
  ['text-after-json', 'text after the JSON', '{"ticketCode":"TS1.tkt_a.b"} and more'],
  ['trailing-comma', 'JSON with a comma too many', '{"ticketCode":"TS1.tkt_a.b",}'],
  ['single-quotes', 'JSON with single quotes', "{'ticketCode':'TS1.tkt_a.b'}"],
  ['array', 'an array', '["TS1.tkt_a.b"]'],
  ['text', 'a JSON text', '"TS1.tkt_a.b"'],
  ['null', 'null', 'null'],
  ['number', 'a number', '17'],
  ['no-ticket-code', 'an object without ticketCode', '{"code":"TS1.tkt_a.b"}'],
  ['other-case', 'ticketcode in lower case', '{"ticketcode":"TS1.tkt_a.b"}'],
  ['empty-ticket-code', 'an empty ticketCode', '{"ticketCode":""}'],
  ['null-ticket-code', 'a ticketCode that is null', '{"ticketCode":null}'],
  ['number-ticket-code', 'a ticketCode that is a number', '{"ticketCode":12345}'],
  ['array-ticket-code', 'a ticketCode that is an array', '{"ticketCode":["TS1.tkt_a.b"]}'],
  ['object-ticket-code', 'a ticketCode that is an object', '{"ticketCode":{"a":"b"}}'],
  ['boolean-ticket-code', 'a ticketCode that is true', '{"ticketCode":true}'],
];

/** Section 7.1: HTTP status codes. */
export const STATUS_CASES: readonly CheckCase[] = [
  ...(['exhausted', 'cancelled', 'notYetValid', 'expired'] as const).map(
    (kind): CheckCase => ({
      id: `7.1/200-for-${dashed(kind)}`,
      requirement: `A ticket that exists but may not enter (${kind}) comes with HTTP 200 and valid false.`,
      cause: 'A refused ticket is reported as an HTTP error.',
      cells: judging([kind], REST, (exchange) => {
        expectStatus(exchange, 200);
        expectFields(exchange, { valid: false });
      }),
    }),
  ),
  {
    id: '7.1/200-for-a-grant',
    requirement: 'A device request that was processed and granted comes with HTTP 200.',
    cause: 'A grant is answered with another success status.',
    cells: judging([...GOOD, ...GOOD_TOO], DEVICE, (exchange) => {
      expectFields(exchange, { AcsRes: '1' });
      expectStatus(exchange, 200);
    }),
  },
  ...REST.map(
    (endpoint): CheckCase => ({
      id: `7.1/404-for-unknown${endpoint === 'consume' ? '-on-consume' : ''}`,
      requirement: `A ticket that does not exist comes with HTTP 404 on ${endpoint}.`,
      cause: 'A missing ticket is answered with 200.',
      cells: judging(['unknown'], [endpoint], (exchange) => expectStatus(exchange, 404)),
    }),
  ),
  ...BAD_BODIES.flatMap(([name, what, body]) =>
    REST.map(
      (endpoint): CheckCase => ({
        id: `7.1/400-for-${name}${endpoint === 'consume' ? '-on-consume' : ''}`,
        endpoint,
        keys: ['rest'],
        requirement: `A request with ${what} gets 400 on ${endpoint}, \`rejected\`, \`missing_ticket_code\`.`,
        cause: 'The body is not validated, is coerced, or the framework answers in its own format.',
        async run(scan) {
          const exchange = await scan.send({ ...scan.request(endpoint, ''), body });
          expectStatus(exchange, 400);
          expectFields(exchange, MISSING);
        },
      }),
    ),
  ),
  {
    id: '7.1/no-server-errors',
    phase: 'review',
    requirement:
      '500 is for unexpected errors: no request that the specification describes gets a 5xx.',
    cause: 'An exception is thrown for an input that is to be expected.',
    ...ruling(ENDPOINTS, ({ answer, level }) =>
      level === 'stated' && answer.status >= 500 ? ['no 5xx', describeAnswer(answer)] : undefined,
    ),
  },
  {
    id: '7.1/no-429-below-the-limit',
    phase: 'review',
    requirement: '429 is for more requests than allowed: a run below the limits gets none.',
    cause:
      'The limit is lower than 50 a second, or others use the same keys, or --max-rate is above the limit.',
    ...ruling(ENDPOINTS, ({ answer, caseId, excused }) =>
      answer.status === 429 && !isUsedUpMonth(caseId) && !excused
        ? ['no 429', describeAnswer(answer)]
        : undefined,
    ),
  },
  {
    id: '7.1/status-of-invalid-signature',
    level: 'unstated',
    requirement: 'The HTTP status of a result with reason `invalid_ticket`.',
    cause: 'It is not shown.',
    cells: judging(['forged'], REST, ({ answer }) => `HTTP ${answer.status}`),
  },
  {
    id: '7.1/order-of-401-and-400',
    level: 'unstated',
    requirement: 'Which answer comes first for a request with no key and no body.',
    cause: 'The order of the checks is not shown.',
    async run(scan) {
      const spec = {
        path: '/scan/validate',
        headers: [['content-type', 'application/json']],
        body: 'x',
      } as const;
      return describeAnswer((await scan.send(spec)).answer);
    },
  },
];
