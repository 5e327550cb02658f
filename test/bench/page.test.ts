import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepRun, lastRatio, type Run, readRuns } from '../../bench/page/kept-runs.ts';
import { type Line, type Section, verdictOf } from '../../bench/page/line.ts';
import { renderPage } from '../../bench/page/render-page.ts';

const QUIET = { byPrograms: 0.01, byHost: 0 };
const BUSY = { byPrograms: 0.03, byHost: 0.03 };

function aLine(of: Partial<Line> = {}): Line {
  return {
    id: 'gate/p50',
    what: 'one gate: p50',
    against: 'its floor',
    figure: '2.00 ms',
    reference: '1.00 ms',
    ratio: 2,
    goal: { atMost: 1 },
    measures: 'wall clock',
    ...of,
  };
}

function aRun(lines: readonly Line[], of: Partial<Run> = {}, taken: Section['taken'] = QUIET): Run {
  const section = { name: 'gate', title: 'How long a gate waits (gate)', notes: [], lines, taken };
  return {
    at: '2026-11-22T20:00:00.000Z',
    commit: 'abc1234',
    machine: '2 × a processor',
    quick: false,
    sections: [section],
    ...of,
  };
}

test.each([
  [{ ratio: 1, goal: { atMost: 1 } }, false, 'hit'],
  [{ ratio: 1.01, goal: { atMost: 1 } }, false, 'miss'],
  [{ ratio: 0.9, goal: { atLeast: 0.9 } }, false, 'hit'],
  [{ ratio: 0.89, goal: { atLeast: 0.9 } }, false, 'miss'],
  [{ ratio: 0.5 }, true, 'too busy to judge'],
  [{ ratio: 0.5, measures: 'processor time' }, true, 'hit'],
] as const)('%o on a machine that is busy: %s is a %s', (of, busy, verdict) => {
  expect(verdictOf(aLine(of), { taken: busy ? BUSY : QUIET })).toBe(verdict);
});

test('a line without a goal is not judged', () => {
  const { goal: _, ...line } = aLine();
  expect(verdictOf(line, { taken: BUSY })).toBe('');
});

test('the page says what, against what, the ratio, the goal, the result and the last run', () => {
  const page = renderPage(aRun([aLine()]), [aRun([aLine({ ratio: 1.6 })])]);

  expect(page).toContain(
    '  one gate: p50  2.00 ms   its floor: 1.00 ms  2.00   ≤ 1.00  miss    1.60 (+25 %)',
  );
  expect(page.at(-1)).toMatch(/^0 goals hit, 1 missed, 0 that could not be judged/);
});

test('the page says who took the processors when nothing could be judged', () => {
  const page = renderPage(aRun([aLine()], {}, BUSY), []).join('\n');

  expect(page).toContain('Other programs took 3 % of the processors');
  expect(page).toContain('too busy to judge');
  expect(page).not.toContain('%)');
  expect(page).toContain('There is no earlier run to compare with.');
});

test('a line is compared with the newest run of the same machine and length that could be judged', () => {
  const earlier = [
    aRun([aLine({ ratio: 1.1 })], { at: 'oldest' }),
    aRun([aLine({ ratio: 1.2 })], { at: 'newer' }),
    aRun([aLine({ id: 'another', ratio: 1.3 })]),
    aRun([aLine({ ratio: 1.4 })], { quick: true }),
    aRun([aLine({ ratio: 1.5 })], { machine: 'another' }),
    aRun([aLine({ ratio: 1.6 })], {}, BUSY),
  ];

  expect(lastRatio('gate/p50', aRun([]), earlier)).toBe(1.2);
  expect(lastRatio('unheard of', aRun([]), earlier)).toBeUndefined();
});

test('the newest 50 runs are kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'new', 'runs.json');

  expect(readRuns(file)).toEqual([]);
  for (let number = 0; number < 51; number += 1) keepRun(file, aRun([], { at: String(number) }));

  expect(readRuns(file).map(({ at }) => at)).toEqual(
    Array.from({ length: 50 }, (_, index) => String(index + 1)),
  );
});
