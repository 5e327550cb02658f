import type { Cell, CheckCase } from '../cases/case.ts';
import { judging } from '../cases/matrix.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { TICKET_FIELDS } from '../facts/scan-result.ts';
import { expectFields, expectOnly, expectTypedFields, objectOf } from '../judging/expect.ts';
import { isConsume, isDevice, REST, SCANS, type ScanEndpoint } from '../requests/endpoint.ts';
import { keyFor, type RefusedKind, type sampleOf } from '../samples/samples.ts';

const LIFECYCLE = [
  ['cancelled', 'ticket_cancelled', 'that was cancelled'],
  ['notYetValid', 'not_yet_valid', 'whose validFrom lies in the future'],
  ['expired', 'expired', 'whose validUntil has passed'],
] as const satisfies readonly (readonly [RefusedKind, string, string])[];

/** Section 2.3: the results of tickets that may not enter. */
export const REFUSAL_CASES: readonly CheckCase[] = [
  ...LIFECYCLE.map(
    ([kind, reason, what]): CheckCase => ({
      id: `2.3/reason-${reason.replaceAll('_', '-')}`,
      requirement: `A ticket ${what} is \`rejected\` with reason \`${reason}\`.`,
      cause: `The state is not looked at, or reported under another name.`,
      cells: judging([kind], REST, (exchange) => {
        expectFields(exchange, { valid: false, status: 'rejected', reason });
      }),
    }),
  ),
  {
    id: '2.3/close-to-the-window',
    requirement:
      'A ticket is refused until its validFrom and from its validUntil on, also within the hour.',
    cause: 'Times are compared in another zone, by the day, or with some hours of grace.',
    cells: SCANS.flatMap((endpoint) =>
      (['notYetValid', 'expired'] as const).map((kind) => closeToWindow(kind, endpoint)),
    ),
  },
  {
    id: '2.3/exhausted-fields',
    requirement:
      'An exhausted result carries ticketId, ticketType and the three use fields, with usesRemaining 0.',
    cause: 'The exhausted answer is built as a rejection, without the ticket.',
    cells: judging(['exhausted'], REST, (exchange) => {
      expectFields(exchange, { valid: false, status: 'exhausted' });
      const fields = ['message', 'ticketId', 'ticketType', 'usesAllowed', 'usesConsumed'];
      expectTypedFields(exchange, fields);
      expectFields(exchange, { usesRemaining: 0 });
    }),
  },
  {
    id: '2.3/exhausted-uses',
    requirement: 'On an exhausted ticket usesConsumed equals usesAllowed.',
    cause: 'The counters of a refused scan are not those of the ticket.',
    cells: judging(['exhausted'], REST, (exchange) => {
      expectFields(exchange, { usesConsumed: objectOf(exchange)['usesAllowed'] });
    }),
  },
  {
    id: '2.3/not-found-status',
    requirement: 'A correctly signed code of a ticket that does not exist is `not_found`.',
    cause: 'A missing ticket is reported as a rejection or as a plain error.',
    cells: judging(['unknown'], REST, (exchange) => {
      expectFields(exchange, { valid: false, status: 'not_found' });
    }),
  },
  onlyCase('rejected-for-signature-only', 'forged', 'A result for an invalid signature', [
    'valid',
    'status',
    'reason',
    'message',
  ]),
  onlyCase('missing-code-only', 'noCode', 'A result for a missing ticketCode', [
    'valid',
    'status',
    'reason',
    'message',
  ]),
  onlyCase('out-of-scope-only', 'outOfScope', 'A result for an event-scope violation', [
    'valid',
    'status',
    'reason',
    'message',
  ]),
  onlyCase('not-found-only', 'unknown', 'A not_found result', ['valid', 'status', 'message']),
  onlyCase('exhausted-only', 'exhausted', 'An exhausted result', [
    'valid',
    'status',
    'message',
    'ticketId',
    'ticketType',
    'usesAllowed',
    'usesConsumed',
    'usesRemaining',
  ]),
  {
    id: '2.3/ticket-fields-of-rejections',
    level: 'unstated',
    requirement: 'Which fields of the ticket a cancelled, not yet valid or expired one shows.',
    cause: 'The specification shows no such result.',
    cells: judging(['cancelled', 'notYetValid', 'expired'], REST, (exchange) => {
      const result = objectOf(exchange);
      return TICKET_FIELDS.filter((field) => field in result).join(', ') || 'none';
    }),
  },
];

/** Two tickets: of those that `seed` makes, every second one begins or ended within the hour. */
function closeToWindow(kind: 'notYetValid' | 'expired', endpoint: ScanEndpoint): Cell {
  const reason = kind === 'expired' ? 'expired' : 'not_yet_valid';
  return {
    endpoint,
    variant: kind,
    keys: [keyFor(endpoint)],
    tickets: { [kind]: 2 },
    ...(isConsume(endpoint) ? { uses: {} } : {}),
    async run(scan) {
      const refused = isDevice(endpoint)
        ? { AcsRes: '0', Note: DENIAL_NOTES[kind] }
        : { valid: false, status: 'rejected', reason };
      const codes = [0, 1].map((index) => scan.ticket(kind, index).code);
      await Promise.all(
        codes.map(async (code) => expectFields(await scan.ask(endpoint, code), refused)),
      );
    },
  };
}

function onlyCase(
  name: string,
  situation: Parameters<typeof sampleOf>[0],
  what: string,
  fields: readonly string[],
): CheckCase {
  return {
    id: `2.3/${name}`,
    level: 'observed',
    requirement: `${what} carries ${fields.join(', ')} only.`,
    cause: 'The answer says more than the samples show.',
    cells: judging([situation], REST, (exchange) => expectOnly(exchange, fields)),
  };
}
