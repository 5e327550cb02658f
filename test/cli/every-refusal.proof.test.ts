import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Argument, Option } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';
import type { Ended, InProcess } from '../support/in-process.ts';
import { isWhole } from '../support/whole.ts';
import { WALKED } from './rows/walked.ts';
import { type Leaf, leavesOf } from './support/leaves.ts';
import { refusedFolder, SECRETS } from './support/refused-folder.ts';
import { lacksOf, WRONG_VALUES } from './support/wrong-values.ts';

// Every command, with each of its options and arguments given every wrong value. A new command, option or setting is walked without
// a word here: they come from the program's own tables.

/** `config show` has every setting, and reads them as all do: it comes first, and the others get a sample. */
const leaves = (await leavesOf()).toSorted(
  (one, other) => Number(other.name === 'config show') - Number(one.name === 'config show'),
);
const kept = mkdtempSync(join(tmpdir(), 'ticketscan-kept-'));
let folder: InProcess;
let words: Readonly<Record<string, string>>;

beforeAll(async () => {
  // Whoever serves or records ends as soon as it has begun.
  ({ folder, words } = await refusedFolder(AbortSignal.abort()));
  const sample = resolve('fixtures/tickets/genuine.png');
  const { tickets } = await folder.json('seed --count 1 --yes --store sqlite:./codes.db');
  words = { ...words, LOST: words['SINGLE'] ?? '', SAMPLE: sample, CODE: tickets.multi[0].code };
  writeFileSync(join(folder.path, 'tickets.csv'), 'ticketId\n');
  cpSync(folder.path, kept, { recursive: true });
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  rmSync(kept, { recursive: true });
});

/** Takes back what an accepted value has changed. */
function restoreFolder(): void {
  for (const name of readdirSync(folder.path)) rmSync(join(folder.path, name), { recursive: true });
  cpSync(kept, folder.path, { recursive: true });
}

function wordsOf({ name }: Leaf): string[] {
  const line = WALKED[name]?.match(/"[^"]*"|[^\s"]+/g)?.slice(1) ?? [];
  return line.map((word) => words[word] ?? word.replaceAll('"', ''));
}

/** One place for a value, and the command line that has another there. */
interface Place {
  /** The same for options that several commands have from one declaration: a sample of the values is enough after the first. */
  readonly declaration: string;
  readonly name: string;
  readonly isSecret: boolean;
  readonly lineWith: (value: string) => string[];
}

function placesOf(leaf: Leaf): Place[] {
  const base = wordsOf(leaf);
  const valued = leaf.command.options.filter(({ required, optional }) => required || optional);
  return [
    ...valued.map((option) => ({
      declaration: `${option.flags} ${option.description}`,
      name: option.long ?? '',
      isSecret: isSecret(option),
      lineWith: (value: string) => [...base, `${option.long}=${value}`],
    })),
    ...leaf.command.registeredArguments.map((argument, index) => ({
      declaration: `${leaf.name} ${argument.name()}`,
      name: argument.name(),
      isSecret: isSecret(argument),
      lineWith: (value: string) => withArgument(leaf, base, index, value),
    })),
  ];
}

/** Keys, passwords, tokens and the codes of tickets are not said again. */
function isSecret({ description }: Option | Argument): boolean {
  return /env:NAME|ticket code|QR code/.test(description);
}

function withArgument({ name, command }: Leaf, base: string[], index: number, value: string) {
  const start = name.split(' ');
  const options: string[] = [];
  const values: string[] = [];
  const rest = base.slice(start.length);
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    const option = command.options.find(({ long }) => long === word);
    if (!word.startsWith('-')) values.push(word);
    else options.push(...(option?.required ? [word, rest[++at] ?? ''] : [word]));
  }
  values[index] = value;
  return [...start, ...options, '--', ...values];
}

