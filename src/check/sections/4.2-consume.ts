import type { CheckCase } from '../cases/case.ts';
import { judging } from '../cases/matrix.ts';
import { expectFields, expectStatus, expectTypedFields } from '../judging/expect.ts';
import { GOOD, GOOD_TOO, type RefusedKind } from '../samples/samples.ts';

const REFUSED = [
  ['cancelled', { valid: false, status: 'rejected', reason: 'ticket_cancelled' }],
  ['notYetValid', { valid: false, status: 'rejected', reason: 'not_yet_valid' }],
  ['expired', { valid: false, status: 'rejected', reason: 'expired' }],
  ['exhausted', { valid: false, status: 'exhausted' }],
  ['unknown', { valid: false, status: 'not_found' }],
] as const satisfies readonly (readonly [RefusedKind, object])[];

const dashed = (kind: string) => kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Section 4.2: POST /scan/consume. */
export const CONSUME_CASES: readonly CheckCase[] = [
  ...[...GOOD, ...GOOD_TOO].map(
    (kind): CheckCase => ({
      id: `4.2/${dashed(kind)}-consumed`,
      requirement: `A good ticket (${kind}) is \`consumed\`, with valid true, scannedAt and HTTP 200.`,
      cause: 'A good ticket of this kind is refused, or the result is that of validate.',
      cells: judging([kind], ['consume'], (exchange) => {
        expectFields(exchange, { valid: true, status: 'consumed' });
        expectTypedFields(exchange, ['scannedAt']);
        expectStatus(exchange, 200);
      }),
    }),
  ),
  {
    id: '4.2/consume-registers-one-use',
    endpoint: 'consume',
    keys: ['rest'],
    tickets: { multi: 1 },
    uses: { multi: 1 },
    requirement: 'One use is registered on success.',
    cause: 'The answer says consumed, and nothing (or too much) is stored.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = expectTypedFields(await scan.validate(code), ['usesConsumed']);
      expectFields(await scan.consume(code), { status: 'consumed' });
      expectFields(await scan.validate(code), { usesConsumed: Number(before['usesConsumed']) + 1 });
    },
  },
  ...REFUSED.map(
    ([kind, expected]): CheckCase => ({
      id: `4.2/${dashed(kind)}-not-consumed`,
      requirement: `A ticket that is refused (${kind}) is refused on consume as on validate.`,
      cause: 'Consume makes fewer checks than validate.',
      cells: judging([kind], ['consume'], (exchange) => {
        expectFields(exchange, expected);
      }),
    }),
  ),
  {
    id: '4.2/missing-code',
    requirement: 'Consume without ticketCode gets 400 as validate does.',
    cause: 'The body is checked on validate only.',
    cells: judging(['noCode'], ['consume'], (exchange) => {
      expectStatus(exchange, 400);
      expectFields(exchange, { valid: false, status: 'rejected', reason: 'missing_ticket_code' });
    }),
  },
];
