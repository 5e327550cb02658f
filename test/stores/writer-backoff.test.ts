import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { beginWriting } from '../../src/stores/sqlite/open-database.ts';
import { WriterBackoff } from '../../src/stores/sqlite/writer-backoff.ts';
import { TestStore } from '../support/stores.ts';

/** Two connections to one file, as of two processes; the first gives way. */
function twoConnections() {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-'));
  const open = () => new DatabaseSync(join(folder, 'shared.db'));
  const [own, other] = [open(), open()];
  own.exec('PRAGMA journal_mode = WAL; CREATE TABLE number (value INTEGER)');
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => {
    clock.mockRestore();
    own.close();
    other.close();
    rmSync(folder, { recursive: true });
  });
  let nowMs = 1_000_000;
  const passes = (ms: number) => {
    nowMs += ms;
    clock.mockReturnValue(nowMs);
  };
  passes(0);
  const pauses: number[] = [];
  const backoff = new WriterBackoff(own, async (ms) => {
    pauses.push(ms);
    passes(ms);
  });
  const write = (database: DatabaseSync) => database.exec('INSERT INTO number VALUES (1)');
  const step = (tookMs: number) =>
    backoff.after(async () => {
      write(own);
      passes(tookMs);
    });
  return { own, other, pauses, passes, step, writeAsOther: () => write(other) };
}

test('a process that is alone pauses shortly and seldom, so that another can begin', async () => {
  const { pauses, step } = twoConnections();

  for (let steps = 0; steps < 30; steps += 1) await step(20);

  expect(pauses).toEqual(Array.from({ length: 10 }, () => 3));
});

test('while another process writes, each step is followed by a pause twice as long', async () => {
  const { pauses, step, writeAsOther } = twoConnections();
  writeAsOther();

  for (const tookMs of [20, 4, 300, 1]) await step(tookMs);

  expect(pauses).toEqual([40, 8, 50, 3]);
});

test('a second after the other has written for the last time, the process is alone again', async () => {
  const { pauses, passes, step, writeAsOther } = twoConnections();
  writeAsOther();
  await step(20);
  passes(1000);

  for (let steps = 0; steps < 2; steps += 1) await step(20);

  expect(pauses).toEqual([40]);
});

test('a scan that waits for the lock of another process goes on when it is free', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint({ kind: 'permanent' });
  const other = new DatabaseSync(gate.url.slice('sqlite:'.length));
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const scanned = gate.scan(gate.request(id));
  await wait(140);
  other.exec('COMMIT');
  expect(await scanned).toMatchObject([{ kind: 'decided' }]);
});

test('whoever waits for the lock tries again every few milliseconds', () => {
  const { own, other } = twoConnections();
  const begin = own.exec.bind(own);
  const waitsMs: unknown[] = [];
  vi.spyOn(own, 'exec').mockImplementation((sql) => {
    if (sql === 'BEGIN IMMEDIATE') {
      waitsMs.push(own.prepare('PRAGMA busy_timeout').get()?.['timeout']);
      if (waitsMs.length === 4) other.exec('COMMIT');
    }
    begin(sql);
  });
  other.exec('BEGIN IMMEDIATE');

  beginWriting(own).commit();

  // SQLite by itself would look again after up to 50 ms.
  expect(waitsMs).toEqual([1, 1, 1, 1]);
});

// Both wait for seconds.
test.concurrent('a log is pruned in steps short enough for the guests who wait', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint({ kind: 'permanent' });
  await gate.scan(...Array.from({ length: 1100 }, () => gate.request(id)));
  const prune = () => gate.store.pruneLog(Number.MAX_SAFE_INTEGER, 5000);

  expect([await prune(), await prune()]).toEqual([100, 100]);
  await wait(1100);
  expect([await prune(), await prune(), await prune()]).toEqual([500, 399, 0]);
});

test.concurrent('a scan that cannot get the lock for five seconds says that another process has it, and the next one is taken', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint({ kind: 'permanent' });
  using other = new DatabaseSync(gate.url.slice('sqlite:'.length));
  other.exec('BEGIN IMMEDIATE');
  const beganAt = performance.now();

  await expect(gate.scan(gate.request(id))).rejects.toMatchObject({ code: 'store_busy' });

  expect(performance.now() - beganAt).toBeGreaterThan(4900);
  other.exec('COMMIT');
  expect(await gate.scan(gate.request(id))).toMatchObject([{ kind: 'decided' }]);
});
