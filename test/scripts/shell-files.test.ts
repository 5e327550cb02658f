import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCompletions } from '../../scripts/release/completions.ts';
import { writeManPages } from '../../scripts/release/man-pages.ts';
import { roffText } from '../../scripts/release/roff.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { processIo } from '../../src/terminal/io.ts';
import { lacks } from '../support/programs.ts';

const DATE = '2026-01-31';
const folder = mkdtempSync(join(tmpdir(), 'ticketscan-shell-files-'));
let pages: string[];
let program: Command;

beforeAll(async () => {
  pages = await writeManPages(join(folder, 'man'), DATE);
  program = await buildProgram(processIo(), () => true);
});

afterAll(() => rmSync(folder, { recursive: true }));

function pageText(page: string): string {
  const { stdout } = spawnSync('mandoc', ['-Tutf8', '-O', 'width=400', join(folder, 'man', page)]);
  // Bold and underlined letters are struck twice.
  return stdout.toString().replace(/.[\b]/gu, '');
}

function optionsOf(command: Command): string[] {
  const own = command.createHelp().visibleOptions(command);
  return [...own.map(({ flags }) => flags), ...command.commands.flatMap(optionsOf)];
}

test('there is a manual page for the program and one for each command', () => {
  const names = program.commands.map((one) => `ticketscan-${one.name()}.1`);
  expect(readdirSync(join(folder, 'man')).sort()).toEqual([...names, 'ticketscan.1'].sort());
  expect(pages).toEqual(['ticketscan.1', ...names]);
});

test('the pages are the same bytes when they are written again', async () => {
  await writeManPages(join(folder, 'again'), DATE);
  for (const page of pages) {
    const text = readFileSync(join(folder, 'man', page), 'utf8');
    expect(readFileSync(join(folder, 'again', page), 'utf8')).toBe(text);
    expect(text).toMatch(/^[\n -~]+$/u);
  }
});

test('mandoc finds nothing wrong, and shows every option and text of the help', (context) => {
  const missing = lacks('mandoc');
  context.skip(missing !== undefined, missing);
  const paths = pages.map((page) => join(folder, 'man', page));
  expect(spawnSync('mandoc', ['-Tlint', '-W', 'warning', ...paths]).stdout.toString()).toBe('');
  for (const command of program.commands) {
    const text = pageText(`ticketscan-${command.name()}.1`);
    for (const flags of optionsOf(command)) expect(text).toContain(`  ${flags}`);
    expect(text).toContain(command.description());
  }
  const check = pageText('ticketscan-check.1');
  expect(check).toContain('ticketscan check --explain 3.2/single-only-once');
  expect(check).toContain('file to write; an existing file is never overwritten');
});

test('text that looks like roff is shown as it is', (context) => {
  const missing = lacks('mandoc');
  context.skip(missing !== undefined, missing);
  const text = ".SH 'a' \\fB \\n(.x -- `b` ~^ ü…\n.PP\n'br";
  const page = [
    '.TH X 1 2026-01-31',
    '.SH NAME',
    'x \\- y',
    '.SH TEXT',
    '.nf',
    roffText(text),
    '.fi',
  ];
  writeFileSync(join(folder, 'man', 'odd.1'), `${page.join('\n')}\n`);
  for (const line of text.split('\n')) expect(pageText('odd.1')).toContain(line);
});

test('each shell can read its completion', (context) => {
  const files = writeCompletions(join(folder, 'completions'));
  expect(files.map((file) => file.split('/')[0])).toEqual(['bash', 'zsh', 'fish']);
  for (const file of files) {
    const shell = file.split('/')[0] ?? '';
    const missing = lacks(shell);
    context.skip(missing !== undefined, missing);
    const { status, stderr } = spawnSync(shell, ['-n', join(folder, 'completions', file)]);
    expect([file, status, stderr.toString()]).toEqual([file, 0, '']);
  }
});
