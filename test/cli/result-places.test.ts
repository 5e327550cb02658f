import { existsSync, linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RESULT_OPTIONS } from '../../src/cli/read-and-written.ts';
import { InProcess } from '../support/in-process.ts';
import { leavesOf } from './support/leaves.ts';

const folder = new InProcess();
afterAll(() => folder[Symbol.asyncDispose]());
const path = (name: string) => join(folder.path, name);
const words = (line: string, file: string) =>
  line.split(' ').map((word) => word.replace('FILE', file));

test.each([
  './unmade.db',
  'unmade.db-wal',
  'UNMADE.db',
  'unmade.db/in-the-way',
  'fresh.keyring.json',
  './gone/../unmade.db',
  'ticketscan.config.json',
  'named.json',
  'ticketscan.self-signed.key.pem',
  'chain.pem',
  'chain.key',
  'scraper.txt',
])('serve does not write the first sign-in to %s, which it needs itself', async (name) => {
  const files = '--tls-cert chain.pem --tls-key chain.key --metrics-token-file scraper.txt';
  writeFileSync(path('named.json'), '{}');
  const config = name === 'named.json' ? '--config named.json' : '';
  const line = `serve --port 0 --store sqlite:./unmade.db --keyring fresh.keyring.json ${files} ${config}`;
  const { code, err } = await folder.run([...words(line.trim(), ''), '--first-sign-in', name]);
  expect(`${code} ${err}`).toMatch(
    /^2 .*(the server uses .* itself|no result replaces|command reads that file)/s,
  );
  for (const made of ['unmade.db', 'fresh.keyring.json'])
    expect(existsSync(path(made))).toBe(false);
});

/** Commands with two results. FILE and OTHER are two spellings of one place. */
const TWO_RESULTS: Readonly<Record<string, string>> = {
  record: 'record http://127.0.0.1:1 --port 0 --out FILE --learn OTHER',
  simulate:
    'simulate virtual: --model access-controller --duration 1s --report json=FILE --report html=OTHER',
  check: 'check http://127.0.0.1:1 --report json=FILE --report html=OTHER',
  'check device': 'check device --run true --fast --report json=FILE --report html=OTHER',
  'check device --session': 'check device --run true --fast --session FILE --report html=OTHER',
  'check device --sheet': 'check device --run true --fast --sheet FILE --report html=OTHER',
  'check device, both': 'check device --run true --fast --session FILE --sheet OTHER',
};
const SPELLINGS: readonly (readonly [string, string])[] = [
  ['same.json', './same.json'],
  ['x/../same.json', 'same.json'],
  ['same.json', 'SAME.json'],
  ['same.json', 'through/same.json'],
  ['same.json', 'same.json/inside.json'],
  ['first.json', 'second.json'],
];

test.each(Object.entries(TWO_RESULTS))(
  'two results of %s never go to one file',
  async (_, line) => {
    if (!existsSync(path('through'))) symlinkSync('.', path('through'));
    if (!existsSync(path('first.json'))) {
      writeFileSync(path('first.json'), '');
      linkSync(path('first.json'), path('second.json'));
    }
    for (const [file, other] of SPELLINGS) {
      const { code, err } = await folder.run(words(line.replace('OTHER', other), file));
      expect(`${code} ${err}`, `${file} ${other}`).toMatch(/^2 .*lead to the same place/s);
      expect(existsSync(path('same.json'))).toBe(false);
    }
  },
);

test('every command with several results is tried with two of them', async () => {
  const several = (await leavesOf()).filter(({ command }) => {
    const results = command.options.filter(
      ({ long, flags }) =>
        RESULT_OPTIONS.has(long ?? '') && /<(file|path|dir|folder|format=file)/.test(flags),
    );
    return (
      results.length > 1 || results.some(({ variadic, long }) => variadic || long === '--report')
    );
  });
  const tried = Object.keys(TWO_RESULTS);
  expect(several.map(({ name }) => name).filter((name) => !tried.includes(name))).toEqual([]);
});

test('two results may go to one device', async () => {
  const line = 'check device --run true --fast --report json=/dev/null --report html=/dev/null';
  expect((await folder.run(line)).err).not.toContain('same place');
});
