import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describeSecret, RefusalLog } from '../../src/scan/refusal-counter.ts';
import { keptLog } from '../support/kept-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KIND = 'a sign-in failed';

function lines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test('the first is told at once, the others once a minute with their number', () => {
  const { log, text } = keptLog('debug');
  const refusals = new RefusalLog(log);

  for (let count = 0; count < 1000; count += 1) refusals.note(KIND, { address: '192.0.2.1' });
  expect(lines(text())).toMatchObject([{ level: 40, msg: KIND, address: '192.0.2.1' }]);

  vi.advanceTimersByTime(60_000);
  expect(lines(text())[1]).toMatchObject({ msg: KIND, address: '192.0.2.1', times: 999 });

  vi.advanceTimersByTime(10 * 60_000);
  expect(lines(text())).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
  refusals.note(KIND, { address: '192.0.2.1' });
  expect(lines(text())).toHaveLength(3);
});

test('a flood from everywhere writes a bounded number of lines, and each refusal is counted', () => {
  const { log, text } = keptLog('debug');
  const refusals = new RefusalLog(log);
  const minutes = 5;
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let count = 0; count < 5000; count += 1)
      refusals.note(KIND, { address: `${minute} ${count}` });
    vi.advanceTimersByTime(60_000);
  }

  const written = lines(text());
  expect(written.length).toBeLessThanOrEqual(minutes * 2 * 11);
  const counted = written.reduce((sum, { times }) => sum + ((times as number) ?? 1), 0);
  expect(counted).toBe(minutes * 5000);
});

test('a flood of one kind does not hide another kind', () => {
  const { log, text } = keptLog('debug');
  const refusals = new RefusalLog(log);
  for (let count = 0; count < 1000; count += 1) refusals.note('a flood', { address: `${count}` });

  refusals.note(KIND, { account: 'acc_1' });

  expect(lines(text()).at(-1)).toMatchObject({ msg: KIND, account: 'acc_1' });
});

test('what was counted is written when the server stops', () => {
  const { log, text } = keptLog('debug');
  const refusals = new RefusalLog(log);
  for (let count = 0; count < 3; count += 1) refusals.note(KIND, {});

  refusals.flush();

  expect(lines(text()).at(-1)).toMatchObject({ times: 2 });
});

test.each([
  [`tscn_api_${'a'.repeat(38)}`, 'tscn_api_aaaa…'],
  [`tscn_hw_b1${'x'.repeat(36)}`, 'tscn_hw_b1xx…'],
  ['tscn_hw_', 'tscn_hw_…'],
  ['tscn_api_\u001b[31m', 'tscn_api_…'],
  [`tscn_pat_${'a'.repeat(38)}`, '47 characters'],
  ['my password', '11 characters'],
  [` tscn_api_${'a'.repeat(38)}`, '48 characters'],
])('%j is shown as %j', (secret, shown) => {
  expect(describeSecret(secret)).toBe(shown);
});