/** Declarations of options that were given their values already. */
const walked = new Set<string>();
const SAMPLE = isWhole() ? ['', 'nope', 'none/none.json', 'note.txt'] : ['nope'];
const VALUES = Object.values(WRONG_VALUES);
/** How many kinds of values a commit's run gives each declaration: the next ones in turn, so that each kind meets many of them. */
const IN_TURN = 4;

/** A whole run gives every declaration all values. */
function valuesOf(declaration: string): readonly string[] {
  if (walked.has(declaration)) return SAMPLE;
  const first = walked.size * IN_TURN;
  walked.add(declaration);
  if (isWhole()) return VALUES;
  return Array.from(
    { length: IN_TURN },
    (_, index) => VALUES[(first + index) % VALUES.length] ?? '',
  );
}

const run = (line: readonly string[]): Promise<Ended> => folder.run(line, SECRETS);

/** Accepted, also where the command was then asked to stop; or refused for what the line without the value is refused for. */
const isTaken = ({ code, err }: Ended, base: Ended) =>
  code < 2 || code === 130 || err.trim() === base.err.trim();

/** What is wrong with how this command refuses these values at one place; the base tells which messages are not about the value. */
async function problemsAt(place: Place, values: readonly string[], base: Ended) {
  const problems: string[] = [];
  for (const value of values) {
    const line = place.lineWith(value);
    const ended = await run(line);
    if (ended.code < 2 || ended.code === 130) restoreFolder();
    if (isTaken(ended, base)) continue;
    const message = ended.err.trim();
    const lacks = lacksOf({ ...place, value, code: ended.code, message });
    if (ended.code > 3 || CRASH.test(message)) lacks.push(`code ${ended.code}`);
    if (lacks.length > 0) problems.push(`${line.join(' ')}\n  ${lacks.join(', ')}: ${message}`);
  }
  return problems;
}

/** Places that are not held to the rule, each for its reason. */
const OTHERS = new Set([
  // The library that judges their content does not know the name of the file.
  'check --baseline',
  'check explore --replay',
]);

const CRASH = /internal error|^ {4}at /m;

async function problemsOf(leaf: Leaf): Promise<string[]> {
  const base = await run(wordsOf(leaf));
  restoreFolder();
  const problems: string[] = [];
  for (const place of placesOf(leaf).filter((one) => !OTHERS.has(`${leaf.name} ${one.name}`))) {
    problems.push(...(await problemsAt(place, valuesOf(place.declaration), base)));
  }
  return problems;
}

test.each(leaves)('$name names what it refuses, says it again, and what to do', async (leaf) => {
  expect(await problemsOf(leaf)).toEqual([]);
});

const WRONG_MEMBERS = ['', ' ', 'nope', '-1', '99999999999999999999', [], {}, null, 1.5, [['x']]];

/** How a setting is refused at one place; nothing where it is taken. */
function settingProblem(place: string, value: unknown, { code, err }: Ended): string[] {
  if (code === 0) return [];
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  const lacks = lacksOf({
    name: place,
    value: shown,
    isSecret: /token/i.test(place),
    code,
    message: err,
  });
  if (code !== 2 || !err.includes(place)) lacks.push(`code ${code}`);
  return lacks.length === 0 ? [] : [`${place} ${shown}: ${lacks.join(', ')}: ${err}`];
}

test.each(SETTINGS)(
  '$name is refused by its place, in the file and in the environment',
  async ({ name, environment }) => {
    const problems: string[] = [];
    for (const value of WRONG_MEMBERS) {
      writeFileSync(join(folder.path, 'set.json'), JSON.stringify({ [name]: value }));
      const fromFile = await folder.run('config show --config set.json');
      problems.push(...settingProblem(`"${name}" in set.json`, value, fromFile));
      if (typeof value !== 'string') continue;
      const fromVariable = await folder.run('config show', { [environment]: value });
      problems.push(...settingProblem(environment, value, fromVariable));
    }
    expect(problems).toEqual([]);
  },
);

test('every command has a line here', () => {
  expect(leaves.filter(({ name }) => WALKED[name] === undefined).map(({ name }) => name)).toEqual(
    [],
  );
});
