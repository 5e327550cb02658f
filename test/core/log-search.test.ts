import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/core/records.ts';
import {
  logPage,
  meetsConditions,
  outcomeCondition,
  searchedRange,
} from '../../src/stores/log-search.ts';
import { NOW } from '../support/tickets.ts';

const bounds = { limit: 2, searchMax: 10 };

function entryOf(changes: Partial<LogEntry> = {}): LogEntry {
  return {
    sequence: 1,
    at: NOW,
    keyId: 'key_1',
    serial: null,
    reader: null,
    operation: 'consume',
    status: 'rejected',
    reason: 'expired',
    ticketId: 'tkt_abcdef_0123456789abcdefghij',
    excerpt: null,
    usesConsumed: null,
    replayed: false,
    ...changes,
  };
}

describe('a search looks at a range of numbers', () => {
  test.each([
    ['the newest', {}, { first: 91, last: 100 }],
    ['before a number', { beforeSequence: 50 }, { first: 40, last: 49 }],
    ['before a number near the oldest', { beforeSequence: 25 }, { first: 21, last: 24 }],
    ['before a number that is still to come', { beforeSequence: 500 }, { first: 91, last: 100 }],
    ['after a number', { afterSequence: 50 }, { first: 51, last: 60 }],
    ['after a number near the newest', { afterSequence: 95 }, { first: 96, last: 100 }],
    ['after a number that was pruned', { afterSequence: 3 }, { first: 21, last: 30 }],
  ])('%s', (_name, search, range) => {
    expect(searchedRange({ ...bounds, ...search }, 100, 21)).toEqual(range);
  });

  test('a log begins with 1 unless it was pruned', () => {
    expect(searchedRange({ ...bounds, beforeSequence: 5 }, 100)).toEqual({ first: 1, last: 4 });
  });
});

describe('a page tells where the next one goes on', () => {
  const page = (search: object, range: [number, number], sequences: number[], oldest?: number) => {
    const [first, last] = range;
    const entries = sequences.map((sequence) => entryOf({ sequence }));
    const { searchedTo, ended } = logPage(
      { ...bounds, ...search },
      { first, last },
      100,
      entries,
      oldest,
    );
    return { searchedTo, ended };
  };

  test.each([
    ['a full page backwards', page({}, [91, 100], [99, 97]), 97, false],
    ['a page backwards with room', page({}, [91, 100], [99]), 91, false],
    ['a page backwards to the first', page({}, [1, 4], []), 1, true],
    ['a page backwards to the oldest', page({}, [21, 24], [], 21), 21, true],
    ['a page backwards to before the oldest', page({}, [22, 24], [], 21), 22, false],
    ['a full page forwards', page({ afterSequence: 50 }, [51, 60], [52, 55]), 55, false],
    ['a page forwards with room', page({ afterSequence: 50 }, [51, 60], [52]), 60, false],
    ['a page forwards to the newest', page({ afterSequence: 95 }, [96, 100], []), 100, true],
    ['nothing after the newest', page({ afterSequence: 120 }, [121, 100], []), 120, true],
  ])('%s', (_name, found, searchedTo, ended) => {
    expect(found).toEqual({ searchedTo, ended });
  });
});

describe('an outcome is an admission, a denial, a status or a reason', () => {
  test.each([
    ['admitted', { statuses: ['consumed'], reason: '' }],
    ['denied', { statuses: ['exhausted', 'rejected', 'not_found'], reason: '' }],
    ['expired', { statuses: ['expired'], reason: 'expired' }],
  ])('%s', (outcome, condition) => {
    expect(outcomeCondition(outcome)).toEqual(condition);
  });
});

describe('an entry meets the conditions of a search', () => {
  const entry = entryOf();
  test.each([
    ['none', {}, true],
    ['its ticket', { ticketId: entry.ticketId ?? '' }, true],
    ['another ticket', { ticketId: 'tkt_abcdef_0123456789abcdefghik' }, false],
    ['its key', { keyId: 'key_1' }, true],
    ['another key', { keyId: 'key_2' }, false],
    ['its event', { eventId: 'abcdef' }, true],
    ['another event', { eventId: 'ghijkl' }, false],
    ['from its own moment', { fromAt: NOW }, true],
    ['from a moment later', { fromAt: NOW + 1 }, false],
    ['until its own moment', { untilAt: NOW }, true],
    ['until a moment earlier', { untilAt: NOW - 1 }, false],
    ['between', { fromAt: NOW - 1, untilAt: NOW + 1 }, true],
    ['its status', { outcome: 'rejected' }, true],
    ['its reason', { outcome: 'expired' }, true],
    ['denied', { outcome: 'denied' }, true],
    ['admitted', { outcome: 'admitted' }, false],
    ['another reason', { outcome: 'not_yet_valid' }, false],
  ])('%s', (_name, search, meets) => {
    expect(meetsConditions(entry, { ...bounds, ...search })).toBe(meets);
  });

  test('of no ticket there is no event', () => {
    expect(meetsConditions(entryOf({ ticketId: null }), { ...bounds, eventId: 'abcdef' })).toBe(
      false,
    );
  });
});
