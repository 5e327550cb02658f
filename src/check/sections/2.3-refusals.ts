import type { CheckCase } from '../case.ts';
import { expectFields, expectOnly, expectTypedFields, objectOf } from '../expect.ts';
import { TICKET_FIELDS } from '../facts/scan-result.ts';
import type { TicketKind } from '../target.ts';

const LIFECYCLE = [
  ['cancelled', 'cancelled', 'ticket_cancelled', 'that was cancelled'],
  ['notYetValid', 'not yet valid', 'not_yet_valid', 'whose validFrom lies in the future'],
  ['expired', 'expired', 'expired', 'whose validUntil has passed'],
] as const satisfies readonly (readonly [TicketKind, string, string, string])[];

/** Section 2.3: the results of tickets that may not enter. */
export const REFUSAL_CASES: readonly CheckCase[] = [
  ...LIFECYCLE.map(
    ([, name, reason, what]): CheckCase => ({
      id: `2.3/reason-${reason.replaceAll('_', '-')}`,
      level: 'stated',
      samples: [`${name} validated`],
      requirement: `A ticket ${what} is \`rejected\` with reason \`${reason}\` on validate.`,
      cause: `The state is not looked at, or reported under another name.`,
      async run(scan) {
        const expected = { valid: false, status: 'rejected', reason };
        expectFields(await scan.sample(`${name} validated`), expected);
      },
    }),
  ),
  {
    id: '2.3/exhausted-fields',
    level: 'stated',
    samples: ['exhausted validated'],
    requirement:
      'An exhausted result carries ticketId, ticketType and the three use fields, with usesRemaining 0.',
    cause: 'The exhausted answer is built as a rejection, without the ticket.',
    async run(scan) {
      const exchange = await scan.sample('exhausted validated');
      expectFields(exchange, { valid: false, status: 'exhausted' });
      expectTypedFields(exchange, [
        'message',
        'ticketId',
        'ticketType',
        'usesAllowed',
        'usesConsumed',
      ]);
      expectFields(exchange, { usesRemaining: 0 });
    },
  },
  {
    id: '2.3/exhausted-uses',
    level: 'stated',
    samples: ['exhausted validated'],
    requirement: 'On an exhausted ticket usesConsumed equals usesAllowed.',
    cause: 'The counters of a refused scan are not those of the ticket.',
    async run(scan) {
      const result = objectOf(await scan.sample('exhausted validated'));
      expectFields(await scan.sample('exhausted validated'), {
        usesConsumed: result['usesAllowed'],
      });
    },
  },
  {
    id: '2.3/not-found-status',
    level: 'stated',
    samples: ['unknown validated'],
    requirement: 'A correctly signed code of a ticket that does not exist is `not_found`.',
    cause: 'A missing ticket is reported as a rejection or as a plain error.',
    async run(scan) {
      expectFields(await scan.sample('unknown validated'), { valid: false, status: 'not_found' });
    },
  },
  onlyCase('rejected-for-signature-only', 'forged validated', 'A result for an invalid signature', [
    'valid',
    'status',
    'reason',
    'message',
  ]),
  onlyCase('missing-code-only', 'code missing', 'A result for a missing ticketCode', [
    'valid',
    'status',
    'reason',
    'message',
  ]),
  onlyCase('out-of-scope-only', 'out of scope validated', 'A result for an event-scope violation', [
    'valid',
    'status',
    'reason',
    'message',
  ]),
  onlyCase('not-found-only', 'unknown validated', 'A not_found result', [
    'valid',
    'status',
    'message',
  ]),
  onlyCase('exhausted-only', 'exhausted validated', 'An exhausted result', [
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
    samples: LIFECYCLE.map(([, name]) => `${name} validated`),
    requirement: 'Which fields of the ticket a cancelled, not yet valid or expired one shows.',
    cause: 'The specification shows no such result.',
    async run(scan) {
      const seen: string[] = [];
      for (const [, name] of LIFECYCLE) {
        const result = objectOf(await scan.sample(`${name} validated`));
        const fields = TICKET_FIELDS.filter((field) => field in result);
        seen.push(`${name}: ${fields.join(', ') || 'none'}`);
      }
      return seen.join('; ');
    },
  },
];

function onlyCase(
  name: string,
  sample: string,
  what: string,
  fields: readonly string[],
): CheckCase {
  return {
    id: `2.3/${name}`,
    level: 'observed',
    samples: [sample],
    requirement: `${what} carries ${fields.join(', ')} only.`,
    cause: 'More is told than the samples show.',
    async run(scan) {
      expectOnly(await scan.sample(sample), fields);
    },
  };
}
