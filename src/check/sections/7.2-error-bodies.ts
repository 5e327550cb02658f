import type { Cell, CheckCase } from '../cases/case.ts';
import { type Exchange, REST } from '../facts/exchange.ts';
import { TICKET_FIELDS } from '../facts/scan-result.ts';
import {
  expectAbsent,
  expectEqual,
  expectFields,
  expectOnly,
  expectTypedFields,
  objectOf,
} from '../judging/expect.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import { judging } from '../samples/matrix.ts';
import { NO_TICKET } from '../samples/samples.ts';

const BODIES = {
  noCode: { valid: false, status: 'rejected', reason: 'missing_ticket_code' },
  outOfScope: { valid: false, status: 'rejected', reason: 'event_not_allowed' },
  unknown: { valid: false, status: 'not_found' },
  forged: { valid: false, status: 'rejected', reason: 'invalid_ticket' },
} as const;

/** Section 7.2: REST error bodies. */
export const ERROR_BODY_CASES: readonly CheckCase[] = [
  {
    id: '7.2/error-body',
    buildsOn: ['7.1/bad-body'],
    requirement:
      'The body of a refusal has valid, status, where it is rejected a reason, and a message.',
    cells: judging(
      Object.keys(BODIES) as (keyof typeof BODIES)[],
      REST,
      (exchange, _, { situation }) => {
        expectFields(exchange, BODIES[situation]);
        expectTypedFields(exchange, ['message']);
      },
    ),
  },
  {
    id: '7.2/no-ticket-data',
    requirement: 'The body of a 400, 403 or 404 says nothing about a ticket.',
    cells: judging(['noCode', 'outOfScope', 'unknown'], REST, (exchange) =>
      expectAbsent(exchange, TICKET_FIELDS),
    ),
  },
  {
    id: '7.2/body-of-401',
    buildsOn: ['5/refused-key', '3.1/deleted-key-refused'],
    requirement:
      'The body of a 401 has the single field message, with the text `Forbidden`: for a missing, an unknown and a deleted key alike.',
    cells: REST.flatMap((endpoint): Cell[] => [
      ...judging(['noKey'], [endpoint], expectForbidden).map((cell) => ({
        ...cell,
        variant: 'no-key',
      })),
      ...(['unknown-key', 'deleted-key'] as const).map(
        (variant): Cell => ({
          endpoint,
          variant,
          keys: variant === 'deleted-key' ? ['deleted'] : [],
          async run(scan) {
            const key = variant === 'deleted-key' ? scan.key('deleted') : UNKNOWN_KEY;
            const request = withKey(keylessRequest(endpoint, NO_TICKET), key);
            expectForbidden(await scan.sendRefused(request));
          },
        }),
      ),
    ]),
  },
];

function expectForbidden(exchange: Exchange): void {
  expectEqual(objectOf(exchange)['message'], 'Forbidden', 'message', exchange);
  expectOnly(exchange, ['message']);
}
