import { describe, expect, test } from 'vitest';
import type { CheckCase } from '../../src/check/cases/case.ts';
import { cellsOf } from '../../src/check/cases/case.ts';
import type { Scan } from '../../src/check/cases/scan.ts';
import type { Target } from '../../src/check/deployment/target.ts';
import {
  CONSUMES,
  ENDPOINTS,
  type Endpoint,
  type Exchange,
  isConsume,
  isRest,
  SCANS,
  type ScanEndpoint,
} from '../../src/check/facts/exchange.ts';
import { ExpectedAnswers } from '../../src/check/law/expected.ts';
import { keylessRequest, withKey } from '../../src/check/requests/scan-request.ts';
import { EVERY_COUNT, EVERY_FACT, EVERY_OUTCOME } from '../../src/check/sections/every-answer.ts';

const CODE = 'A.tkt_card.B';
const TARGET: Target = {
  keys: { rest: 'rest-key', hardware: 'hardware-key' },
  tickets: {
    multi: [{ code: CODE, ticketId: 'tkt_card', usesAllowed: 5 }],
    cancelled: [{ code: 'A.tkt_cancelled.B' }],
    exhausted: [{ code: 'A.tkt_exhausted.B' }],
    expired: [{ code: 'A.tkt_expired.B' }],
  },
};

interface Answered {
  readonly status?: number;
  readonly json: object;
  readonly code?: string;
}

/** A grant of the card on an endpoint, with this count of uses. */
function grant(endpoint: ScanEndpoint, used: number, allowed = 5): Answered {
  if (!isRest(endpoint))
    return {
      json: {
        AcsRes: '1',
        ActIndex: '0',
        Time: '5',
        Name: 'Gast',
        Note: `Ticket gültig (${used}/${allowed})`,
      },
    };
  return {
    json: {
      valid: true,
      status: isConsume(endpoint) ? 'consumed' : 'validated',
      ticketId: 'tkt_card',
      ticketType: 'multi',
      usesAllowed: allowed,
      usesConsumed: used,
      usesRemaining: allowed - used,
    },
  };
}

/** What a case that compares every answer says of those of one endpoint, one after the other. */
async function told(one: CheckCase, endpoint: Endpoint, ...answered: readonly Answered[]) {
  const answers = new ExpectedAnswers(() => TARGET);
  const key = (isRest(endpoint) ? TARGET.keys.rest : TARGET.keys.hardware) ?? '';
  const exchanges = answered.map(
    ({ status = 200, json, code = CODE }, at): Exchange => ({
      caseId: 'any',
      level: 'stated',
      request: withKey(keylessRequest(endpoint, code), key),
      answer: { status, headers: {}, body: JSON.stringify(json), json, cut: false },
      startedAt: new Date(at),
      startedMs: 10 * at,
      durationMs: 1,
    }),
  );
  for (const exchange of exchanges) answers.note(exchange);
  const scan = { answers, has: () => false, exchanges: () => exchanges, isExplained: () => false };
  const cell = cellsOf(one).find((asked) => asked.endpoint === endpoint);
  return cell?.run(scan as unknown as Scan);
}

describe.each(SCANS)('on %s', (endpoint) => {
  const used = isConsume(endpoint) ? 1 : 0;

  test('right answers are not accused', async () => {
    for (const one of [EVERY_FACT, EVERY_COUNT, EVERY_OUTCOME])
      await told(one, endpoint, grant(endpoint, used), grant(endpoint, 2 * used));
  });

  test('other uses allowed than the target says are told', async () => {
    await expect(told(EVERY_FACT, endpoint, grant(endpoint, used, 4))).rejects.toThrow(
      'expected usesAllowed: 5, as the target says, observed usesAllowed: 4',
    );
  });

  test('a count that does not go on is told', async () => {
    const wrong = told(EVERY_COUNT, endpoint, grant(endpoint, used), grant(endpoint, used + 2));
    await expect(wrong).rejects.toThrow(`observed ${used + 2} uses taken`);
  });

  test.each([
    ['cancelled', 'ticket_cancelled'],
    ['exhausted', 'exhausted'],
    ['expired', 'expired'],
  ])('a ticket (%s) that is let in is told', async (kind, outcome) => {
    const wrong = { ...grant(endpoint, used), code: `A.tkt_${kind}.B` };
    await expect(told(EVERY_OUTCOME, endpoint, wrong)).rejects.toThrow(
      `expected a ticket (${kind}): ${outcome}`,
    );
  });

  test('a refusal in another form is told', async () => {
    const expired = isRest(endpoint)
      ? { status: 410, json: { valid: false, status: 'rejected', reason: 'expired' } }
      : { json: { AcsRes: '0', ActIndex: '0', Time: '0', Note: 'Ticket gelöscht' } };
    await expect(
      told(EVERY_OUTCOME, endpoint, { ...expired, code: 'A.tkt_expired.B' }),
    ).rejects.toThrow(isRest(endpoint) ? 'HTTP status: 200' : 'a ticket (expired): expired');
  });
});

test.each(CONSUMES)('a ticket that %s lets in once too often is told', async (endpoint) => {
  const uses = [1, 2, 3, 4, 5, 6].map((count) => grant(endpoint, count));
  await expect(told(EVERY_OUTCOME, endpoint, ...uses)).rejects.toThrow(
    'a ticket (multi) whose uses were taken: exhausted',
  );
});

test('each of them looks at every endpoint that it is about', () => {
  const places = (one: CheckCase) => cellsOf(one).map(({ endpoint }) => endpoint);
  expect(places(EVERY_FACT)).toEqual(SCANS);
  expect(places(EVERY_COUNT)).toEqual(SCANS);
  expect(places(EVERY_OUTCOME)).toEqual(ENDPOINTS);
});
