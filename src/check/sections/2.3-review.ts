import type { CheckCase } from '../cases/case.ts';
import { reviewCases } from '../cases/matrix.ts';
import { show } from '../facts/json.ts';
import {
  FIELD_RULES,
  REASONS,
  TIME_FIELDS,
  VALID_OF_STATUS,
  wrongTypes,
} from '../facts/scan-result.ts';
import { readTimestamp } from '../facts/timestamp.ts';
import { REST } from '../requests/endpoint.ts';

const GRANT_FIELDS = [
  ...['ticketId', 'ticketType', 'usesAllowed', 'usesConsumed', 'usesRemaining'],
  ...['validFrom', 'validUntil'],
];

const reviewCase = reviewCases(REST, ['status', 'valid']);

/** Section 2.3: what holds for every scan result of the run, of any case. */
export const RESULT_REVIEW_CASES: readonly CheckCase[] = [
  reviewCase({
    id: '2.3/field-types',
    requirement: 'Every field of a result has the type that section 2.3 gives it.',
    cause: 'Numbers are sent as texts, times as numbers.',
    wrong: (result) => {
      const found = wrongTypes(result);
      const fields = found.map((one) => one.split(':')[0] ?? '');
      return found.length === 0
        ? undefined
        : ['the types of section 2.3', found.join('; '), fields];
    },
  }),
  reviewCase({
    id: '2.3/status-values',
    requirement: 'status is one of `validated`, `consumed`, `exhausted`, `rejected`, `not_found`.',
    cause: 'A status has another name or spelling.',
    wrong: ({ status }) =>
      typeof status === 'string' && status in VALID_OF_STATUS
        ? undefined
        : ['one of the five status values', `status: ${show(status)}`, ['status']],
  }),
  reviewCase({
    id: '2.3/valid-matches-status',
    requirement: 'valid is true with `validated` and `consumed`, false with every other status.',
    cause: 'valid is computed apart from the status, or is a text.',
    wrong: ({ valid, status }) => {
      const expected = VALID_OF_STATUS[String(status)];
      return expected === undefined || valid === expected
        ? undefined
        : [
            `valid: ${expected} with status ${show(status)}`,
            `valid: ${show(valid)}`,
            ['valid', 'status'],
          ];
    },
  }),
  reviewCase({
    id: '2.3/message-text',
    requirement: 'message is a human-readable status text.',
    cause: 'message is missing, empty or a code.',
    wrong: ({ message }) =>
      typeof message === 'string' && message.trim() !== ''
        ? undefined
        : ['message: text', `message: ${show(message)}`, ['message']],
  }),
  {
    ...reviewCase({
      id: '2.3/times-name-their-zone',
      requirement: 'scannedAt, validFrom and validUntil name their zone.',
      cause:
        'A time is written without its zone: a program in another zone reads it as another hour.',
      wrong: (result) => {
        const bare = TIME_FIELDS.filter((name) => readTimestamp(result[name])?.hasZone === false);
        return bare.length === 0
          ? undefined
          : ['a zone, as Z or +02:00', bare.map((name) => `${name}: ${result[name]}`).join(', ')];
      },
    }),
    level: 'observed',
  },
  reviewCase({
    id: '2.3/every-grant-is-whole',
    requirement:
      'Every result with valid true has the ticket, its type, the three use fields, validFrom and validUntil.',
    cause: 'Some answers are made elsewhere: from a cache, by another server or for a repeat.',
    wrong: (result) => {
      const missing = GRANT_FIELDS.filter((name) => FIELD_RULES[name]?.fits(result[name]) !== true);
      return result['valid'] !== true || missing.length === 0
        ? undefined
        : [
            GRANT_FIELDS.join(', '),
            missing.map((name) => `${name}: ${show(result[name])}`).join(', '),
            missing,
          ];
    },
  }),
  reviewCase({
    id: '2.3/uses-add-up',
    requirement: 'usesRemaining is usesAllowed minus usesConsumed in every result.',
    cause: 'The three numbers are not read in the same instant.',
    wrong: ({ usesAllowed, usesConsumed, usesRemaining }) =>
      usesAllowed === undefined || usesRemaining === Number(usesAllowed) - Number(usesConsumed)
        ? undefined
        : [
            `usesRemaining: ${Number(usesAllowed) - Number(usesConsumed)}`,
            `usesRemaining: ${show(usesRemaining)} of ${show(usesAllowed)} with ${show(usesConsumed)} consumed`,
            ['usesRemaining'],
          ],
  }),
  reviewCase({
    id: '2.3/type-fits-uses',
    requirement:
      'ticketType is `single` where usesAllowed is 1 and `multi` where it is more, in every result.',
    cause: 'The type is read from another ticket, or depends on the uses that are left.',
    wrong: ({ ticketType, usesAllowed }) => {
      const expected = usesAllowed === 1 ? 'single' : 'multi';
      return usesAllowed === undefined || ticketType === undefined || ticketType === expected
        ? undefined
        : [
            `ticketType: ${show(expected)} with usesAllowed ${show(usesAllowed)}`,
            `ticketType: ${show(ticketType)}`,
            ['ticketType'],
          ];
    },
  }),
  reviewCase({
    id: '2.3/reason-with-rejected',
    requirement: 'A rejected result has a reason, which is one of the documented ones.',
    cause: 'The reason is missing, or is an internal one.',
    wrong: ({ status, reason }) =>
      status !== 'rejected' || REASONS.includes(String(reason))
        ? undefined
        : ['one of the six reasons', `reason: ${show(reason)}`, ['reason']],
  }),
  {
    ...reviewCase({
      id: '2.3/reason-only-with-rejected',
      requirement: 'reason is there when the status is `rejected`, and not with another.',
      cause: 'The reason is always serialised.',
      wrong: ({ status, ...result }) =>
        status === 'rejected' || !('reason' in result)
          ? undefined
          : [
              `no reason with status ${show(status)}`,
              `reason: ${show(result['reason'])}`,
              ['reason'],
            ],
    }),
    level: 'observed',
  },
  reviewCase({
    id: '2.3/scanned-at-only-when-consumed',
    requirement: 'scannedAt is present only on consume results.',
    cause: 'The last scan of the ticket is shown on validate too.',
    endpoints: ['validate'],
    wrong: (result) =>
      'scannedAt' in result
        ? ['no scannedAt on validate', `scannedAt: ${show(result['scannedAt'])}`, ['scannedAt']]
        : undefined,
  }),
];
