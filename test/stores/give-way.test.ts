import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GiveWay } from '../../src/service/stores/sqlite/give-way.ts';
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
  const giveWay = new GiveWay(own, async (ms) => {
    pauses.push(ms);
    passes(ms);
  });
  const write = (database: DatabaseSync) => database.exec('INSERT INTO number VALUES (1)');
  const step = (tookMs: number) =>
    giveWay.after(async () => {
      write(own);
      passes(tookMs);
    });
  return { pauses, passes, step, writeAsOther: () => write(other) };
}

test('a process that is alone pauses shortly and seldom, so that another can begin', async () => {
  const { pauses, step } = twoConnections();

  for (let steps = 0; steps < 30; steps += 1) await step(20);

  expect(pauses).toEqual([10, 10]);
});

test('while another process writes, each step is followed by a pause as long as it was', async () => {
  const { pauses, step, writeAsOther } = twoConnections();
  writeAsOther();

  for (const tookMs of [20, 4, 300, 20]) await step(tookMs);

  expect(pauses).toEqual([20, 10, 50, 20]);
});

test('a second after the other has written for the last time, the process is alone again', async () => {
  const { pauses, passes, step, writeAsOther } = twoConnections();
  writeAsOther();
  await step(20);
  passes(1000);

  for (let steps = 0; steps < 5; steps += 1) await step(20);

  expect(pauses).toEqual([20]);
});

test('a log is pruned in steps short enough for the guests who wait', async () => {
  await using gate = await TestStore.open('sqlite');
  const { id } = await gate.mint({ kind: 'permanent' });
  await gate.scan(...Array.from({ length: 1100 }, () => gate.request(id)));
  const prune = () => gate.store.pruneLog(Number.MAX_SAFE_INTEGER, 5000);

  expect([await prune(), await prune(), await prune(), await prune()]).toEqual([500, 500, 99, 0]);
});
