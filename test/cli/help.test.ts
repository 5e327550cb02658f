import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { processIo } from '../../src/terminal/io.ts';
import { FORCE } from '../../src/terminal/options.ts';
import { InProcess } from '../support/in-process.ts';
import { helpOf } from './support/leaves.ts';

interface Shown {
  readonly path: string;
  readonly long: string;
  /** `<file>`; empty for a switch. */
  readonly value: string;
  readonly text: string;
}

const folder = new InProcess();
const shown: Shown[] = [];
const pages = new Map<string, string>();

beforeAll(async () => {
  const look = (command: Command, path: string): void => {
    const help = command.createHelp();
    for (const option of help.visibleOptions(command)) {
      const [long = '', value = ''] = option.flags.replace(/^-\w, /, '').split(' ');
      shown.push({ path, long, value, text: help.optionDescription(option) });
    }
    pages.set(path, helpOf({ name: path, command }));
    for (const child of command.commands) look(child, `${path} ${child.name()}`);
  };
  look(await buildProgram(processIo(), () => true), 'ticketscan');
});
afterAll(() => folder[Symbol.asyncDispose]());

test.each([
  ['help', '--help'],
  ['help keys', 'keys --help'],
  ['help keys create', 'keys create --help'],
  ['keys help create', 'keys create --help'],
  ['help check', 'check --help'],
  ['help check diff', 'check diff --help'],
  ['keys create --name x -h', 'keys create --help'],
])('%s shows the same as %s', async (asked, plain) => {
  const help = await folder.run(plain);
  expect(await folder.run(asked)).toEqual({ ...help, code: 0, err: '' });
  expect(help.out).toMatch(/^Usage: ticketscan/);
});

test('all commands stand on one screen, in groups', async () => {
  const { out } = await folder.run('--help');
  const lines = out.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(46);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  const groups = [
    'Run',
    'Tickets and events',
    'At the gate',
    'Test a device or a server',
    'Operate',
  ];
  expect(lines.filter((line) => line.endsWith(':'))).toEqual(groups.map((name) => `${name}:`));
});

test.each(['serve', 'mint', 'simulate'])(
  '%s shows the options that matter first, and every other one in a group',
  (name) => {
    const groups = pages.get(`ticketscan ${name}`)?.split(/\n(?=\S[^\n]*:\n)/) ?? [];
    const [first = '', ...others] = groups.slice(name === 'simulate' ? 2 : 1);
    expect(first).toMatch(/^First of all:\n/);
    expect(first.match(/^ {2}--/gm)).toHaveLength(5);
    const plain = others.find((group) => group.startsWith('Options:')) ?? '';
    expect(plain.match(/(?<=^ {2}(-h, )?--)[a-z-]+/gm)?.toSorted()).toEqual(
      expect.arrayContaining(['help', 'quiet', 'verbose']),
    );
    expect(plain.match(/^ {2}-/gm)?.length).toBeLessThanOrEqual(5);
  },
);

test('version and --version show the same, and --json says what runs', async () => {
  const json = await folder.json('version');
  for (const line of ['version', '--version', '-V'])
    expect(await folder.run(line)).toMatchObject({ code: 0, out: `${json.version}\n`, err: '' });
  expect(await folder.json('--version')).toEqual(json);
  const { node, sqlite } = process.versions as Record<string, string>;
  expect(json).toMatchObject({ node, sqlite, platform: `${process.platform}-${process.arch}` });
});

/** One name with two kinds of values; each is written out on its own page. Nothing may be added without a reason. */
const TWO_KINDS: Readonly<Record<string, string>> = {
  '--after': 'where a list continues: entries have numbers, tickets ids',
  '--events': 'events of tickets; events that a webhook tells; events that a simulation prints',
  '--explain': 'a switch of log; the id of a case for check',
  '--format': 'one of a command, or a list of several for mint',
  '--from': 'a day of statistics, a time of the log',
  '--only': 'ids of cases for check, rows of a list by the values of a column',
  '--to': 'as --from',
  '--hook': 'simulate and check call different commands',
  '--key': 'record show and record send take several',
  '--name': 'privacy erase searches a text in names',
  '--out': 'mint writes many files into a folder',
  '--report': 'simulate takes several files behind one another',
  '--resume': 'mint continues into its folder; check device reads a session',
  '--seed': 'simulate takes any text',
  '--sheet': 'the paper of mint; the file of check device',
};

test('one option takes one kind of value everywhere', () => {
  const kinds = Map.groupBy(shown, ({ long }) => long);
  const different = [...kinds]
    .filter(([, uses]) => new Set(uses.map(({ value }) => value)).size > 1)
    .map(([long]) => long);
  expect(different.sort()).toEqual(Object.keys(TWO_KINDS).sort());
});

test.each([
  ['the ca file', /^--(?!ca$)\S*\bca\b/, /^--webhook-ca$/],
  ['plain HTTP', /^--(insecure|http|plain)$/, /^$/],
  ['JSON', /^--(as-)?json-?\w+$/, /^$/],
  ['consent', /^--(force|confirm|assume-yes)$/, /^--force$/],
])('%s has one name', (_, other, but) => {
  const names = shown.map(({ long }) => long);
  expect(names.filter((long) => other.test(long) && !but.test(long))).toEqual([]);
});

test('--force is about files that a result replaces, never about consent', () => {
  const uses = shown.filter(({ long }) => long === '--force').map(({ text }) => text);
  expect(new Set(uses)).toEqual(new Set([FORCE[1]]));
});

test.each<[string, (one: Shown) => boolean]>([
  ['quotes or empty lists', ({ text }) => /\(default: (["'[]|\))|default:\)|choices: "/.test(text)],
  ['two defaults', ({ text }) => (text.match(/\bdefault: /g)?.length ?? 0) > 1],
  ['no text', ({ text }) => text === ''],
  ['a capital', ({ text }) => /^[A-Z][a-z]/.test(text.replace(/^Wait Time/, ''))],
  ['a stop', ({ text }) => /[^.]\.$/.test(text)],
])('no option is shown with %s', (_, isWrong) => {
  expect(shown.length).toBeGreaterThan(300);
  expect(shown.filter(isWrong)).toEqual([]);
});

test('a page that changes something names no default, because what is not given stays', () => {
  const edits = shown.filter(({ path }) => / edit$/.test(path));
  expect(edits.length).toBeGreaterThan(30);
  const withDefault = edits.filter(({ text }) => text.includes('default: '));
  const global = ['--store', '--keyring', '--config', '--time-zone'];
  expect(new Set(withDefault.map(({ long }) => long))).toEqual(new Set(global));
});

test('every page begins with its usage, and that of a command ends with --quiet and --verbose', () => {
  expect(pages.size).toBeGreaterThan(70);
  for (const [path, page] of pages) {
    expect(page.startsWith(`Usage: ${path}`), path).toBe(true);
    const isGroup = [...pages.keys()].some((other) => other.startsWith(`${path} `));
    if (!isGroup) expect(page, path).toMatch(/--quiet [\s\S]*--verbose /);
  }
});
