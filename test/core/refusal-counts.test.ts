import { expect, test } from 'vitest';
import { EDGE_REASONS, REFUSAL_REASONS } from '../../src/core/outcome-names.ts';
import type { RefusalCount } from '../../src/core/records.ts';
import type { RefusalCounts } from '../../src/core/refusal-counts.ts';
import {
  addRefusals,
  NO_REFUSALS,
  OF_NO_ORGANISATION,
  REFUSAL_ROWS_MAX,
  REFUSALS_KEPT_MS,
} from '../../src/core/refusal-counts.ts';

const NOW = Date.parse('2026-07-01T10:00:00Z');
const HOUR_MS = 60 * 60_000;

function row(key: string, changes: Partial<RefusalCount> = {}): RefusalCount {
  const nobody = { keyId: null, serial: null, address: '192.0.2.1', endpoint: '/scan/consume' };
  const once = { times: 1, firstAt: NOW, lastAt: NOW };
  return { reason: 'unknown_key', key, ...nobody, ...once, ...changes };
}

const list = (...rows: RefusalCount[]): RefusalCounts => ({ rows, others: null });
const total = ({ rows, others }: RefusalCounts) =>
  rows.reduce((sum, { times }) => sum + times, others?.times ?? 0);

test('alike requests are one row, with the first and the last time', () => {
  const earlier = row('a', { times: 2, firstAt: NOW - HOUR_MS, lastAt: NOW - HOUR_MS });

  const counted = addRefusals(
    list(earlier, row('b')),
    list(row('a'), row('a', { serial: 'S' })),
    NOW,
  );

  expect(counted.others).toBeNull();
  expect(counted.rows).toHaveLength(3);
  expect(counted.rows).toContainEqual({ ...row('a'), times: 3, firstAt: NOW - HOUR_MS });
});

test('a million different keys keep the rows bounded, every request counted, and a device that tries again in sight', () => {
  const device = row('gate', { serial: 'TOR1', times: 2 });
  let counted: RefusalCounts = list(device);
  for (let round = 0; round < 1000; round += 1) {
    const rows = Array.from({ length: 1000 }, (_, index) => row(`${round} ${index}`));
    // As the counter does it: what exceeds its memory comes as a number only.
    counted = addRefusals(counted, list(...rows.slice(0, 20)), NOW);
    counted = addRefusals(counted, { rows: [], others: { ...row(''), times: 980 } }, NOW);
  }

  expect(counted.rows).toHaveLength(REFUSAL_ROWS_MAX);
  expect(counted.rows).toContainEqual(device);
  expect(total(counted)).toBe(1_000_002);
  expect(Object.keys(counted.others ?? {})).toEqual(['times', 'firstAt', 'lastAt']);
});

test('rows that are silent for a day give way to new ones, however often they were counted', () => {
  const yesterday = NOW - 25 * HOUR_MS;
  const loud = Array.from({ length: REFUSAL_ROWS_MAX }, (_, index) =>
    row(`old ${index}`, { times: 1000, firstAt: yesterday, lastAt: yesterday }),
  );

  const counted = addRefusals(list(...loud), list(row('new')), NOW);

  expect(counted.rows).toContainEqual(row('new'));
  expect(counted.rows).toHaveLength(REFUSAL_ROWS_MAX);
  expect(counted.others).toMatchObject({ times: 1000, lastAt: yesterday });
});

test('what was last refused more than 30 days ago is dropped', () => {
  const old = NOW - REFUSALS_KEPT_MS - 1;
  const others = { times: 5, firstAt: old, lastAt: old };
  const counted = addRefusals({ rows: [row('a', { lastAt: old })], others }, NO_REFUSALS, NOW);

  expect(counted).toEqual(NO_REFUSALS);
});

test('of rows as old, the ones that were counted more often stay, then the newer ones', () => {
  const rows = Array.from({ length: REFUSAL_ROWS_MAX - 1 }, (_, index) =>
    row(`busy ${index}`, { times: 3 }),
  );
  const kept = (one: Partial<RefusalCount>, other: Partial<RefusalCount>) =>
    addRefusals(list(...rows), list(row('one', one), row('other', other)), NOW).rows.at(-1)?.key;
  expect(kept({ times: 2, lastAt: NOW - 1 }, { times: 1 })).toBe('one');
  expect(kept({ times: 1 }, { times: 2, lastAt: NOW - 1 })).toBe('other');
  expect(kept({ lastAt: NOW - 1 }, {})).toBe('other');
  expect(kept({}, { lastAt: NOW - 1 })).toBe('one');
  const DAY_MS = 24 * HOUR_MS;
  expect(kept({ times: 2, lastAt: NOW - DAY_MS }, {})).toBe('one');
  expect(kept({ times: 2, lastAt: NOW - DAY_MS - 1 }, {})).toBe('other');
});

test('what was last refused exactly 30 days ago is kept', () => {
  const at = NOW - REFUSALS_KEPT_MS;
  const { rows } = addRefusals(
    list(row('a', { lastAt: at })),
    list(row('b', { lastAt: at - 1 })),
    NOW,
  );
  expect(rows.map(({ key }) => key)).toEqual(['a']);
});

test('each reason has its words', () => {
  expect(REFUSAL_REASONS).toEqual({
    missing_key: 'no key',
    repeated_key: 'several keys',
    malformed_key: 'mistyped key',
    unknown_key: 'unknown key',
    wrong_key_type: 'key of the other type',
    disabled_key: 'disabled key',
    deleted_key: 'deleted key',
    rate_limit: 'rate limit',
    monthly_quota: 'monthly quota',
    retry_conflict: 'Idempotency-Key of another body',
    bad_retry_name: 'malformed Idempotency-Key',
    ...EDGE_REASONS,
  });
  const words = Object.values(REFUSAL_REASONS);
  expect(new Set(words).size).toBe(words.length);
  expect(OF_NO_ORGANISATION).toBe('server');
});
