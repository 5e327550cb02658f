import type { CheckCase } from '../case.ts';
import { type Exchange, endpointOf } from '../exchange.ts';
import { isRecord, type JsonRecord, show } from '../facts/json.ts';
import { REASONS, VALID_OF_STATUS, wrongTypes } from '../facts/scan-result.ts';
import type { Scan } from '../scan.ts';

const EVERY_KIND_OF_RESULT = ['single validated', 'exhausted validated', 'unknown validated'];

/** Section 2.3: what holds for every scan result of the run, whatever case asked for it. */
export const RESULT_REVIEW_CASES: readonly CheckCase[] = [
  reviewCase({
    id: '2.3/status-values',
    requirement: 'status is one of `validated`, `consumed`, `exhausted`, `rejected`, `not_found`.',
    cause: 'A status has another name or spelling.',
    wrong: ({ status }) =>
      typeof status === 'string' && status in VALID_OF_STATUS
        ? undefined
        : ['one of the five status values', `status: ${show(status)}`],
  }),
  reviewCase({
    id: '2.3/valid-matches-status',
    requirement: 'valid is true with `validated` and `consumed`, false with every other status.',
    cause: 'valid is computed apart from the status, or is a text.',
    wrong: ({ valid, status }) => {
      const expected = VALID_OF_STATUS[String(status)];
      return expected === undefined || valid === expected
        ? undefined
        : [`valid: ${expected} with status ${show(status)}`, `valid: ${show(valid)}`];
    },
  }),
  reviewCase({
    id: '2.3/message-text',
    requirement: 'message is a human-readable status text.',
    cause: 'message is missing, empty or a code.',
    wrong: ({ message }) =>
      typeof message === 'string' && message.trim() !== ''
        ? undefined
        : ['message: text', `message: ${show(message)}`],
  }),
  reviewCase({
    id: '2.3/field-types',
    requirement: 'Every field of a result has the type that section 2.3 gives it.',
    cause: 'Numbers are sent as texts, times as numbers.',
    wrong: (result) => {
      const found = wrongTypes(result);
      return found.length === 0 ? undefined : ['the types of section 2.3', found.join('; ')];
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
          ],
  }),
  reviewCase({
    id: '2.3/reason-with-rejected',
    requirement: 'A rejected result has a reason, which is one of the documented ones.',
    cause: 'The reason is missing, or is an internal one.',
    wrong: ({ status, reason }) =>
      status !== 'rejected' || REASONS.includes(String(reason))
        ? undefined
        : ['one of the six reasons', `reason: ${show(reason)}`],
  }),
  {
    ...reviewCase({
      id: '2.3/reason-only-with-rejected',
      requirement: 'reason is there when the status is `rejected`, and not with another.',
      cause: 'The reason is always serialised.',
      wrong: ({ status, ...result }) =>
        status === 'rejected' || !('reason' in result)
          ? undefined
          : [`no reason with status ${show(status)}`, `reason: ${show(result['reason'])}`],
    }),
    level: 'observed',
  },
  reviewCase({
    id: '2.3/scanned-at-only-when-consumed',
    requirement: 'scannedAt is present only on consume results.',
    cause: 'The last scan of the ticket is shown on validate too.',
    wrong: (result, { request }) =>
      'scannedAt' in result && request.path !== '/scan/consume'
        ? ['no scannedAt on validate', `scannedAt: ${show(result['scannedAt'])}`]
        : undefined,
  }),
];

interface ReviewRule {
  readonly id: string;
  readonly requirement: string;
  readonly cause: string;
  /** Expected and observed when this result breaks the rule. */
  readonly wrong: (result: JsonRecord, exchange: Exchange) => [string, string] | undefined;
}

function reviewCase({ id, requirement, cause, wrong }: ReviewRule): CheckCase {
  return {
    id,
    level: 'stated',
    phase: 'review',
    samples: EVERY_KIND_OF_RESULT,
    requirement,
    cause,
    async run(scan) {
      for (const exchange of resultsOf(scan)) {
        const found = wrong(exchange.answer.json as JsonRecord, exchange);
        if (found) scan.fail(...found, exchange);
      }
    },
  };
}

/** The scan results of the run: JSON objects with a status or a valid, from the REST endpoints. */
function resultsOf(scan: Scan): Exchange[] {
  return scan
    .exchanges()
    .filter(
      ({ request, answer, level }) =>
        level === 'stated' &&
        endpointOf(request) === 'rest' &&
        isRecord(answer.json) &&
        ('status' in answer.json || 'valid' in answer.json),
    );
}
