import type { CheckCase } from '../case.ts';
import { expectFields, expectStatus, expectTypedFields } from '../expect.ts';
import type { TicketKind } from '../target.ts';

const REFUSED = [
  ['cancelled', { valid: false, status: 'rejected', reason: 'ticket_cancelled' }],
  ['notYetValid', { valid: false, status: 'rejected', reason: 'not_yet_valid' }],
  ['expired', { valid: false, status: 'rejected', reason: 'expired' }],
  ['exhausted', { valid: false, status: 'exhausted' }],
  ['unknown', { valid: false, status: 'not_found' }],
] as const satisfies readonly (readonly [TicketKind, object])[];

/** Section 4.2: POST /scan/consume. */
export const CONSUME_CASES: readonly CheckCase[] = [
  ...(['single', 'multi', 'personalised', 'windowed'] as const).map(
    (kind): CheckCase => ({
      id: `4.2/${kind}-consumed`,
      level: 'stated',
      samples: [`${kind} consumed`],
      requirement: `A good ticket (${kind}) is \`consumed\`, with valid true, scannedAt and HTTP 200.`,
      cause: 'A good ticket of this kind is refused, or the result is that of validate.',
      async run(scan) {
        const exchange = await scan.sample(`${kind} consumed`);
        expectFields(exchange, { valid: true, status: 'consumed' });
        expectTypedFields(exchange, ['scannedAt']);
        expectStatus(exchange, 200);
      },
    }),
  ),
  {
    id: '4.2/consume-registers-one-use',
    level: 'stated',
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
      id: `4.2/${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-not-consumed`,
      level: 'stated',
      keys: ['rest'],
      tickets: { [kind]: 1 },
      uses: {},
      requirement: `A ticket that is refused (${kind}) is refused on consume as on validate.`,
      cause: 'Consume makes fewer checks than validate.',
      async run(scan) {
        expectFields(await scan.consume(scan.ticket(kind).code), expected);
      },
    }),
  ),
  {
    id: '4.2/missing-code',
    level: 'stated',
    keys: ['rest'],
    requirement: 'Consume without ticketCode gets 400 as validate does.',
    cause: 'The body is checked on validate only.',
    async run(scan) {
      const exchange = await scan.send({ ...scan.restRequest('consume', ''), body: '{}' });
      expectStatus(exchange, 400);
      expectFields(exchange, { valid: false, status: 'rejected', reason: 'missing_ticket_code' });
    },
  },
];
