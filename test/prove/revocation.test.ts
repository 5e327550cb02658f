import { expect, test } from 'vitest';
import type { StoreFacts } from '../../prove/history/facts.ts';
import { historyFrom, type InvokeLine, type RecordLine } from '../../prove/history/record.ts';
import { revokedIsRefused } from '../../prove/history/revocation.ts';

const NO_FACTS: StoreFacts = {
  tickets: new Map(),
  log: [],
  requests: [],
  keys: new Map(),
  damage: [],
};

/** A cancel or disable that is confirmed at 20, and a consume that is answered with a use after it. */
function afterChange(
  action: 'cancel' | 'disable',
  scan: Partial<InvokeLine>,
  earlier: RecordLine[] = [],
): string[] {
  const changed = action === 'cancel' ? { ticket: 't' } : { key: 'k' };
  const lines: RecordLine[] = [
    ...earlier,
    { type: 'invoke', id: 2, at: 10, action, ...changed },
    { type: 'ok', id: 2, at: 20, status: 'changed' },
    { type: 'invoke', id: 3, at: 30, action: 'consume', key: 'k', ticket: 't', ...scan },
    { type: 'ok', id: 3, at: 40, status: 'consumed' },
  ];
  return revokedIsRefused(historyFrom(lines), NO_FACTS).map(({ text }) => text);
}

const tried = (at: number, answer: 'unknown' | 'fail', retry = 'a'): RecordLine[] => [
  { type: 'invoke', id: 1, at, action: 'consume', key: 'k', ticket: 't', retry },
  answer === 'unknown'
    ? { type: 'unknown', id: 1, at: at + 4, why: 'no answer' }
    : { type: 'fail', id: 1, at: at + 4, status: 'limited' },
];

test('a use that was asked for after its cancel was confirmed is found', () => {
  expect(afterChange('cancel', {})).toEqual([expect.stringContaining('request 3 began at 30')]);
  expect(afterChange('cancel', { retry: 'a' })).toHaveLength(1);
});

test('a use that was asked for before the cancel may be answered again after it', () => {
  expect(afterChange('cancel', { retry: 'a' }, tried(5, 'unknown'))).toEqual([]);
});

test.each([
  ['was asked for under another name', tried(5, 'unknown', 'b')],
  ['was refused before the cancel', tried(5, 'fail')],
  ['was first asked for after the cancel', tried(25, 'unknown')],
])('a use that %s is found', (_name, earlier) => {
  expect(afterChange('cancel', { retry: 'a' }, earlier)).toHaveLength(1);
});

test('a disabled key is refused for repeated requests too', () => {
  expect(afterChange('disable', { retry: 'a' }, tried(5, 'unknown'))).toHaveLength(1);
});
