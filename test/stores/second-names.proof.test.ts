import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder, consume, PROGRAM, targetOf } from '../support/cli.ts';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';

interface Way {
  readonly name: string;
  readonly store: string;
  /** The address of the same store by another name, in this folder. */
  readonly other: (folder: string) => string;
  /** How the second server ends that must not start; undefined if both may serve. */
  readonly refused?: RegExp;
  /** A program that the second server runs under. */
  readonly wrapper?: readonly string[];
}

const SECOND_NAME = /has a second name \(a hard link\)/;
const IN_USE = /is in use by process/;

function linked(from: string, to: string): (folder: string) => string {
  return (folder) => {
    linkSync(join(folder, from), join(folder, to));
    return to;
  };
}

/** Mounts a file or a folder of the working folder at another place, which only the program sees. */
function mounted(from: string, to: string): readonly string[] {
  const make = from === '.' ? `mkdir -p ${to}` : `touch ${to}`;
  return ['unshare', '-m', 'sh', '-c', `${make} && mount --bind ${from} ${to} && exec "$@"`, 'sh'];
}

const SQLITE = 'sqlite:./store.db';
const JSON_STORE = 'json:./gate.json';

const WAYS: readonly Way[] = [
  { name: 'the same name', store: SQLITE, other: () => SQLITE },
  {
    name: 'a hard link',
    store: SQLITE,
    other: (folder) => `sqlite:${linked('store.db', 'other.db')(folder)}`,
    refused: SECOND_NAME,
  },
  {
    name: 'a hard link in another folder',
    store: SQLITE,
    other: (folder) => {
      mkdirSync(join(folder, 'sub'));
      return `sqlite:${linked('store.db', 'sub/other.db')(folder)}`;
    },
    refused: SECOND_NAME,
  },
  {
    name: 'a name as a restore makes it',
    store: SQLITE,
    other: (folder) => `sqlite:${linked('store.db', 'store.db.replaced-20261122T130500Z')(folder)}`,
    refused: SECOND_NAME,
  },
  {
    name: 'a symbolic link',
    store: SQLITE,
    other: (folder) => {
      symlinkSync('store.db', join(folder, 'link.db'));
      return 'sqlite:link.db';
    },
  },
  {
    name: 'a symbolic link of the folder and ..',
    store: SQLITE,
    other: (folder) => {
      mkdirSync(join(folder, 'deep'));
      symlinkSync(folder, join(folder, 'deep', 'back'));
      return 'sqlite:deep/../deep/back/store.db';
    },
  },
  {
    name: 'a mounted folder',
    store: SQLITE,
    other: () => 'sqlite:mounted/store.db',
    wrapper: mounted('.', 'mounted'),
  },
  {
    name: 'a mounted file',
    store: SQLITE,
    other: () => 'sqlite:mounted.db',
    wrapper: mounted('store.db', 'mounted.db'),
    refused: /is mounted without its folder/,
  },
  {
    name: 'the database beside a document',
    store: JSON_STORE,
    other: () => 'sqlite:gate.json.db',
  },
  { name: 'a document twice', store: JSON_STORE, other: () => JSON_STORE, refused: IN_USE },
  {
    name: 'a hard link of a document',
    store: JSON_STORE,
    other: (folder) => `json:${linked('gate.json', 'other.json')(folder)}`,
    refused: SECOND_NAME,
  },
  {
    name: 'a hard link of the database beside a document',
    store: JSON_STORE,
    other: (folder) => `sqlite:${linked('gate.json.db', 'other.db')(folder)}`,
    refused: SECOND_NAME,
  },
  {
    name: 'a symbolic link of a document',
    store: JSON_STORE,
    other: (folder) => {
      symlinkSync('gate.json', join(folder, 'link.json'));
      return 'json:link.json';
    },
    refused: IN_USE,
  },
];

const noMount = reasonToSkip({
  'unshare -m (as root)': spawnSync('unshare', ['-m', 'true']).status === 0,
});

