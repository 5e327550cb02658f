import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/stores/sqlite/open-database.ts';
import { PendingUses } from '../../src/stores/sqlite/pending-uses.ts';
import { SqliteConnection } from '../../src/stores/sqlite/sqlite-connection.ts';

let database: DatabaseSync;
let uses: PendingUses;

beforeEach(() => {
  database = openDatabase(':memory:').database;
  uses = new PendingUses(database);
  for (const ticket of [1, 2, 3]) {
    database.prepare('INSERT INTO ticket_use VALUES (?, 0, NULL)').run(ticket);
  }
});
afterEach(() => database.close());

/** A line of the log, as a process writes it that tells nobody. */
function log(
  ticket: number,
  usesConsumed: number,
  entry: { status?: string; replayed?: number } = {},
): void {
  const { status = 'consumed', replayed = 0 } = entry;
  database
    .prepare(
      `INSERT INTO scan_log (at, api_key, operation, status, ticket, uses_consumed, replayed)
       VALUES (?, 1, 'consume', ?, ?, ?, ?)`,
    )
    .run(1000 + usesConsumed, status, ticket, usesConsumed, replayed);
}

/** @returns the last entry of the log */
function catchUp(upTo: number): number {
  const row = database.prepare('SELECT coalesce(max(sequence), 0) AS last FROM scan_log').get();
  const last = Number(row?.['last']);
  uses.catchUp(upTo, last);
  return last;
}

const flushedTo = () =>
  Number(database.prepare('SELECT flushed_to FROM state').get()?.['flushed_to']);
const counters = () =>
  database
    .prepare('SELECT uses_consumed, last_consumed_at FROM ticket_use ORDER BY ticket')
    .all()
    .map((row) => [row['uses_consumed'], row['last_consumed_at']]);

/** Logs a use of each of two tickets, and does the first step of flushing them. */
function flushFirstOfTwo(): void {
  log(1, 1);
  log(2, 1);
  catchUp(0);
  uses.flushSome(1);
}

test('what others have logged is known after catching up, the last of each ticket', () => {
  log(1, 1);
  log(2, 1);
  log(1, 2);
  log(3, 7, { status: 'exhausted' });
  log(3, 8, { replayed: 1 });
  expect(uses.entries).toBe(0);

  expect(catchUp(0)).toBe(5);

  expect(uses.of(1)).toEqual({ usesConsumed: 2, lastConsumedAt: 1002 });
  expect(uses.of(2)).toEqual({ usesConsumed: 1, lastConsumedAt: 1001 });
  expect(uses.of(3)).toBeUndefined();
  expect(uses.entries).toBe(5);
});

test('flushing writes the counters and the entry that they go up to, and remembers nothing', () => {
  log(2, 1);
  log(1, 1);
  log(1, 2);
  catchUp(0);

  uses.flushSome(9);

  expect(counters()).toEqual([
    [2, 1002],
    [1, 1001],
    [0, null],
  ]);
  expect(flushedTo()).toBe(3);
  expect(uses.entries).toBe(0);
  expect(uses.of(1)).toBeUndefined();
  expect(catchUp(3)).toBe(3);
});

test('what was flushed is not read again, what came after it is', () => {
  log(1, 1);
  catchUp(0);
  uses.flushSome(9);
  log(2, 1);

  expect(catchUp(flushedTo())).toBe(2);

  expect(uses.of(1)).toBeUndefined();
  expect(uses.of(2)).toEqual({ usesConsumed: 1, lastConsumedAt: 1001 });
  expect(uses.entries).toBe(1);
});

test('what this process wrote and told is not read again', () => {
  log(1, 1);
  uses.add(1, { usesConsumed: 9, lastConsumedAt: 9 });
  uses.wrote(1);

  expect(catchUp(0)).toBe(1);

  expect(uses.of(1)).toEqual({ usesConsumed: 9, lastConsumedAt: 9 });
  log(1, 2);
  catchUp(0);
  expect(uses.of(1)).toEqual({ usesConsumed: 2, lastConsumedAt: 1002 });
});

