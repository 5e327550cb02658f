import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/core/records.ts';
import { checkedReason, undoable } from '../../src/core/undo.ts';
import { NOW } from '../support/tickets.ts';

const entry: LogEntry = {
  sequence: 7,
  at: NOW,
  keyId: 'key_1',
  serial: null,
  reader: null,
  operation: 'consume',
  status: 'consumed',
  reason: null,
  ticketId: 'tkt_abcdef_0123456789abcdefghij',
  excerpt: null,
  usesConsumed: 1,
  replayed: false,
};

describe('the reason of a use that is taken back', () => {
  test('is kept without blanks around it', () => {
    expect(checkedReason(' scanned twice ')).toBe('scanned twice');
    expect(checkedReason('x'.repeat(200))).toHaveLength(200);
  });

  test.each(['', ' ', 'x'.repeat(201), 'a\nb', 'a\u007fb', 'a\u0085b', 'a\ud800b'])(
    'may not be %j',
    (reason) => {
      expect(() => checkedReason(reason)).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: 'Give a reason of 1 to 200 characters in one line.',
          reason: 'undo_reason',
          values: { max: 200 },
        }),
      );
    },
  );
});

describe('a use that is taken back', () => {
  test('is the one of its entry', () => {
    expect(undoable(entry, 7, undefined)).toEqual(entry);
  });

  const tookNone = ['conflict', 'undo_no_use', /^Entry 7 of the scan log took no use/] as const;
  const denied: LogEntry = { ...entry, status: 'exhausted' };

  test.each<[string, LogEntry | undefined, number | undefined, string, string, RegExp]>([
    [
      'no entry',
      undefined,
      undefined,
      'not_found',
      'log_entry_missing',
      /^The scan log has no entry 7[.] /,
    ],
    ['a denial', denied, undefined, ...tookNone],
    ['an answer given again', { ...entry, replayed: true }, undefined, ...tookNone],
    ['an entry without a ticket', { ...entry, ticketId: null }, undefined, ...tookNone],
    ['taken back before', entry, 9, 'conflict', 'undo_twice', /already taken back, by entry 9/],
  ])('%s: none', (_name, found, undoneBy, code, reason, message) => {
    expect(() => undoable(found, 7, undoneBy)).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringMatching(message),
        reason,
        values: { entry: 7, ...(undoneBy && { by: undoneBy }) },
      }),
    );
  });
});
