import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CliIo, processIo } from '../../src/terminal/io.ts';
import { Progress, progressLine, withElapsed } from '../../src/terminal/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function written(io: Partial<CliIo>, taskMs: number): Promise<string> {
  const stderr = new PassThrough();
  let text = '';
  stderr.on('data', (chunk) => (text += chunk));
  const err = (line: string) => void stderr.write(`${line}\n`);
  const task = () => new Promise<number>((resolve) => setTimeout(() => resolve(7), taskMs));
  const done = withElapsed({ ...processIo(), stderr, err, ...io }, 'auditing', task);
  await vi.advanceTimersByTimeAsync(taskMs);
  expect(await done).toBe(7);
  return text.replaceAll('\u001b[K', '');
}

test('on a terminal the seconds are shown from the second on, and cleared', async () => {
  expect(await written({ stderrIsTty: true }, 1900)).toBe('');
  expect(await written({ stderrIsTty: true }, 3500)).toBe('\rauditing: 2 s\rauditing: 3 s\r');
});

test('elsewhere there is a line every ten seconds', async () => {
  expect(await written({ stderrIsTty: false }, 9000)).toBe('');
  expect(await written({ stderrIsTty: false }, 25_000)).toBe('auditing: 10 s\nauditing: 20 s\n');
});

test('--quiet shows nothing', async () => {
  expect(await written({ stderrIsTty: true, verbosity: 'quiet' }, 25_000)).toBe('');
});

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
function progressWritten(stderrIsTty: boolean, seconds: number): string {
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
  const text = progressWritten(true, 3);

  expect(text.split('\r\u001b[K')).toHaveLength(5);
  expect(text).not.toContain('\n');
});

test('elsewhere there is a line now and then, and none for what is soon done', () => {
  expect(progressWritten(false, 5)).toBe('');
  expect(progressWritten(false, 35).trimEnd().split('\n')).toHaveLength(3);
});