test.each(WAYS)(
  'two servers, the second by $name: one ticket is admitted once',
  async ({ store, other, refused, wrapper }) => {
    if (wrapper && noMount) return;
    await using folder = new CliFolder();
    const seed = ['seed', '--count', '1', '--out', 'target.json', '--store', store];
    expect((await folder.run(seed)).code).toBe(0);
    const { keys, tickets } = targetOf(readFileSync(join(folder.path, 'target.json'), 'utf8'));
    const [code = ''] = tickets['single'] ?? [];
    const keyring = ['--keyring', 'ticketscan.keyring.json'];
    const first = await folder.serve(['--store', store, ...keyring]);
    const second = folder.serve(['--store', other(folder.path), ...keyring], wrapper);

    if (refused) await expect(second).rejects.toThrow(refused);
    const servers = refused ? [first] : [first, await second];
    const statuses: unknown[] = [];
    for (const { url } of servers.toReversed())
      statuses.push((await consume(url, keys['rest'] ?? '', code)).status);
    expect(statuses).toEqual(refused ? ['consumed'] : ['consumed', 'exhausted']);
    for (const server of servers) expect(await server.stop()).toBe(0);
  },
);

test('a backup by a hard link is refused: what a server wrote last would be missing', async () => {
  await using folder = new CliFolder();
  await folder.run(['seed', '--count', '1', '--store', SQLITE]);
  const server = await folder.serve(['--store', SQLITE]);
  linkSync(join(folder.path, 'store.db'), join(folder.path, 'other.db'));

  const { code, err } = await folder.run([
    'store',
    'backup',
    'copy.db',
    '--store',
    'sqlite:other.db',
  ]);

  expect(code).toBe(2);
  expect(err).toMatch(SECOND_NAME);
  expect(err).toContain(join(folder.path, 'store.db'));
  await server.stop();
});

const noTrace = reasonToSkip({ strace: isOnPath('strace') });
/** The calls that change a name; a machine has either the first or the second of a pair. */
const NAMES_CHANGE = ['link,linkat', 'rename,renameat,renameat2', 'unlink,unlinkat'] as const;

test.skipIf(noTrace).each([
  [SQLITE, 'sqlite:./copy.db'],
  [JSON_STORE, 'json:./copy.json'],
])(
  'a restore of %s that is killed at any change of a name leaves a store that starts, by one name',
  async (store, copy) => {
    await using folder = new CliFolder();
    const [path, backup] = [fileOf(store), fileOf(copy)];
    await folder.run(['seed', '--count', '1', '--store', store]);
    await folder.json(['store', 'copy', store, copy]);
    const restore = ['store', 'restore', backup, '--yes', '--store', store];
    let [kills, links] = [0, 0];
    for (const calls of NAMES_CHANGE) {
      for (let step = 1; killed(folder.path, calls, step, restore); step += 1) {
        kills += 1;
        const files = filesOfStore(folder.path, path);
        if (files.some((file) => statSync(file).nlink > 1)) links += 1;
        const { code, err } = await folder.run(['tickets', 'list', '--store', store]);
        const names = filesOfStore(folder.path, path).map((file) => statSync(file).nlink);
        expect({ calls, step, code, err, names }).toMatchObject({
          code: 0,
          names: names.map(() => 1),
        });
      }
    }

    expect(kills).toBeGreaterThan(3);
    expect(links).toBeGreaterThan(0);
  },
);

function fileOf(url: string): string {
  return url.slice(url.indexOf('/') + 1);
}

function killed(folder: string, calls: string, step: number, args: readonly string[]): boolean {
  const kill = `inject=${calls}:signal=KILL:when=${step}`;
  const trace = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', kill];
  const command = [...trace, process.execPath, PROGRAM, ...args];
  return spawnSync('strace', command, { cwd: folder }).status !== 0;
}

function filesOfStore(folder: string, path: string): string[] {
  return [path, `${path}.db`].map((name) => join(folder, name)).filter((file) => existsSync(file));
}
