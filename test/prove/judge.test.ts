import { expect, test } from 'vitest';
import { checkHistory, judgeRecord } from '../../prove/history/check-history.ts';
import type { StoreFacts } from '../../prove/history/facts.ts';
import { historyFrom, type InvokeLine, type RecordLine } from '../../prove/history/record.ts';
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
    expect({ seed, index, small, problems, isRight: problems.length === 0 }).toMatchObject({
      isRight,
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

const TICKET = {
  usesAllowed: 2,
  usesConsumed: 1,
  usesBrought: 0,
  validFrom: null,
  validUntil: null,
};
const USE = { sequence: 1, at: 10, key: 'k', action: 'consume', status: 'consumed', ticket: 't' };
const USED: StoreFacts = {
  ...FACTS,
  tickets: new Map([['t', { ...TICKET, cancelled: false }]]),
  log: [{ ...USE, usesConsumed: 1, replayed: false }],
};
const ok = (id: number, at: number) => ({ type: 'ok', id, at, status: 'changed' }) as const;
const asked = (id: number, at: number, action: InvokeLine['action']) =>
  ({
    type: 'invoke',
    id,
    at,
    action,
    key: 'k',
    ...(action === 'consume' && { ticket: 't' }),
  }) as const;
const told = (id: number, at: number, status: string) =>
  ({ type: status === 'consumed' ? 'ok' : 'fail', id, at, status, usesConsumed: 1 }) as const;
const rulesOf = (lines: RecordLine[], facts: StoreFacts) =>
  checkHistory(historyFrom(lines), facts).map(({ rule }) => rule);

test('a use after a confirmed disable is found, though nobody was told of it', () => {
  const disabled = [asked(1, 1, 'disable'), ok(1, 2)];
  expect(rulesOf([...disabled, asked(2, 3, 'consume')], USED)).toEqual(['revoked-is-refused']);
  // It may have been registered before.
  expect(rulesOf([asked(2, 0, 'consume'), ...disabled], USED)).toEqual([]);
});

test('a use of a ticket that was cancelled before the run is found', () => {
  const tickets = new Map([['t', { ...TICKET, cancelled: true }]]);
  const keys = new Map([['k', 'active' as const]]);
  const lines = [asked(1, 1, 'consume'), told(1, 2, 'consumed')];
  expect(rulesOf(lines, { ...USED, tickets, keys })).toEqual(['revoked-is-refused']);
});

test('a confirmed delete of a key is in the store, whatever else is unknown', () => {
  const lines = [asked(1, 1, 'disable'), asked(2, 3, 'delete'), ok(2, 4)];
  const keys = new Map([['k', 'active' as const]]);
  expect(rulesOf(lines, { ...FACTS, keys })).toEqual(['acknowledged-is-stored']);
});

test('a disable that nobody confirmed may come late', () => {
  const lines = [
    ...[asked(1, 1, 'disable'), { type: 'unknown', id: 1, at: 5, why: 'cut' } as const],
    ...[asked(2, 10, 'consume'), told(2, 11, 'consumed')],
    ...[asked(3, 20, 'consume'), { type: 'fail', id: 3, at: 21, status: 'key_refused' } as const],
  ];
  expect(rulesOf(lines, USED)).toEqual([]);
});
