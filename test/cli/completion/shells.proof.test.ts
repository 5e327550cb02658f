import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFolder, PROGRAM } from '../../support/cli.ts';
import { lacks } from '../../support/programs.ts';
import { TypingShell } from './support/typed.ts';

const folder = new CliFolder();

beforeAll(() => {
  mkdirSync(join(folder.path, 'bin'));
  mkdirSync(join(folder.path, 'papers'));
  writeFileSync(join(folder.path, 'before.json'), '{}');
  writeFileSync(join(folder.path, 'ticketscan.db'), '');
  writeFileSync(
    join(folder.path, 'bin/ticketscan'),
    `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
    { mode: 0o755 },
  );
});

afterAll(() => folder[Symbol.asyncDispose]());

/** Typed text, and the command line after Tab: the same in both shells. */
const TYPED = [
  ['ticketscan sig', 'ticketscan signing-keys '],
  ['ticketscan help keys cr', 'ticketscan help keys create '],
  ['ticketscan serve --tls-s', 'ticketscan serve --tls-self-signed '],
  ['ticketscan serve --log-level de', 'ticketscan serve --log-level debug '],
  ['ticketscan simulate --model acc', 'ticketscan simulate --model access-controller '],
  ['ticketscan mint --format png,sv', 'ticketscan mint --format png,svg '],
  ['ticketscan accounts edit ada --role vi', 'ticketscan accounts edit ada --role viewer '],
  ['ticketscan check --format js', 'ticketscan check --format json '],
  ['ticketscan check --only 7.1/bad', 'ticketscan check --only 7.1/bad-body '],
  ['ticketscan "sig', 'ticketscan "signing-keys" '],
  ["ticketscan serve --log-level 'de", "ticketscan serve --log-level 'debug' "],
  ['ticketscan serve --log-level=de', 'ticketscan serve --log-level=debug '],
  ['ticketscan simulate --cards-from bef', 'ticketscan simulate --cards-from before.json '],
  ['ticketscan mint --out pa', 'ticketscan mint --out papers/'],
  ['ticketscan check --target bef', 'ticketscan check --target before.json '],
  ['ticketscan check --report json=bef', 'ticketscan check --report json=before.json '],
  ['ticketscan check --report sar', 'ticketscan check --report sarif='],
  [
    'ticketscan audit --store sqlite:ticketscan.d',
    'ticketscan audit --store sqlite:ticketscan.db ',
  ],
  ['ticketscan keys edit nobo', 'ticketscan keys edit nobo'],
] as const;

for (const shell of ['bash', 'zsh'] as const) {
  test(`${shell} completes commands, options, choices, cases and files`, async (context) => {
    const missing = lacks(shell) ?? lacks('script');
    context.skip(missing !== undefined, missing);
    await using typing = await TypingShell.start(shell, folder.path);
    for (const [keys, line] of TYPED) expect(await typing.completed(keys)).toBe(line);
    const closed = 'ticketscan mint --format "png",sv';
    if (shell === 'bash') expect(await typing.completed(closed)).toBe(closed);
  });
}

/** What fish offers, as `value\tdescription`, for each line in turn. */
async function offeredByFish(lines: readonly string[]): Promise<string[][]> {
  const script = [
    'ticketscan completion fish | source',
    ...lines.map((line) => `complete -C ${quotedForFish(line)}; echo ---`),
  ].join('\n');
  const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script], {
    cwd: folder.path,
    env: { ...process.env, PATH: `${folder.path}/bin:${process.env['PATH']}`, HOME: folder.path },
  });
  const blocks = stdout.split('---\n').slice(0, -1);
  return blocks.map((block) => block.split('\n').filter((line) => line !== ''));
}

function quotedForFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

test('fish completes commands, options, choices, cases and files', async (context) => {
  const missing = lacks('fish');
  context.skip(missing !== undefined, missing);
  const offered = await offeredByFish([
    'ticketscan sig',
    'ticketscan check --format js',
    'ticketscan check --only 7.1/bad',
    'ticketscan "sig',
    'ticketscan mint --format png,sv',
    'ticketscan mint --out pa',
    'ticketscan check --report json=bef',
  ]);
  expect(offered.map((lines) => lines.map((line) => line.split('\t')[0]))).toEqual([
    ['signing-keys'],
    ['json'],
    ['7.1/bad-body'],
    ['signing-keys'],
    ['png,svg'],
    ['papers/'],
    ['json=before.json'],
  ]);
});
