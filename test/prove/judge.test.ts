import { expect, test } from 'vitest';
import { checkHistory, judgeRecord } from '../../prove/history/check-history.ts';
import type { StoreFacts } from '../../prove/history/facts.ts';
import { historyFrom, type InvokeLine, type RecordLine } from '../../prove/history/record.ts';
import { Random } from '../../prove/world/random.ts';
import { SEED } from '../support/seed.ts';
import {
  corrupted,
  hasAnOrder,
  randomHistory,
  type SmallHistory,
  type Subject,
} from './support/small-history.ts';

const HISTORIES = 1000;

test.each(['ticket', 'key'] as const)(
  '1,000 small histories of a %s get the verdict of a search through every order',
  (subject) => {
    const { seed, wrong, ...found } = verdicts(subject);
    expect({ seed, ...found }).toEqual({ seed, missed: [], accused: [] });
    expect(wrong).toBeGreaterThan(HISTORIES / 10);
  },
);

test('where a ticket and its key change, no right history is accused, and nearly every wrong one is found', () => {
  const { seed, wrong, missed, accused } = verdicts('both');
  expect({ seed, accused }).toEqual({ seed, accused: [] });
  expect(missed.length).toBeLessThan(wrong / 20);
});

/** Histories of which the judge and the search through every order do not say the same. */
function verdicts(subject: Subject) {
  const seed = SEED;
  const random = new Random(seed);
  const [missed, accused]: [SmallHistory[], SmallHistory[]] = [[], []];
  let wrong = 0;
  for (let index = 0; index < HISTORIES; index += 1) {
    const right = randomHistory(random, subject);
    const small = index % 2 === 0 ? right : corrupted(right, random);
    const isRight = hasAnOrder(small);
    const isAccepted = checkHistory(small.history, small.facts).length === 0;
    wrong += isRight ? 0 : 1;
    if (isAccepted && !isRight) missed.push(small);
    if (isRight && !isAccepted) accused.push(small);
  }
  return { seed, wrong, missed, accused };
}

const FACTS: StoreFacts = {
  tickets: new Map(),
  log: [],
  requests: [],
  damage: [],
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

test('a key that was disabled before the run refuses, and does not admit', () => {
  const start = { type: 'start', sequence: 0, keys: { k: 'disabled' } } as const;
  const refused = { type: 'fail', id: 1, at: 2, status: 'key_refused' } as const;
  expect(rulesOf([start, asked(1, 1, 'consume'), refused], FACTS)).toEqual([]);
  const lines = [start, asked(1, 1, 'consume'), told(1, 2, 'consumed')];
  const keys = new Map([['k', 'disabled' as const]]);
  expect(rulesOf(lines, { ...USED, keys })).toEqual(['revoked-is-refused']);
});

test('a key that changed without a request is found', () => {
  const start = { type: 'start', sequence: 0, keys: {} } as const;
  expect(rulesOf([start], FACTS)).toEqual(['acknowledged-is-stored']);
});

const NOON = Date.UTC(2026, 5, 1, 12);
const WINDOW = { validFrom: NOON, validUntil: NOON + 3_600_000 };
const expired = [asked(1, 1, 'consume'), { ...told(1, 2, 'expired'), usesConsumed: 0 }];

test.each<[string, number | undefined, string[]]>([
  ['inside', NOON + 1_800_000, ['refused-with-cause']],
  ['before', NOON - 60_000, ['refused-with-cause']],
  ['behind', WINDOW.validUntil + 60_000, []],
  ['unknown', undefined, []],
])('that a ticket has ended is wrong or right by the clock: %s', (_, wall, rules) => {
  const clock: RecordLine[] = wall === undefined ? [] : [{ type: 'clock', at: 0, wall }];
  const ticket = { ...TICKET, usesConsumed: 0, ...WINDOW, cancelled: false };
  const keys = new Map([['k', 'active' as const]]);
  const facts = { ...FACTS, keys, tickets: new Map([['t', ticket]]) };
  expect(rulesOf([...clock, ...expired], facts)).toEqual(rules);
  // Somebody had set the clock for a while.
  const set: RecordLine[] = [{ type: 'clock', at: 1, wall: WINDOW.validUntil + 60_000 }];
  expect(rulesOf([...clock, ...set, ...expired], facts)).toEqual([]);
});
