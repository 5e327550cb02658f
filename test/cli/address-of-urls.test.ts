import { afterAll, expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';

/** A server ends here as soon as it has begun. */
const folder = new InProcess(AbortSignal.abort());
afterAll(() => folder[Symbol.asyncDispose]());

const originOf = (url: string) => new URL(url).origin;
const HARDWARE = ['--type', 'hardware'];

test('URLs for devices lead to where a server last ran on the store, unless a setting says another address', async () => {
  const { out } = await folder.run('serve --port 0 --json');
  const served = originOf(JSON.parse(out).url);

  const made = await folder.json(['keys', 'create', '--name', 'Gate', ...HARDWARE]);
  const rotated = await folder.json('keys rotate Gate');
  const seeded = await folder.json('seed --count 1 --yes');
  const named = await folder.json([
    ...['keys', 'create', '--name', 'Other', ...HARDWARE],
    ...['--organisation', 'Default', '--base-url', 'https://scan.example.org'],
  ]);
  const other = { TICKETSCAN_PORT: '8610' };
  const ofMachine = await folder.json('keys rotate Gate', other);

  expect(originOf(served)).not.toContain(':8080');
  expect([made.cardUrl, rotated.cardUrl, seeded.baseUrl].map(originOf)).toEqual([
    served,
    served,
    served,
  ]);
  expect(originOf(named.cardUrl)).toBe('https://scan.example.org');
  expect(originOf(ofMachine.cardUrl)).toBe('http://127.0.0.1:8610');
});

test('a wrong address makes no key, whose value nobody would see', async () => {
  const before = await folder.json('keys list');
  for (const line of [
    'keys create --name Lost --type hardware --organisation Default --base-url nope',
    'keys rotate Gate --base-url nope',
  ])
    expect(await folder.run(line)).toMatchObject({ code: 2, failure: 'usage' });
  expect(await folder.json('keys list')).toEqual(before);
});
