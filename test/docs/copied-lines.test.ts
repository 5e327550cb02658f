import { globSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { processIo } from '../../src/terminal/io.ts';

/** Pages whose blocks somebody copies into a shell. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/**/*.md').filter((file) => !file.startsWith('docs/adr/')),
];
/** What a line of a shell may begin with. A word of a sentence is not among them. */
const PROGRAMS = new Set(
  'age-keygen alias control codesign cosign cp createdb createuser curl docker export git gpg jq minisign netsh npm npx rm sha256sum sudo systemctl ticketscan xz'.split(
    ' ',
  ),
);

interface Line {
  readonly page: string;
  readonly text: string;
}

/** The lines of shell blocks; those that go on are joined. */
function linesOf(page: string): Line[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(?:sh|bash|shell)\n([\s\S]*?)^```/gmu);
  return [...blocks]
    .flatMap(([, block = '']) => block.replace(/\\\n\s*/gu, ' ').split('\n'))
    .map((text) => ({ page, text: text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
}

const LINES = PAGES.flatMap(linesOf);

function isForAShell(text: string): boolean {
  const [first = ''] = text.replace(/^(?:[A-Z_]+=\S+\s+)+/u, '').split(/\s/u);
  return PROGRAMS.has(first) || /^[A-Z_]+=\S+$/u.test(text);
}

let program: Command;
beforeAll(async () => {
  program = await buildProgram(processIo(), () => true);
});

/** Each call of the program in a line, as words without quotes. A comment ends the line. */
function callsOf(text: string): string[][] {
  const words = text.match(/"[^"]*"|'[^']*'|[^\s"';|&]+|[;|&]+/gu) ?? [];
  const bare = words.map((word) => word.replace(/^["']|["']$/gu, ''));
  const comment = words.findIndex((word) => word.startsWith('#'));
  const own = comment < 0 ? bare : bare.slice(0, comment);
  return own.flatMap((word, at) => {
    const before = own[at - 1] ?? '';
    const isCalled = at === 0 || /^(?:npx|sudo|[;|&]+|[A-Z_]+=\S+|\w+=|--)$/u.test(before);
    if (word !== 'ticketscan' || !isCalled) return [];
    const rest = own.slice(at + 1);
    const end = rest.findIndex((one) => /^[;|&>)]+/u.test(one));
    return [end < 0 ? rest : rest.slice(0, end)];
  });
}

function commandOf(words: readonly string[]): { command: Command; rest: readonly string[] } {
  let command = program;
  let at = 0;
  for (; at < words.length; at += 1) {
    const next = command.commands.find((one) => one.name() === words[at]);
    if (!next) break;
    command = next;
  }
  return { command, rest: words.slice(at) };
}

/** What would be refused, or asked where nobody answers. */
function problemIn({ text }: Line): string | undefined {
  for (const words of callsOf(text)) {
    const { command, rest } = commandOf(words);
    const first = rest[0];
    if (command === program && first !== undefined && !first.startsWith('-'))
      return `no command ${first}`;
    const given = rest.filter((word) => /^--\w/u.test(word)).map((word) => word.split('=', 1)[0]);
    const known = command.options.map(({ long }) => long);
    const unknown = given.find((option) => !known.includes(option) && option !== '--help');
    if (unknown !== undefined) return `no option ${unknown}`;
    const yes = command.options.find(({ long }) => long === '--yes');
    const isNeeded = yes?.description.includes('needed where no terminal can ask');
    if (isNeeded && !given.includes('--yes') && !/#.*\bquestion\b/u.test(text))
      return 'without --yes, and no word of the question';
  }
  return undefined;
}

test('there are lines to copy, and calls of the program in them', () => {
  expect(LINES.length).toBeGreaterThan(90);
  expect(LINES.flatMap(({ text }) => callsOf(text)).length).toBeGreaterThan(45);
});

test('every line in a shell block is one for a shell', () => {
  expect(LINES.filter(({ text }) => !isForAShell(text))).toEqual([]);
});

test('every call of the program has a command and options that exist, and --yes where it is needed', () => {
  const wrong = LINES.flatMap((line) => {
    const problem = problemIn(line);
    return problem === undefined ? [] : [{ ...line, problem }];
  });
  expect(wrong).toEqual([]);
});

test.each([
  ['also --pem', false],
  ['npx ticketscan serve', true],
  ['TICKETSCAN_URL=https://gate.example.org npx ticketscan scan', true],
])('%s: %s', (text, isOne) => {
  expect(isForAShell(text)).toBe(isOne);
});

test.each([
  ['ticketscan serv', 'no command serv'],
  ['npx ticketscan serve --prot 80', 'no option --prot'],
  ['sudo ticketscan events delete Pool', 'without --yes, and no word of the question'],
  ['ticketscan events delete Pool   # a question comes first', undefined],
])('%s: %s', (text, problem) => {
  expect(problemIn({ page: '', text })).toBe(problem);
});
