import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { CliIo } from '../../../src/terminal/io.ts';
import { Progress, progressLine } from '../../../src/terminal/progress.ts';

test('a line tells what is done, the rate and the time left', () => {
  expect(progressLine('drawing', 1200, 10_000, 2000)).toBe(
    'drawing: 1,200 of 10,000, 600/s, 15 s left',
  );
  expect(progressLine('drawing', 10, 100_000, 1000)).toBe(
    'drawing: 10 of 100,000, 10/s, 167 min left',
  );
  expect(progressLine('drawing', 0, 5, 0)).toBe('drawing: 0 of 5, 0/s');
});

/** A run of an update every second, and what it writes to stderr. */
function written(stderrIsTty: boolean, seconds: number): string {
  const stderr = new PassThrough({ encoding: 'utf8' });
  let now = 0;
  const err = (line: string) => void stderr.write(`${line}\n`);
  const progress = new Progress({ stderr, err, stderrIsTty } as unknown as CliIo, () => now);
  progress.begin('storing', 1000);
  for (let second = 1; second <= seconds; second += 1) {
    now = second * 1000;
    progress.update(second);
  }
  progress.clear();
  return String(stderr.read() ?? '');
}

test('on a terminal one line is written over and taken away at the end', () => {
  const text = written(true, 3);

  expect(text.split('\r\u001b[K')).toHaveLength(5);
  expect(text).not.toContain('\n');
});

test('elsewhere there is a line now and then, and none for what is soon done', () => {
  expect(written(false, 5)).toBe('');
  expect(written(false, 35).trimEnd().split('\n')).toHaveLength(3);
});
