import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';
import { RemoteFolder } from '../support/remote.ts';
import { type Leaf, leavesOf, optionOf } from './support/leaves.ts';

/** Well-formed, and of no store. */
const LOST = 'tscn_hw_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX000000';
const SECRET_PART = /tscn_(api|hw|pat)_\w{3}/;

let folder: RemoteFolder;
beforeAll(async () => {
  folder = await RemoteFolder.start();
});
afterAll(() => folder[Symbol.asyncDispose]());

const made = async (name: string) =>
  folder.cli.json(['keys', 'create', '--type', 'hardware', '--name', name]);
const where = (remote: boolean) => (remote ? folder.environment : {});

describe.each([
  ['on the store', false],
  ['at a server', true],
])('a key is found by its value %s', (place, remote) => {
  test('to be disabled, enabled, edited and deleted, and is not repeated', async () => {
    const { key, id } = await made(`Gate ${place}`);
    writeFileSync(join(folder.cli.path, 'leaked.txt'), `${key}\n`);
    const acts = [
      ['disable', key],
      ['enable', 'file:leaked.txt'],
      ['edit', 'env:LEAKED', '--name', `New ${place}`],
      ['delete', key],
    ];
    for (const act of acts) {
      const ran = await folder.cli.run(['keys', ...act], { LEAKED: key, ...where(remote) });
      expect(ran, act.join(' ')).toMatchObject({ code: 0, err: '' });
      expect(ran.out).toContain(id);
      expect(ran.out).not.toMatch(SECRET_PART);
    }
    const again = await folder.cli.run(['keys', 'delete', key], where(remote));
    expect(again).toMatchObject({ code: 2, out: '' });
    expect(again.err).toMatch(/No key has that value/);
    expect(again.err).not.toMatch(SECRET_PART);
  });
});

const URL_WITH_KEY = `https://a/scan/hw/consume?key=${LOST}`;
/** What would go on for ever, asks other machines, or changes this one; their rows are below. */
const NOT_RUN =
  /^(demo|serve|seed|completion|version|record|simulate|check|doctor|health|store restore)\b|^service/;

/** A command line with the lost key as each argument, and one with it as the value of each option that takes one. */
function linesWithTheKey({ name, command }: Leaf): string[][] {
  const needed = command.options.filter((option) => option.mandatory);
  const plain = needed.flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']);
  const others = command.registeredArguments.filter(({ required }) => required).map(() => 'x');
  const keys = command.registeredArguments.map(() => LOST);
  const values = command.options.filter(({ required }) => required);
  const options = values.map(({ long }) => [...others, ...plain, long ?? '', LOST]);
  return [[...keys, ...plain], ...options].map((rest) => [...name.split(' '), ...rest]);
}

const leaves = (await leavesOf()).filter(({ name }) => !NOT_RUN.test(name));
const here = new InProcess();
afterAll(() => here[Symbol.asyncDispose]());

test.each(leaves)('$name repeats no key that was given in the wrong place', async (leaf) => {
  const store = { TICKETSCAN_STORE: `sqlite:${join(folder.cli.path, 'ticketscan.db')}` };
  const [first = [], ...others] = linesWithTheKey(leaf);
  const lines = [first, ...others];
  const runs = lines.map((line): [string[], Record<string, string>] => [line, store]);
  if (optionOf(leaf, '--url')) runs.push([first, folder.environment]);
  for (const [line, env] of runs) {
    const { out, err } = await here.run(line, env);
    expect(out + err, line.join(' ')).not.toContain('EXAMPLE');
    expect(err, line.join(' ')).not.toMatch(/internal error/);
  }
});

test.each([
  ['tickets', 'show', URL_WITH_KEY],
  ['serve', '--port', LOST],
  ['doctor', '--card-url', LOST],
  ['check', LOST],
  ['check', URL_WITH_KEY, '--only', LOST],
  ['check', '--target', LOST],
  ['simulate', LOST, '--key', LOST],
  ['simulate', 'http://127.0.0.1:9', '--key', LOST, '--model', LOST],
  ['simulate', 'http://127.0.0.1:9', '--key', LOST, '--cards-from', LOST],
  ['simulate', '--scenario', LOST],
  ['record', LOST],
  ['record', 'show', LOST],
  ['record', 'send', LOST, LOST],
  ['store', 'restore', LOST],
  ['keys', 'disable', 'Gate', LOST],
  ['store', 'info', '--store', `sqlite:./${LOST}.db`],
  ['mint', '--event', 'Summer pool', '--out', `${LOST}/x`, '--format', LOST],
  [LOST],
  ['keys', LOST],
  [`--${LOST}`],
])('a process repeats no key either: %s %s', async (...args) => {
  const { code, out, err } = await folder.cli.run(args);
  expect(code, err).toBeGreaterThan(0);
  expect(out + err).not.toMatch(SECRET_PART);
});

test('what a variable or a file holds is not repeated, whatever it looks like', async () => {
  await using place = new CliFolder();
  await place.run(['seed', '--count', '1']);
  const secret = 'correct horse battery staple';
  writeFileSync(join(place.path, 'secret.txt'), `${secret}\n`);
  for (const given of ['env:SECRET', 'file:secret.txt']) {
    for (const args of [
      ['log', '--key', given],
      ['log', '--ticket', given],
      ['keys', 'enable', given],
      ['tickets', 'cancel', given],
      ['tickets', 'show', given],
    ]) {
      const { code, out, err } = await place.run(args, { SECRET: secret });
      expect(code, err).toBe(2);
      expect(out + err, args.join(' ')).not.toContain('horse');
    }
  }
});

test('what a server says behind --url steers no terminal and repeats no key', async () => {
  const said = `no \u001b]0;pwned\u0007\u202e ${LOST} \u2028 end`;
  const server = createServer((_request, response) => {
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: said }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await using place = new CliFolder();
  const remote = { TICKETSCAN_URL: `http://127.0.0.1:${port}`, TICKETSCAN_TOKEN: 'x' };
  const { err, code } = await place.run(['keys', 'list'], remote);
  expect([code, err]).toEqual([2, 'ticketscan: no  tscn_hw_…   end\n']);
});

test('what a list says that is refused steers no terminal', async () => {
  await using place = new CliFolder();
  await place.run(['seed', '--count', '1']);
  const evil = '\u001b]0;pwned\u0007\u202ex';
  const lists = {
    'a.csv': `type\n"${evil}"\n`,
    'b.csv': `type;${evil}\nsingle;1\n`,
    'c.jsonl': `${JSON.stringify({ ticketId: evil, ticketType: evil, [evil]: evil })}\n`,
  };
  for (const [name, text] of Object.entries(lists)) {
    writeFileSync(join(place.path, name), text);
    for (const args of [
      ['mint', '--event', 'Summer pool', '--out', 'out', '--from-csv', name],
      ['tickets', 'import', name],
    ]) {
      const { code, err } = await place.run(args);
      expect(code, err).toBe(2);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
    }
  }
});
