import { expect, test } from 'vitest';
import type { LogEntry } from '../../src/core/records.ts';
import { verifyMemory } from '../../src/stores/memory/memory-log.ts';
import { MemoryState } from '../../src/stores/memory/memory-state.ts';
import { aTicket, NOW } from '../support/tickets.ts';

const { id } = aTicket();
const UNKNOWN = 'tkt_abcdef_99999999999999999999';

const EVENT = {
  id: 'abcdef',
  organisationId: 'org_1',
  name: 'Pool',
  createdAt: NOW,
  archivedAt: null,
};

type Logged = Partial<LogEntry>;

/** A store with one ticket of three uses, the log that is given, and so many uses that the log does not hold. */
function problemsOf(
  usesConsumed: number,
  log: readonly Logged[],
  imported?: number,
): readonly string[] {
  const state = new MemoryState();
  state.events.set('abcdef', EVENT);
  state.tickets.set(id, aTicket({ ticketType: 'multi', usesAllowed: 3, usesConsumed }));
  if (imported !== undefined) state.importedUses.set(id, imported);
  for (const [index, entry] of log.entries()) {
    const whole = entryOf(index + 1, entry);
    state.change(['scan', whole]);
    if (!whole.replayed) state.addCount(state.countedAs(whole), 1, 0);
  }
  const { problems, ...counts } = verifyMemory(state);
  expect(counts).toEqual({ tickets: 1, scans: log.length });
  return problems;
}

function entryOf(sequence: number, entry: Logged): LogEntry {
  const none = {
    serial: null,
    reader: null,
    reason: null,
    excerpt: null,
    replayed: false,
  } as const;
  const use = { operation: 'consume', status: 'consumed', ticketId: id, usesConsumed: 1 } as const;
  return { at: NOW, keyId: 'key_1', sequence, ...none, ...use, ...entry };
}

const uses = (...numbers: number[]) => numbers.map((usesConsumed) => ({ usesConsumed }));

test.each<[string, number, readonly Logged[], number?]>([
  ['nothing was used', 0, []],
  ['every use is in the log', 3, uses(1, 2, 3)],
  ['the first uses were imported', 3, uses(3), 2],
  ['all uses were imported', 2, [], 2],
  ['an answer was repeated', 1, [...uses(1), { usesConsumed: 1, replayed: true }]],
  ['a repeated answer has lost its ticket', 0, [{ ticketId: UNKNOWN, replayed: true }]],
  ['a look has lost its ticket', 0, [{ ticketId: UNKNOWN, status: 'validated' }]],
  ['a forged code names no ticket', 0, [{ ticketId: null, status: 'rejected' }]],
  ['looks and refusals are in the log', 0, [{ status: 'validated' }, { status: 'exhausted' }]],
])('a store is sound when %s', (_name, counter, log, imported) => {
  expect(problemsOf(counter, log, imported)).toEqual([]);
});

test.each<[string, number, readonly Logged[], number | undefined]>([
  [`Ticket ${id} was used 4 times, but allows 3.`, 4, uses(1, 2, 3, 4), undefined],
  [`Ticket ${id} counts 1 use, but the log holds 2.`, 1, uses(1, 2), undefined],
  [`Ticket ${id} counts 2 uses, but the log holds 0.`, 2, [], undefined],
  [`Ticket ${id} counts 3 uses, but the log holds 0 and 2 more were imported or pruned.`, 3, [], 2],
  [`Ticket ${id}: the uses in the log are not numbered 1 to 2.`, 2, uses(1, 1), undefined],
  [`Ticket ${id}: the uses in the log are not numbered 1 to 2.`, 2, uses(2, 1), undefined],
  [`Ticket ${id}: the uses in the log are not numbered 3 to 3.`, 3, uses(1), 2],
  [
    `Ticket ${id}: the uses in the log are not numbered 1 to 1.`,
    1,
    [{ usesConsumed: null }],
    undefined,
  ],
  [
    `Ticket ${id}: the uses in the log are not numbered 1 to 2.`,
    2,
    [...uses(1), { usesConsumed: null }],
    undefined,
  ],
  [
    `The log holds uses of ${UNKNOWN}, which does not exist.`,
    0,
    [{ ticketId: UNKNOWN }],
    undefined,
  ],
])('an audit says: %s', (problem, counter, log, imported) => {
  expect(problemsOf(counter, log, imported)).toEqual([problem]);
});

test('the statistics are compared with the log', () => {
  const state = new MemoryState();
  state.events.set('abcdef', EVENT);
  state.tickets.set(id, aTicket({ usesConsumed: 1 }));
  const entry = entryOf(1, {});
  state.change(['scan', entry]);
  expect(verifyMemory(state).problems).toEqual([expect.stringMatching(/count 0 scans "consumed"/)]);
  state.addCount(state.countedAs(entry), 2, 1);
  expect(verifyMemory(state).problems).toEqual([]);
  state.addCount(state.countedAs(entryOf(2, { status: 'exhausted' })), 1, 0);
  expect(verifyMemory(state).problems).toEqual([expect.stringMatching(/"exhausted".*holds 0/)]);
});

test('a way out that was counted as a way in is found', () => {
  const state = new MemoryState();
  state.events.set('abcdef', EVENT);
  state.tickets.set(id, aTicket({ ticketType: 'multi', usesAllowed: 3, usesConsumed: 1 }));
  const entry = entryOf(1, { direction: 'out' });
  state.change(['scan', entry]);
  state.addCount({ ...state.countedAs(entry), direction: 'in' }, 1, 0);

  expect(verifyMemory(state).problems).toEqual([
    expect.stringMatching(/^The statistics count 1 scan "consumed in" .*, but the log holds 0\.$/),
    expect.stringMatching(
      /^The statistics count 0 scans "consumed out" .*, but the log holds 1\.$/,
    ),
  ]);
});

test('entries are removed from a log of any length', () => {
  const state = new MemoryState();
  const entries = 200_000;
  for (let number = 1; number <= entries; number += 1)
    state.change(['scan', entryOf(number, { operation: 'validate', status: 'validated' })]);
  state.change(['drop', [2]]);
  expect(state.log.length).toBe(entries - 1);
  expect(state.log.at(-1)?.sequence).toBe(entries);
});
