import type { Cell, CheckCase } from '../cases/case.ts';
import { type Exchange, REST } from '../facts/exchange.ts';
import { TICKET_FIELDS } from '../facts/scan-result.ts';
import { expectAbsent, expectOnly, expectTold, expectTypedFields } from '../judging/expect.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import { judging } from '../samples/matrix.ts';
import { NO_TICKET, outcomeOf } from '../samples/samples.ts';

/** Section 7.2: REST error bodies. */
export const ERROR_BODY_CASES: readonly CheckCase[] = [
  {
    id: '7.2/error-body',
    buildsOn: ['7.1/bad-body'],
    requirement:
      'The body of a refusal has valid, status, where it is rejected a reason, and a message.',
    cells: judging(
      ['noCode', 'outOfScope', 'unknown', 'forged'],
      REST,
      (exchange, _, { situation, endpoint }) => {
        expectTold(exchange, outcomeOf(situation, endpoint));
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
  expectTold(exchange, 'unauthorised');
  expectOnly(exchange, ['message']);
}
