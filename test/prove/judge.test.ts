import { expect, test } from 'vitest';
import { checkHistory, judgeRecord } from '../../prove/history/check-history.ts';
import type { StoreFacts } from '../../prove/history/facts.ts';
import { historyFrom } from '../../prove/history/record.ts';
import { newSeed, Random } from '../../prove/world/random.ts';
import { corrupted, hasAnOrder, randomHistory } from './support/small-history.ts';

const HISTORIES = 1000;

test('1,000 small histories get the verdict of a search through every order', () => {
  const seed = newSeed();
  const random = new Random(seed);
  let wrong = 0;
  for (let index = 0; index < HISTORIES; index += 1) {
    const right = randomHistory(random);
    const small = index % 2 === 0 ? right : corrupted(right, random);
    const isRight = hasAnOrder(small);
    wrong += isRight ? 0 : 1;
    const problems = checkHistory(small.history, small.facts);
    expect({ seed, index, small, problems }).toMatchObject({
      problems: isRight ? [] : [expect.anything()],
    });
  }
  expect(wrong).toBeGreaterThan(HISTORIES / 10);
});

const FACTS: StoreFacts = {
  ...{ tickets: new Map(), log: [], requests: [], damage: [] },
  keys: new Map([['k', 'disabled']]),
};

test('a record with too few answers is an error, not a proof', () => {
  expect(() => judgeRecord(historyFrom([]), FACTS)).toThrow('has 0 answers');
  const asked = { type: 'invoke', id: 1, at: 1, action: 'disable', key: 'k' } as const;
  expect(() => judgeRecord(historyFrom([asked]), FACTS)).toThrow('at least 1');
  const answered = { type: 'ok', id: 1, at: 2, status: 'changed' } as const;
  expect(judgeRecord(historyFrom([asked, answered]), FACTS)).toEqual([]);
  expect(() => judgeRecord(historyFrom([asked, answered]), FACTS, 2)).toThrow('at least 2');
});
