import type { CheckCase } from '../cases/case.ts';
import { reviewCases, ruling } from '../cases/matrix.ts';
import { isRecord, type JsonRecord, show } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import {
  FIELD_RULES,
  REASONS,
  TIME_FIELDS,
  VALID_OF_STATUS,
  wrongTypes,
} from '../facts/scan-result.ts';
import { isNear, readTimestamp } from '../facts/timestamp.ts';
import { REST } from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';

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
    requirement: 'Every field of a result has the type that section 2.3 gives it.',
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
    wrong: (result) =>
      Object.hasOwn(VALID_OF_STATUS, String(result['status']))
        ? undefined
        : wrongField(result, 'status', 'one of the five status values'),
  }),
  reviewCase({
    id: '2.3/valid-matches-status',
    requirement: 'valid is true with `validated` and `consumed`, false with every other status.',
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
    wrong: (result) =>
      FIELD_RULES['message']?.fits(result['message'])
        ? undefined
        : wrongField(result, 'message', 'text'),
  }),
  reviewCase({
    id: '2.3/times-name-their-zone',
    level: 'observed',
    requirement: 'scannedAt, validFrom and validUntil name their zone.',
    wrong: (result) => {
      const bare = TIME_FIELDS.filter((name) => readTimestamp(result[name])?.hasZone === false);
      return bare.length === 0
        ? undefined
        : ['a zone, as Z or +02:00', bare.map((name) => `${name}: ${result[name]}`).join(', ')];
    },
  }),
  reviewCase({
    id: '2.3/grant-fields',
    requirement:
      'Every result with valid true has the ticket, its type, the three use fields, validFrom and validUntil.',
    wrong: (result) => {
      const missing = GRANT_FIELDS.filter((name) => FIELD_RULES[name]?.fits(result[name]) !== true);
      return String(result['valid']) !== 'true' || missing.length === 0
        ? undefined
        : [GRANT_FIELDS.join(', '), shownFields(result, missing), missing];
    },
  }),
  reviewCase({
    id: '2.3/exhausted-fields',
    requirement:
      'An exhausted result carries ticketId, ticketType and the three use fields: usesConsumed equal to usesAllowed, usesRemaining 0.',
    wrong: (result) => {
      const isRight = (name: string) =>
        FIELD_RULES[name]?.fits(result[name]) === true &&
        (name !== 'usesConsumed' || result[name] === result['usesAllowed']) &&
        (name !== 'usesRemaining' || result[name] === 0);
      const names = EXHAUSTED_FIELDS.filter((name) => !isRight(name));
      return result['status'] !== 'exhausted' || names.length === 0
        ? undefined
        : [
            'ticketId, ticketType, usesAllowed, usesConsumed as many, usesRemaining 0',
            shownFields(result, names),
            names,
          ];
    },
  }),
  {
    id: '2.3/scanned-at-is-now',
    phase: 'review',
    requirement: 'Every ticket that is consumed has a scannedAt, the time of its consumption.',
    ...ruling(['consume'], wrongScanTime),
  },
  reviewCase({
    id: '2.3/uses-add-up',
    requirement: 'usesRemaining is usesAllowed minus usesConsumed in every result.',
    wrong: ({ status, usesAllowed, usesConsumed, usesRemaining }) => {
      const isWhole = [usesAllowed, usesConsumed, usesRemaining].every(Number.isInteger);
      const expected = Number(usesAllowed) - Number(usesConsumed);
      // what is missing or of another type breaks other rules, and so do the uses of an exhausted ticket
      return !isWhole || status === 'exhausted' || usesRemaining === expected
        ? undefined
        : [
            `usesRemaining: ${expected}`,
            `usesRemaining: ${show(usesRemaining)} of ${show(usesAllowed)} with ${show(usesConsumed)} consumed`,
            ['usesRemaining'],
          ];
    },
  }),
  reviewCase({
    id: '2.3/type-fits-uses',
    requirement:
      'ticketType is `single` where usesAllowed is 1 and `multi` where it is more, in every result.',
    wrong: (result) => {
      const { ticketType, usesAllowed } = result;
      const expected = usesAllowed === 1 ? 'single' : 'multi';
      return !Number.isInteger(usesAllowed) || ticketType === undefined || ticketType === expected
        ? undefined
        : wrongField(
            result,
            'ticketType',
            `${show(expected)} with usesAllowed ${show(usesAllowed)}`,
          );
    },
  }),
  reviewCase({
    id: '2.3/reason-with-rejected',
    requirement: 'A rejected result has a reason, which is one of the documented ones.',
    wrong: (result) =>
      result['status'] !== 'rejected' || REASONS.includes(String(result['reason']))
        ? undefined
        : wrongField(result, 'reason', 'one of the six reasons'),
  }),
  reviewCase({
    id: '2.3/reason-only-with-rejected',
    level: 'observed',
    requirement: 'reason is there when the status is `rejected`, and not with another.',
    wrong: (result) =>
      result['status'] === 'rejected' || !('reason' in result)
        ? undefined
        : wrongField(result, 'reason', `none with status ${show(result['status'])}`),
  }),
  reviewCase({
    id: '2.3/scanned-at-only-when-consumed',
    requirement: 'scannedAt is present only on consume results.',
    endpoints: ['validate'],
    wrong: (result) =>
      'scannedAt' in result ? wrongField(result, 'scannedAt', 'none on validate') : undefined,
  }),
];

function shownFields(result: JsonRecord, names: readonly string[]): string {
  return names.map((name) => `${name}: ${show(result[name])}`).join(', ');
}

/** What a field should be and what it is, where a rule is broken by that field. */
function wrongField(result: JsonRecord, name: string, expected: string) {
  return [`${name}: ${expected}`, shownFields(result, [name]), [name]] as const;
}

function wrongScanTime(exchange: Exchange) {
  const { answer, level, startedAt } = exchange;
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
  ] as const;
}
