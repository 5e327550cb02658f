import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finished, Workplace } from '../support/program.ts';

const place = new Workplace();

beforeAll(async () => {
  await place.output('events', 'create', '--name', 'Summer pool');
});

afterAll(() => place.remove());

async function storedTickets(): Promise<number> {
  return (await place.json<{ tickets: number }>('audit')).tickets;
}

test.each(['SIGINT', 'SIGKILL'] as const)(
  'a run cut short by %s leaves whole files only, and --resume completes it without doubles',
  async (signal) => {
    const options = ['--count', '6000', '--format', 'png,csv', '--no-verify', '--out', signal];
    const run = ['mint', '--event', 'Summer pool', ...options];
    const before = await storedTickets();
    const child = place.start(...run);
    const ended = finished(child);
    await firstImageIn(signal);
    child.kill(signal);
    const { code } = await ended;

    expect(code).toBe(signal === 'SIGINT' ? 130 : null);
    const images = readdirSync(place.path(signal)).filter((name) => name.endsWith('.png'));
    expect(images.length).toBeLessThan(6000);
    // The last chunk of a PNG file: it is there, so the file is whole.
    for (const name of images) {
      expect(readFileSync(place.path(signal, name)).includes('IEND')).toBe(true);
    }
    expect(await place.run(...run)).toMatchObject({ code: 2 });
    expect(await place.runWithFewFiles(...run, '--resume')).toMatchObject({ code: 0 });
    const rest = readdirSync(place.path(signal)).filter((name) => !name.endsWith('.png'));
    expect(rest).toEqual(['tickets.csv']);
    expect(readdirSync(place.path(signal))).toHaveLength(6001);
    expect(await storedTickets()).toBe(before + 6000);
  },
);

async function firstImageIn(folder: string): Promise<void> {
  for (;;) {
    try {
      if (readdirSync(place.path(folder)).some((name) => name.endsWith('.png'))) return;
    } catch {
      // The folder is not there yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