test('when another process has flushed, what it wrote is forgotten and the rest is read again', () => {
  log(1, 1);
  log(2, 1);
  log(3, 1);
  catchUp(0);

  expect(catchUp(2)).toBe(3);

  expect([1, 2, 3].map((ticket) => uses.of(ticket)?.usesConsumed)).toEqual([
    undefined,
    undefined,
    1,
  ]);
  expect(uses.entries).toBe(1);
});

test('an older file in the place of this one: what it does not hold never happened', () => {
  log(1, 1);
  log(2, 1);
  catchUp(0);
  database.exec('DELETE FROM scan_log WHERE sequence = 2');

  expect(catchUp(0)).toBe(1);

  expect(uses.of(1)).toEqual({ usesConsumed: 1, lastConsumedAt: 1001 });
  expect(uses.of(2)).toBeUndefined();
});

test('what was forgotten is read again, and until then nothing waits for flushing', () => {
  log(1, 1);
  catchUp(0);

  uses.forget();

  expect(uses.of(1)).toBeUndefined();
  expect(uses.entries).toBe(0);
  expect(catchUp(0)).toBe(1);
  expect(uses.of(1)?.usesConsumed).toBe(1);
});

test('flushing in steps writes a few counters at a time, and how far they go up to with the last of them', () => {
  log(3, 1);
  log(1, 1);
  log(2, 1);
  catchUp(0);

  uses.flushSome(2);

  expect(counters()).toEqual([
    [1, 1001],
    [1, 1001],
    [0, null],
  ]);
  expect([flushedTo(), uses.isFlushing, uses.entries]).toEqual([0, true, 3]);
  expect(uses.of(3)).toEqual({ usesConsumed: 1, lastConsumedAt: 1001 });
  uses.flushSome(2);
  expect(counters()[2]).toEqual([1, 1001]);
  expect([flushedTo(), uses.isFlushing, uses.entries]).toEqual([3, false, 0]);
  expect(uses.of(3)).toBeUndefined();
});

test('a use that comes between the steps of flushing is kept for the next time', () => {
  flushFirstOfTwo();
  log(1, 2);

  catchUp(0);
  uses.flushSome(1);

  expect(flushedTo()).toBe(2);
  expect(uses.of(1)).toEqual({ usesConsumed: 2, lastConsumedAt: 1002 });
  catchUp(2);
  uses.flushSome(9);
  expect(counters().slice(0, 2)).toEqual([
    [2, 1002],
    [1, 1001],
  ]);
});

test('when another process has flushed, the steps of flushing start again', () => {
  flushFirstOfTwo();
  database.exec('UPDATE ticket_use SET uses_consumed = 5; UPDATE state SET flushed_to = 2');

  catchUp(2);

  expect(uses.isFlushing).toBe(false);
  expect(uses.of(2)).toBeUndefined();
});

test('a counter that is missing is an error, not a use that is lost', () => {
  log(77, 1);
  catchUp(0);

  expect(() => uses.flushSome(9)).toThrow('the counter of ticket row 77 is missing');
});

test('counters are written in the order of the file', () => {
  database.exec(`
    CREATE TEMP TABLE written (ticket INTEGER);
    CREATE TEMP TRIGGER note AFTER UPDATE ON ticket_use BEGIN INSERT INTO written VALUES (NEW.ticket); END;
  `);
  for (const ticket of [2, 3, 1]) log(ticket, 1);
  catchUp(0);

  uses.flushSome(9);

  const written = database.prepare('SELECT ticket FROM written ORDER BY rowid').all();
  expect(written.map(({ ticket }) => ticket)).toEqual([1, 2, 3]);
});

test('before a prune, uses that other processes have logged are flushed too', async () => {
  const connection = new SqliteConnection(database);
  log(2, 1);
  log(3, 4);

  await connection.inTransaction(() => connection.flushUses());

  expect(counters()).toEqual([
    [0, null],
    [1, 1001],
    [4, 1004],
  ]);
  expect(flushedTo()).toBe(2);
});
