import type { CheckCase } from '../cases/case.ts';
import { judging, on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { TICKET_FIELDS } from '../facts/scan-result.ts';
import {
  expectAbsent,
  expectEqual,
  expectFields,
  expectOnly,
  expectTypedFields,
  objectOf,
} from '../judging/expect.ts';
import { REST } from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import { NO_TICKET } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

const ERROR_BODIES = [
  ['400', 'noCode', { valid: false, status: 'rejected', reason: 'missing_ticket_code' }],
  ['403', 'outOfScope', { valid: false, status: 'rejected', reason: 'event_not_allowed' }],
  ['404', 'unknown', { valid: false, status: 'not_found' }],
  ['invalid-signature', 'forged', { valid: false, status: 'rejected', reason: 'invalid_ticket' }],
] as const;

/** Section 7.2: REST error bodies. */
export const ERROR_BODY_CASES: readonly CheckCase[] = [
  ...ERROR_BODIES.map(
    ([name, situation, expected]): CheckCase => ({
      id: `7.2/body-of-${name}`,
      requirement: `The body of a ${name.replace('-', ' ')} answer has ${Object.keys(expected).join(', ')} and a message.`,
      cause: "The error body is the framework's own.",
      cells: judging([situation], REST, (exchange) => {
        expectFields(exchange, expected);
        expectTypedFields(exchange, ['message']);
      }),
    }),
  ),
  ...ERROR_BODIES.slice(0, 3).map(
    ([name, situation]): CheckCase => ({
      id: `7.2/no-ticket-data-in-${name}`,
      requirement: `The body of a ${name} answer says nothing about a ticket.`,
      cause: 'The ticket is looked up, and shown, before the request is judged.',
      cells: judging([situation], REST, (exchange) => expectAbsent(exchange, TICKET_FIELDS)),
    }),
  ),
  {
    id: '7.2/message-of-401',
    requirement: 'The body of a 401 has the single field message, with the text `Forbidden`.',
    cause: 'The text is `Unauthorized`, or the body has more fields.',
    cells: judging(['noKey'], REST, expectForbidden),
  },
  forbiddenCase(
    'unknown-key-body',
    'An unknown key gets the same body as a missing one: message `Forbidden` alone.',
    'The answer shows whether a key exists.',
  ),
  forbiddenCase(
    'deleted-key-body',
    'A deleted key gets the same body as a missing one: message `Forbidden` alone.',
    'The answer shows that the key existed.',
    'deleted',
  ),
];

function expectForbidden(exchange: Exchange): void {
  expectEqual(objectOf(exchange)['message'], 'Forbidden', 'message', exchange);
  expectOnly(exchange, ['message']);
}

function forbiddenCase(name: string, requirement: string, cause: string, key?: KeyName): CheckCase {
  const refusedKey = (scan: Scan) => (key ? scan.key(key) : UNKNOWN_KEY);
  return {
    id: `7.2/${name}`,
    requirement,
    cause,
    cells: on(REST, (endpoint) => ({
      keys: key ? [key] : [],
      async run(scan) {
        const request = withKey(keylessRequest(endpoint, NO_TICKET), refusedKey(scan));
        expectForbidden(await scan.sendRefused(request));
      },
    })),
  };
}
