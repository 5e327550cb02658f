import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { processIo } from '../../src/terminal/io.ts';

interface Shown {
  readonly path: string;
  readonly long: string;
  /** `<file>`; empty for a switch. */
  readonly value: string;
  readonly text: string;
}

const shown: Shown[] = [];
const pages = new Map<string, string>();

beforeAll(async () => {
  const look = (command: Command, path: string): void => {
    let page = '';
    command.configureOutput({ writeOut: (text) => (page += text) });
    command.outputHelp();
    pages.set(path, page);
    const help = command.createHelp();
    for (const option of help.visibleOptions(command)) {
      const [long = '', value = ''] = option.flags.replace(/^-\w, /, '').split(' ');
      shown.push({ path, long, value, text: help.optionDescription(option) });
    }
    for (const child of command.commands) look(child, `${path} ${child.name()}`);
  };
  look(await buildProgram(processIo(), () => true), 'ticketscan');
});

/** One name with two kinds of values; each is written out on its own page. Nothing may be added without a reason. */
const TWO_KINDS: Readonly<Record<string, string>> = {
  '--after': 'where a list continues: entries have numbers, tickets ids',
  '--events': 'events of tickets; events that a webhook tells; events that a simulation prints',
  '--explain': 'a switch of log; the id of a case for check',
  '--format': 'one of a command, or a list of several for mint',
  '--from': 'a day of statistics, a time of the log',
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
  ['consent', /^--(force|confirm|assume-yes)$/, /^$/],
])('%s has one name', (_, other, but) => {
  const names = shown.map(({ long }) => long);
  expect(names.filter((long) => other.test(long) && !but.test(long))).toEqual([]);
});

test('defaults and choices are shown in one style, without quotes and empty lists', () => {
  for (const { path, long, text } of shown) {
    expect(text, `${path} ${long}`).not.toMatch(/\(default: (["'[]|\))|default:\)|choices: "/);
    expect(text.match(/\bdefault: /g)?.length ?? 0, `${path} ${long}`).toBeLessThanOrEqual(1);
  }
});

test('what an option does is said without a capital and without a stop', () => {
  const wrong = shown.filter(
    ({ text }) =>
      text === '' || /^[A-Z][a-z]/.test(text.replace(/^Wait Time/, '')) || /[^.]\.$/.test(text),
  );
  expect(wrong).toEqual([]);
});

test('a page that changes something names no default, because what is not given stays', () => {
  const edits = shown.filter(({ path }) => / edit$/.test(path));
  expect(edits.length).toBeGreaterThan(30);
  const withDefault = edits.filter(({ text }) => text.includes('default: '));
  expect(new Set(withDefault.map(({ long }) => long))).toEqual(
    new Set(['--store', '--keyring', '--config', '--time-zone']),
  );
});

test('every page begins with its usage', () => {
  expect(pages.size).toBeGreaterThan(70);
  for (const [path, page] of pages) expect(page.startsWith(`Usage: ${path}`), path).toBe(true);
});
