import type { Cell, CheckCase } from '../cases/case.ts';
import { describeAnswer, ENDPOINTS, isRest, REST, SCANS } from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { expectOnly, expectStatusOf, expectTold } from '../judging/expect.ts';
import { judging, on, ruling } from '../samples/matrix.ts';
import { decoyFor, outcomeOf, REFUSED } from '../samples/samples.ts';

/** Bodies that have no usable ticketCode. */
const BAD_BODIES: readonly (readonly [variant: string, body: string])[] = [
  ['empty', ''],
  ['no-json', 'ticketCode'],
  ['form-body', 'ticketCode=TS1.tkt_a.b'],
  ['cut-json', '{"ticketCode":"TS1.tkt_a.b"'],
  ['text-after-json', '{"ticketCode":"TS1.tkt_a.b"} and more'],
  ['trailing-comma', '{"ticketCode":"TS1.tkt_a.b",}'],
  ['single-quotes', "{'ticketCode':'TS1.tkt_a.b'}"],
  ['array', '["TS1.tkt_a.b"]'],
  ['array-of-objects', '[{"ticketCode":"TS1.tkt_a.b"}]'],
  ['text', '"TS1.tkt_a.b"'],
  ['null', 'null'],
  ['number', '17'],
  ['no-ticket-code', '{"code":"TS1.tkt_a.b"}'],
  ['other-case', '{"ticketcode":"TS1.tkt_a.b"}'],
  ['empty-ticket-code', '{"ticketCode":""}'],
  ['null-ticket-code', '{"ticketCode":null}'],
  ['number-ticket-code', '{"ticketCode":12345}'],
  ['array-ticket-code', '{"ticketCode":["TS1.tkt_a.b"]}'],
  ['object-ticket-code', '{"ticketCode":{"a":"b"}}'],
  ['boolean-ticket-code', '{"ticketCode":true}'],
];

/** Section 7.1: HTTP status codes. */
export const STATUS_CASES: readonly CheckCase[] = [
  {
    id: '7.1/status',
    states: ['the HTTP status'],
    requirement:
      'HTTP 200 comes with a ticket that exists and may not enter, 404 with one that does not exist, 400 with a missing ticketCode, 403 where the key has no access to the event.',
    cells: judging(
      [...REFUSED, 'noCode', 'outOfScope'],
      REST,
      (exchange, _, { situation, endpoint }) =>
        expectStatusOf(exchange, outcomeOf(situation, endpoint)),
    ),
  },
  {
    id: '7.1/bad-body',
    states: ['a body without a code'],
    requirement:
      'A request without a usable ticketCode gets 400, `rejected`, `missing_ticket_code`, whatever makes it so.',
    cells: REST.flatMap((endpoint) =>
      BAD_BODIES.map(
        ([variant, body]): Cell => ({
          endpoint,
          variant,
          keys: ['rest'],
          async run(scan) {
            const exchange = await scan.send({ ...scan.request(endpoint, ''), body });
            expectStatusOf(exchange, 'missing_ticket_code');
            expectTold(exchange, 'missing_ticket_code');
          },
        }),
      ),
    ),
  },
  {
    id: '7.1/used-up-month',
    requirement:
      'A key whose requests of the month are used up gets 429, with `Too Many Requests`; a device opens no door.',
    cells: on(SCANS, (endpoint) => {
      const key = isRest(endpoint) ? 'quotaExhausted' : 'hardwareQuotaExhausted';
      return {
        keys: [key],
        ...decoyFor(endpoint, 1),
        async run(scan) {
          const exchange = await scan.send(scan.request(endpoint, scan.decoy(), key));
          if (isRest(endpoint)) {
            expectStatusOf(exchange, 'limited');
            expectTold(exchange, 'limited');
            expectOnly(exchange, ['message']);
            return;
          }
          // refused, and not for the ticket: a used-up one is shown where nothing may be spent
          if (['granted', 'exhausted'].includes(read(exchange.answer).outcome))
            scan.fail('429, or a denial', describeAnswer(exchange.answer));
        },
      };
    }),
  },
  {
    id: '7.1/no-server-errors',
    phase: 'review',
    requirement:
      '500 is for unexpected errors: no request that the specification describes gets a 5xx.',
    ...ruling(ENDPOINTS, ({ answer, level, caseId }) =>
      level === 'stated' && answer.status >= 500
        ? ['no 5xx', `${describeAnswer(answer)}, in ${caseId}`]
        : undefined,
    ),
  },
  {
    id: '7.1/no-429-below-the-limit',
    phase: 'review',
    requirement: '429 is for more requests than allowed: a run below the limits gets none.',
    ...ruling(ENDPOINTS, ({ answer, caseId, excused }) =>
      answer.status === 429 && !caseId.startsWith('7.1/used-up-month') && !excused
        ? ['no 429', describeAnswer(answer)]
        : undefined,
    ),
  },
  {
    id: '7.1/status-of-invalid-signature',
    level: 'unstated',
    requirement: 'The HTTP status of a result with reason `invalid_ticket`.',
    cells: judging(['forged'], REST, ({ answer }) => `HTTP ${answer.status}`),
  },
];
