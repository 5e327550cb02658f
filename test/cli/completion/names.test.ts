import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliFolder } from '../../support/cli.ts';
import { RemoteFolder } from '../../support/remote.ts';

let folder: CliFolder;

beforeEach(() => {
  folder = new CliFolder();
});

afterEach(() => folder[Symbol.asyncDispose]());

/** The words that complete a command line, without descriptions. */
async function completed(words: readonly string[], environment = {}): Promise<string[]> {
  const { code, out, err } = await folder.run(['complete', 'zsh', '--', ...words], environment);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('\t')[0] ?? '');
}

/** Every file of the folder with its size, its time and its content. */
function files(): unknown[] {
  return readdirSync(folder.path)
    .sort()
    .map((name) => {
      const path = `${folder.path}/${name}`;
      return [name, statSync(path).mtimeMs, readFileSync(path).toString('base64')];
    });
}

test.each(['sqlite:./gate.db', 'json:./gate.json'])(
  'names come from %s, which stays as it is',
  async (store) => {
    const { id } = await folder.json([
      'events',
      'create',
      '--name',
      'Summer pool',
      '--store',
      store,
    ]);
    const before = files();
    expect(await completed(['mint', '--store', store, '--event', ''])).toEqual(['Summer pool', id]);
    expect(files()).toEqual(before);
  },
);

test.each(['sqlite:./gate.db', 'json:./gate.json'])(
  'names come from %s while a server has it open',
  async (store) => {
    const { id } = await folder.json([
      'events',
      'create',
      '--name',
      'Summer pool',
      '--store',
      store,
    ]);
    const server = await folder.serve(['--store', store]);
    expect(await completed(['mint', '--store', store, '--event', ''])).toEqual(['Summer pool', id]);
    await server.stop();
  },
);

test('the store is the one that the environment or the configuration file names', async () => {
  const store = 'sqlite:./gate.db';
  await folder.json(['events', 'create', '--name', 'Summer pool', '--store', store]);
  expect(await completed(['events', 'edit', 'S'])).toEqual([]);
  const environment = { TICKETSCAN_STORE: store };
  expect(await completed(['events', 'edit', 'S'], environment)).toEqual(['Summer pool']);
  writeFileSync(`${folder.path}/ticketscan.config.json`, JSON.stringify({ store }));
  expect(await completed(['events', 'edit', 'S'])).toEqual(['Summer pool']);
});

test('without a store nothing is offered, said or created', async () => {
  expect(await completed(['keys', 'edit', ''])).toEqual([]);
  expect(await completed(['keys', 'edit', ''], { TICKETSCAN_STORE: 'nonsense' })).toEqual([]);
  writeFileSync(`${folder.path}/broken.db`, 'no database');
  expect(await completed(['keys', 'edit', '--store', 'sqlite:broken.db', ''])).toEqual([]);
  expect(readdirSync(folder.path)).toEqual(['broken.db']);
});

test('a store that nobody closed is not opened, so that no file of it gets another owner', async () => {
  await folder.json(['events', 'create', '--name', 'Summer pool']);
  writeFileSync(`${folder.path}/ticketscan.db-wal`, '');
  expect(await completed(['events', 'edit', 'S'])).toEqual([]);
  expect(existsSync(`${folder.path}/ticketscan.db-shm`)).toBe(false);
});

test('a database on the network that does not answer is given up', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const begun = performance.now();
  const store = `postgres://user:secret@127.0.0.1:${port}/gate`;
  expect(await completed(['keys', 'edit', ''], { TICKETSCAN_STORE: store })).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(10_000);
  silent.close();
});

test('names come from the server that --url names', async () => {
  await using remote = await RemoteFolder.start();
  const [event] = await remote.cli.json(['events', 'list']);
  const words = ['complete', 'zsh', '--', 'tickets', 'list', '--event', ''];
  const { out } = await folder.run(words, remote.environment);
  expect(out).toContain(`${event.name}\t${event.id}\n`);
  const refused = await folder.run(words, { ...remote.environment, TICKETSCAN_TOKEN: 'wrong' });
  expect(refused).toEqual({ code: 0, out: '\t\n', err: '' });
});

test('the value of a key is not offered', async () => {
  await folder.json(['events', 'create', '--name', 'Summer pool']);
  const { key } = await folder.json(['keys', 'create', '--name', 'Gate 1', '--type', 'api']);
  const { out } = await folder.run(['complete', 'zsh', '--', 'keys', 'delete', '']);
  expect(out).toContain('Gate 1');
  expect(out).not.toContain(key);
  expect(await completed(['keys', 'delete', key.slice(0, 20)])).toEqual([]);
});
