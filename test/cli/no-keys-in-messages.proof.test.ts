import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { RemoteFolder } from '../support/remote.ts';

/** Well-formed, and of no store. */
const LOST = 'tscn_hw_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX000000';
const SECRET_PART = /tscn_(api|hw|pat)_\w{3}/;

let folder: RemoteFolder;
beforeAll(async () => {
  folder = await RemoteFolder.start();
}, 60_000);
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
  }, 60_000);
});

const URL_WITH_KEY = `https://a/scan/hw/consume?key=${LOST}`;

describe('no message repeats a key that was given in the wrong place', () => {
  test.each([
    ['keys', 'disable', LOST],
    ['keys', 'disable', 'Gate', LOST],
    ['keys', 'edit', LOST, '--name', 'x'],
    ['keys', 'create', '--name', 'x', '--type', LOST],
    ['keys', 'create', '--name', 'x', '--type', 'api', '--events', LOST],
    ['tickets', 'show', LOST],
    ['tickets', 'show', URL_WITH_KEY],
    ['tickets', 'cancel', LOST],
    ['tickets', 'list', '--event', LOST],
    ['tickets', 'import', LOST],
    ['mint', '--event', LOST, '--type', 'single'],
    ['mint', '--event', 'Summer pool', '--type', 'single', '--out', `${LOST}/x`, '--format', LOST],
    ['mint', '--event', 'Summer pool', '--from-csv', LOST],
    ['organisations', 'edit', LOST, '--rate', '1'],
    ['log', '--ticket', LOST],
    ['log', '--after', LOST],
    ['events', 'create', '--name', 'x', '--organisation', LOST],
    [LOST],
    ['keys', LOST],
    ['serve', '--port', LOST],
    [`--${LOST}`],
  ])('%s %s %s', async (...args) => {
    for (const remote of [false, true]) {
      const ran = await folder.cli.run(args, where(remote));
      expect([0, 2], ran.err).toContain(ran.code);
      expect(ran.out + ran.err).not.toMatch(SECRET_PART);
    }
  });

  test.each([
    ['accounts', 'edit', LOST, '--role', 'viewer'],
    ['accounts', 'delete', LOST],
    ['signing-keys', 'retire', LOST],
    ['store', 'info', '--store', LOST],
    ['store', 'info', '--store', `sqlite:./${LOST}.db`],
    ['explain', LOST, '--key', LOST],
    ['decode', LOST],
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
  ])('%s %s', async (...args) => {
    const ran = await folder.cli.run(args);
    expect(ran.code, ran.err).toBeGreaterThan(0);
    expect(ran.out + ran.err).not.toMatch(SECRET_PART);
  });
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

test('a name that turns the direction of other text is refused', async () => {
  await using place = new CliFolder();
  for (const args of [
    ['events', 'create', '--name', 'Pool \u202egnp.exe'],
    ['organisations', 'create', '--name', 'Pool \u2067'],
    ['keys', 'create', '--type', 'api', '--name', 'Pool \u2028'],
  ]) {
    const { code, err } = await place.run(args);
    expect([code, err]).toEqual([2, expect.stringMatching(/change the text direction/)]);
  }
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
}, 30_000);
