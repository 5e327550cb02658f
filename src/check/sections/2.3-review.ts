import type { CheckCase } from '../cases/case.ts';
import { REST } from '../facts/exchange.ts';
import { isRecord, show } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import {
  FIELD_RULES,
  isTyped,
  REASONS,
  RESULT_FIELDS,
  TIME_FIELDS,
  VALID_OF_STATUS,
} from '../facts/scan-result.ts';
import { isNear, readTimestamp } from '../facts/timestamp.ts';
import { reviewCases, ruling, wrongFields } from '../samples/matrix.ts';

const EXHAUSTED_FIELDS = [
  ...['ticketId', 'ticketType', 'usesAllowed', 'usesConsumed', 'usesRemaining'],
];
const GRANT_FIELDS = [...EXHAUSTED_FIELDS, 'validFrom', 'validUntil'];
/** Clocks differ, and so do the moments of scanning and of answering. */
const CLOCK_TOLERANCE_MS = 120_000;

const reviewCase = reviewCases(REST, ['status', 'valid']);

/** Section 2.3: what holds for every scan result of the run, of any case. */
export const RESULT_REVIEW_CASES: readonly CheckCase[] = [
  reviewCase({
    id: '2.3/field-types',
    buildsOn: [
      '3.2/race',
      '3.2/card-of-100-up-to-its-limit',
      '4/refused-ticket',
      '2.2/uses-allowed',
    ],
    requirement: 'Every field of a result has the type that section 2.3 gives it.',
    wrong(result) {
      const isWrong = (name: string) => result[name] !== undefined && !isTyped(result, name);
      const names = RESULT_FIELDS.filter(isWrong);
      const types = names.map((name) => `${name}: ${FIELD_RULES[name]?.type}`);
      return wrongFields(result, names, types.join(', '));
    },
  }),
  reviewCase({
    id: '2.3/status-values',
    requirement: 'status is one of `validated`, `consumed`, `exhausted`, `rejected`, `not_found`.',
    wrong(result) {
      const isKnown = Object.hasOwn(VALID_OF_STATUS, String(result['status']));
      return wrongFields(result, isKnown ? [] : ['status'], 'one of the five status values');
    },
  }),
  reviewCase({
    id: '2.3/valid-matches-status',
    requirement: 'valid is true with `validated` and `consumed`, false with every other status.',
    wrong(result) {
      const expected = VALID_OF_STATUS[String(result['status'])];
      return expected === undefined || result['valid'] === expected
        ? undefined
        : wrongFields(result, ['valid', 'status'], `valid: ${expected} with that status`);
    },
  }),
  reviewCase({
    id: '2.3/message-text',
    requirement: 'message is a human-readable status text.',
    wrong: (result) =>
      wrongFields(result, isTyped(result, 'message') ? [] : ['message'], 'message: text'),
  }),
  reviewCase({
    id: '2.3/times-name-their-zone',
    level: 'observed',
    requirement: 'scannedAt, validFrom and validUntil name their zone.',
    wrong(result) {
      const bare = TIME_FIELDS.filter((name) => readTimestamp(result[name])?.hasZone === false);
      return wrongFields(result, bare, 'a zone, as Z or +02:00');
    },
  }),
  reviewCase({
    id: '2.3/grant-fields',
    requirement:
      'Every result with valid true has the ticket, its type, the three use fields, validFrom and validUntil.',
    wrong(result) {
      if (String(result['valid']) !== 'true') return undefined;
      const missing = GRANT_FIELDS.filter((name) => !isTyped(result, name));
      return wrongFields(result, missing, GRANT_FIELDS.join(', '));
    },
  }),
  reviewCase({
    id: '2.3/exhausted-fields',
    buildsOn: ['2.2/uses-allowed', '2.3/uses-allowed-as-sold', '3.2/card-of-100-up-to-its-limit'],
    requirement:
      'An exhausted result carries ticketId, ticketType and the three use fields: usesConsumed equal to usesAllowed, usesRemaining 0.',
    wrong(result) {
      if (result['status'] !== 'exhausted') return undefined;
      const uses: typeof result = { usesConsumed: result['usesAllowed'], usesRemaining: 0 };
      const isRight = (name: string) =>
        isTyped(result, name) && (!(name in uses) || result[name] === uses[name]);
      return wrongFields(
        result,
        EXHAUSTED_FIELDS.filter((name) => !isRight(name)),
        'ticketId, ticketType, usesAllowed, usesConsumed as many, usesRemaining 0',
      );
    },
  }),
  {
    id: '2.3/scanned-at-is-now',
    phase: 'review',
    requirement: 'Every ticket that is consumed has a scannedAt, the time of its consumption.',
    ...ruling(['consume'], ({ answer, level, startedAt }) => {
      if (level !== 'stated' || !isRecord(answer.json) || read(answer).outcome !== 'granted')
        return undefined;
      const { scannedAt } = answer.json;
      const moment = readTimestamp(scannedAt);
      // this machine's clock, and the server's own by its Date header
      const nows = [startedAt.getTime(), Date.parse(answer.headers['date'] ?? '')];
      if (moment && nows.some((now) => isNear(moment, now, CLOCK_TOLERANCE_MS))) return undefined;
      const zone = moment?.hasZone === false ? ', without a zone: read as UTC' : '';
      return [
        `scannedAt: about ${startedAt.toISOString()}`,
        `scannedAt: ${show(scannedAt)}${zone}`,
        ['scannedAt'],
      ];
    }),
  },
  reviewCase({
    id: '2.3/uses-add-up',
    requirement: 'usesRemaining is usesAllowed minus usesConsumed in every result.',
    wrong(result) {
      const { status, usesAllowed, usesConsumed, usesRemaining } = result;
      const isWhole = [usesAllowed, usesConsumed, usesRemaining].every(Number.isInteger);
      const rest = Number(usesAllowed) - Number(usesConsumed);
      // What is missing or of another type breaks other rules, and so do the uses of an exhausted ticket.
      if (!isWhole || status === 'exhausted' || usesRemaining === rest) return undefined;
      return rest < 0
        ? [
            `usesConsumed: at most ${usesAllowed}, the usesAllowed of this answer`,
            `usesConsumed: ${usesConsumed}`,
            ['usesConsumed'],
          ]
        : [
            `usesRemaining: ${rest}`,
            `usesRemaining: ${usesRemaining} of ${usesAllowed} with ${usesConsumed} consumed`,
            ['usesRemaining'],
          ];
    },
  }),
  reviewCase({
    id: '2.3/type-fits-uses',
    states: ['the fact ticketType'],
    buildsOn: ['2.2/uses-allowed'],
    requirement:
      'ticketType is `single` where usesAllowed is 1 and `multi` where it is more, in every result.',
    wrong(result) {
      const { ticketType, usesAllowed } = result;
      if (!Number.isInteger(usesAllowed) || ticketType === undefined) return undefined;
      const expected = usesAllowed === 1 ? 'single' : 'multi';
      return wrongFields(
        result,
        ticketType === expected ? [] : ['ticketType'],
        `ticketType: "${expected}" with usesAllowed ${usesAllowed}`,
      );
    },
  }),
  reviewCase({
    id: '2.3/reason-with-rejected',
    requirement: 'A rejected result has a reason, which is one of the documented ones.',
    wrong: (result) =>
      result['status'] !== 'rejected' || REASONS.includes(String(result['reason']))
        ? undefined
        : wrongFields(result, ['reason'], 'one of the six reasons'),
  }),
  reviewCase({
    id: '2.3/reason-only-with-rejected',
    level: 'observed',
    requirement: 'reason is there when the status is `rejected`, and not with another.',
    wrong: (result) =>
      result['status'] === 'rejected' || !('reason' in result)
        ? undefined
        : wrongFields(result, ['reason'], `no reason with status ${show(result['status'])}`),
  }),
  reviewCase({
    id: '2.3/scanned-at-only-when-consumed',
    requirement: 'scannedAt is present only on consume results.',
    endpoints: ['validate'],
    wrong: (result) =>
      wrongFields(result, 'scannedAt' in result ? ['scannedAt'] : [], 'no scannedAt on validate'),
  }),
];
