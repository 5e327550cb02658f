import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { targetOf } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';
import { RemoteFolder } from '../support/remote.ts';
import { GOOD, NOT_RUN } from './rows/good.ts';
import { SHAPES } from './rows/shapes.ts';
import { helpOf, type Leaf, leavesOf, optionOf } from './support/leaves.ts';

const SAMPLES = resolve('fixtures/tickets');
const PASSWORD = { GATE_PASSWORD: 'correct horse battery' };
/** What a server does for nobody: an account belongs to one organisation. */
const ON_STORE = [
  'organisations create',
  'organisations edit',
  'organisations delete',
  'config show',
];
const leaves = await leavesOf();
const run = leaves.filter(({ name }) => !NOT_RUN.includes(name));
const inOrder = Object.keys(GOOD).flatMap((name) => run.filter((leaf) => leaf.name === name));

/** Where a command finds its data: in the store of its folder, or at a server. */
interface Place {
  readonly folder: InProcess;
  readonly words: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

const folder = new InProcess();
const empty = new InProcess();
let remote: RemoteFolder;
let onStore: Place;
let atServer: Place;

function wordsOf(tickets: Record<string, string[]>): Record<string, string> {
  const idOf = (state: string) => tickets[state]?.[1]?.split('.')[1] ?? '';
  const words = { CODE: tickets['multi']?.[0] ?? '', SAMPLE: join(SAMPLES, 'genuine.png') };
  return {
    ...words,
    EVENT: idOf('otherEvent').split('_')[1] ?? '',
    SINGLE: idOf('single'),
    LOST: idOf('permanent'),
    OLD: idOf('cancelled'),
  };
}

beforeAll(async () => {
  const { tickets } = targetOf(await folder.json('seed --count 2 --out target.json'));
  remote = await RemoteFolder.start();
  // Only the command line of the centre shows the token of a site.
  await remote.cli.run(['sites', 'create', '--name', 'Pool North']);
  onStore = { folder, words: wordsOf(tickets), env: PASSWORD };
  atServer = {
    folder: empty,
    words: wordsOf(remote.target.tickets),
    env: { ...PASSWORD, ...remote.environment },
  };
  for (const place of [folder, empty]) {
    writeFileSync(join(place.path, 'tickets.csv'), 'ticketId\n');
    const keyring = readFileSync(join(SAMPLES, 'keyring.json'));
    writeFileSync(join(place.path, 'sample-keyring.json'), keyring, { mode: 0o600 });
  }
});
afterAll(async () => {
  for (const place of [folder, empty, remote]) await place[Symbol.asyncDispose]();
});

/** The words of a line, where those in capitals and the identifiers of examples stand for what the store has. */
async function argumentsOf({ name }: Leaf, { folder: at, words }: Place): Promise<string[]> {
  const given = GOOD[name]?.match(/"[^"]*"|\S+/g)?.slice(1) ?? [];
  const keys = name.startsWith('signing-keys re') ? await at.json('signing-keys list') : [];
  const oldest = keys.find(({ format }: { format: string }) => format === 'TS1')?.id;
  return given.map((word) => {
    if (word === 'sig_0123456789') return oldest;
    if (word.startsWith('tkt_ab12cd_')) return words['OLD'] ?? '';
    return words[word] ?? word.replaceAll('"', '');
  });
}

/** What is wrong with the JSON that a command printed. */
function problemsOf(leaf: Leaf, out: string): unknown {
  const help = optionOf(leaf, '--json')?.description ?? '';
  const [value] = leaf.name === 'log' ? out.trim().split('\n') : [out];
  const shown: unknown = JSON.parse(value ?? '');
  const shape = SHAPES[leaf.name];
  if (shape) return z.safeParse(strictly(shape), shown).error?.issues ?? [];
  const members = help.replace(/\[.*\]/, '').match(/(?<=")\w+(?=")/g);
  return Object.keys(shown as object).filter((member) => !members?.includes(member));
}

/** The JSON of a shape, without members that it does not name. */
function strictly(shape: z.ZodType): z.ZodType {
  const schema = z.toJSONSchema(shape, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.properties) jsonSchema.additionalProperties ??= false;
    },
  });
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}

/** Its line, with `--json` where it has that, must end well and print what it promises. */
async function mustWork(leaf: Leaf, { folder: at, env }: Place, line: readonly string[]) {
  const isJson = optionOf(leaf, '--json') !== undefined;
  const { code, out, err } = await at.run([...line, ...(isJson ? ['--json'] : [])], env);
  expect([code, err]).toEqual([0, expect.any(String)]);
  if (isJson) expect(problemsOf(leaf, out)).toEqual([]);
}

test.each(inOrder)('$name works on a store, and prints what it promises', async (leaf) => {
  await mustWork(leaf, onStore, await argumentsOf(leaf, onStore));
});

const atServers = inOrder.filter(
  (leaf) => optionOf(leaf, '--url') && !ON_STORE.includes(leaf.name),
);

test.each(atServers)('$name works at a server, and prints the same', async (leaf) => {
  await mustWork(leaf, atServer, await argumentsOf(leaf, atServer));
  expect(readdirSync(empty.path).filter((name) => name.startsWith('ticketscan.'))).toEqual([]);
});

test('every command that does something has a line here, or a reason why it has none', () => {
  const named = [...Object.keys(GOOD), ...NOT_RUN];
  expect(leaves.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);
  expect(named.filter((name) => !leaves.some((leaf) => leaf.name === name))).toEqual([]);
});

test('every page of help has examples in one place, and those of the table name their command', () => {
  const pages = leaves.map((leaf) => [leaf.name, helpOf(leaf).match(/^Examples?:$/gm)?.length]);
  expect(pages).toEqual(leaves.map(({ name }) => [name, 1]));
  for (const [name, line] of Object.entries(GOOD)) expect(line).toMatch(`ticketscan ${name}`);
});

test.each(leaves)('$name refuses an option that it does not have', async (leaf) => {
  const { code, failure, out } = await folder.run([...leaf.name.split(' '), '--surname', 'x']);
  expect({ code, failure, out }).toEqual({ code: 2, failure: 'options', out: '' });
});

test.each(atServers)('$name says that a server does not answer', async (leaf) => {
  const nowhere = { ...atServer.env, TICKETSCAN_URL: 'http://127.0.0.1:9' };
  const { code, failure, out } = await empty.run(await argumentsOf(leaf, atServer), nowhere);
  expect({ code, failure, out }).toEqual({ code: 3, failure: 'unreachable', out: '' });
});

/** Whatever makes something out of nothing. */
const CREATE = /^(seed|mint|\S+ create|tickets import|store (copy|restore))$/;
/** What needs no store. */
const WITHOUT =
  /^(completion|docs|config|version|device-files|doctor|decode|check|webhooks test)\b/;
const readers = run.filter(({ name }) => !CREATE.test(name) && !WITHOUT.test(name));

test.each(readers)('$name makes neither store nor keyring where none is', async (leaf) => {
  await using nowhere = new InProcess();
  const line = await argumentsOf(leaf, onStore);
  const { code, failure, out } = await nowhere.run(line, PASSWORD);
  const isKeyring = leaf.name.startsWith('signing-keys');
  expect([code, out]).toEqual([2, '']);
  expect(failure).toBe(isKeyring ? 'keyring' : 'usage');
  expect(readdirSync(nowhere.path)).toEqual([]);
});
