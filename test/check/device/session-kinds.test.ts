import { expect, test } from 'vitest';
import { deviceCase } from '../../../src/check/device/cases/device-case.ts';
import { SessionResults } from '../../../src/check/device/cases/session-results.ts';
import { accessController } from '../../../src/check/device/formats/models.ts';
import { judgeSession } from '../../../src/check/device/judge-session.ts';
import { DEFAULT_SETTINGS, newRecord } from '../../../src/check/device/session-record.ts';
import { Deviation, type DeviationFacts } from '../../../src/check/facts/failures.ts';
import type { SessionKind } from '../../../src/check/law/symptom-kinds.ts';

/** A case that deviates so, and states these kinds. */
function wrong(id: string, facts: DeviationFacts, states: readonly SessionKind[] = []) {
  return deviceCase(id, {
    requirement: 'any',
    states,
    run() {
      throw new Deviation('right', 'wrong', undefined, facts);
    },
  });
}

const UNANSWERED = { fields: ['no decision', 'no answer'] };
const CASES = [
  wrong('1/late', UNANSWERED),
  wrong('1/lost', { fields: ['no answer'] }),
  wrong('1/silent', UNANSWERED, ['no answer']),
  wrong('1/unread', { fields: ['no decision'] }, ['no decision']),
  wrong('1/alone', { fields: ['the code'], cause: 'seen' }, ['the code']),
  wrong('1/seen', { cause: 'seen' }),
];

/** Which case each follows from, where these are left out; its own id for a root. */
async function rootsWithout(...left: string[]): Promise<Record<string, string>> {
  const record = newRecord('device', 'tscn_hw_test');
  record.played = ['granted'];
  const session = new SessionResults(record, DEFAULT_SETTINGS, accessController);
  const cases = CASES.filter(({ id }) => !left.includes(id));
  const results = await judgeSession(cases, session);
  return Object.fromEntries(results.map(({ id, followsFrom }) => [id, followsFrom?.[0] ?? id]));
}

test('a case that states a kind explains those of that kind, and the plainest one all', async () => {
  expect(await rootsWithout()).toEqual({
    '1/late': '1/unread',
    '1/lost': '1/unread',
    '1/silent': '1/unread',
    '1/unread': '1/unread',
    '1/alone': '1/alone',
    '1/seen': '1/alone',
  });
});

test('a kind that no case states that failed by it explains nothing', async () => {
  expect(await rootsWithout('1/unread')).toMatchObject({
    '1/late': '1/silent',
    '1/lost': '1/silent',
    '1/silent': '1/silent',
  });
  expect(await rootsWithout('1/unread', '1/silent')).toMatchObject({
    '1/late': '1/late',
    '1/lost': '1/lost',
  });
});
