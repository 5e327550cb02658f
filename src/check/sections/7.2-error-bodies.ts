import type { CheckCase } from '../case.ts';
import {
  expectAbsent,
  expectEqual,
  expectFields,
  expectOnly,
  expectTypedFields,
  objectOf,
} from '../expect.ts';
import { TICKET_FIELDS } from '../facts/scan-result.ts';
import type { Scan } from '../scan.ts';

const ERROR_BODIES = [
  ['400', 'code missing', { valid: false, status: 'rejected', reason: 'missing_ticket_code' }],
  [
    '403',
    'out of scope validated',
    { valid: false, status: 'rejected', reason: 'event_not_allowed' },
  ],
  ['404', 'unknown validated', { valid: false, status: 'not_found' }],
  [
    'invalid-signature',
    'forged validated',
    { valid: false, status: 'rejected', reason: 'invalid_ticket' },
  ],
] as const;

/** Section 7.2: REST error bodies. */
export const ERROR_BODY_CASES: readonly CheckCase[] = [
  ...ERROR_BODIES.map(
    ([name, sample, expected]): CheckCase => ({
      id: `7.2/body-of-${name}`,
      level: 'stated',
      samples: [sample],
      requirement: `The body of a ${name.replace('-', ' ')} answer has ${Object.keys(expected).join(', ')} and a message.`,
      cause: "The error body is the framework's own.",
      async run(scan) {
        const exchange = await scan.sample(sample);
        expectFields(exchange, expected);
        expectTypedFields(exchange, ['message']);
      },
    }),
  ),
  ...ERROR_BODIES.slice(0, 3).map(
    ([name, sample]): CheckCase => ({
      id: `7.2/no-ticket-data-in-${name}`,
      level: 'stated',
      samples: [sample],
      requirement: `The body of a ${name} answer tells nothing about a ticket.`,
      cause: 'The ticket is looked up, and shown, before the request is judged.',
      async run(scan) {
        expectAbsent(await scan.sample(sample), TICKET_FIELDS);
      },
    }),
  ),
  {
    id: '7.2/message-of-401',
    level: 'stated',
    samples: ['key missing'],
    requirement: 'The body of a 401 has the single field message, with the text `Forbidden`.',
    cause: 'The text is `Unauthorized`, or the body has more fields.',
    async run(scan) {
      const exchange = await scan.sample('key missing');
      expectEqual(objectOf(exchange)['message'], 'Forbidden', 'message', exchange);
      expectOnly(exchange, ['message']);
    },
  },
  {
    id: '7.2/unknown-key-body',
    level: 'stated',
    requirement: 'An unknown key gets the same body as a missing one: message `Forbidden` alone.',
    cause: 'The answer tells whether a key exists.',
    run: (scan) => forbidden(scan, 'unknown-key-000000000000'),
  },
  {
    id: '7.2/deleted-key-body',
    level: 'stated',
    keys: ['deleted'],
    requirement: 'A deleted key gets the same body as a missing one: message `Forbidden` alone.',
    cause: 'The answer tells that the key existed.',
    run: (scan) => forbidden(scan, scan.key('deleted')),
  },
];

async function forbidden(scan: Scan, key: string): Promise<void> {
  const exchange = await scan.send({
    path: '/scan/validate',
    headers: [
      ['x-api-key', key],
      ['content-type', 'application/json'],
    ],
    body: '{"ticketCode":"A.tkt_none.B"}',
  });
  expectFields(exchange, { message: 'Forbidden' });
  expectOnly(exchange, ['message']);
}
