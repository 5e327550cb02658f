import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CliIo, processIo } from '../../src/terminal/io.ts';
import { withElapsed } from '../../src/terminal/progress.ts';

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
