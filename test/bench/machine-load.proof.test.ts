import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  machineTicks,
  parseProcess,
  readLoad,
  takenBetween,
  ticksOfTree,
} from '../../bench/page/machine-load.ts';

test('of the machine, interrupts are nobody’s and what the host took is told apart', () => {
  const stat = 'cpu  100 20 30 400 50 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n';

  expect(machineTicks(stat)).toEqual({ passed: 621, byAll: 150, stolen: 8 });
});

test('a process counts its own time and that of its children that have ended', () => {
  const stat = `4711 (a (bad) name) S 17 ${'0 '.repeat(9)}10 5 3 2 20 0 1 0`;

  expect(parseProcess(stat)).toEqual({ pid: 4711, parent: 17, ticks: 20 });
});

test('what we started and what that started is ours, and nothing else', () => {
  const processes = [
    { pid: 1, parent: 0, ticks: 1000 },
    { pid: 10, parent: 1, ticks: 5 },
    { pid: 11, parent: 10, ticks: 7 },
    { pid: 12, parent: 11, ticks: 9 },
    { pid: 20, parent: 1, ticks: 500 },
  ];

  expect(ticksOfTree(10, processes)).toBe(21);
});

test('others took what was used beside us', () => {
  const before = { passed: 1000, byAll: 500, stolen: 10, byUs: 100 };
  const after = { passed: 1200, byAll: 650, stolen: 20, byUs: 150 };

  expect(takenBetween(before, after)).toEqual({ byPrograms: 0.5, byHost: 0.05 });
});

test.skipIf(process.platform !== 'linux')(
  'a program that we started and that has ended is ours',
  () => {
    const before = readLoad();
    execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 300_000);']);

    expect(readLoad().byUs - before.byUs).toBeGreaterThanOrEqual(30);
  },
);
