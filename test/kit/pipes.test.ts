import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fileFailure } from '../../src/kit/failures.ts';
import { readBounded, readBoundedText, writeForOwner } from '../../src/kit/files.ts';
import { openToRead, openToWrite, piecesOf } from '../../src/kit/pipes.ts';
import { temporaryFolder } from '../check/support/files.ts';

function pipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

/** Another program at the other side, which comes a moment later. */
function shell(line: string, path: string) {
  const program = spawn('sh', ['-c', `sleep 0.2; ${line}`, 'sh', path], { stdio: 'pipe' });
  onTestFinished(() => void program.kill());
  return program;
}

const allOf = (path: string) => text(Readable.from(piecesOf(path, 1)));

const failureOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return fileFailure(error);
  }
  return 'nothing';
};

test('what another program writes into a pipe is read to its end, although it pauses', async () => {
  const path = pipe();
  shell('{ echo a; sleep 0.2; echo b; } > "$1"', path);
  expect(readBoundedText(path)).toBe('a\nb\n');
  shell('{ echo a; sleep 0.2; echo b; } > "$1"', path);
  expect(await allOf(path)).toBe('a\nb\n');
});

test('what is written into a pipe reaches the program that reads it', async () => {
  const path = pipe();
  const reader = shell('cat "$1"', path);
  const [read] = await Promise.all([
    text(reader.stdout),
    once(reader, 'spawn').then(() => writeForOwner(path, 'x'.repeat(200_000))),
  ]);
  expect(read).toHaveLength(200_000);
});

test('a pipe without another side is given up with what to do', async () => {
  // Each look at the clock takes a second, so that nobody waits for the five that the other side has.
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1000;
    return now;
  });
  onTestFinished(() => clock.mockRestore());
  const path = pipe();
  const missing = expect.stringContaining('nothing writes into it');
  expect(failureOf(() => readBounded(path))).toEqual(missing);
  const failure = await allOf(path).catch((error: unknown) => error);
  expect(fileFailure(failure)).toEqual(missing);
  expect(failureOf(() => openToWrite(path, 'w'))).toContain('nothing reads from it');
});

test('a socket, a folder, a link that leads nowhere and a device without an end are named', async () => {
  const folder = temporaryFolder();
  const socket = join(folder, 'socket');
  const server = createServer().listen(socket);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  symlinkSync('nowhere', join(folder, 'link'));
  expect(failureOf(() => openToRead(socket))).toContain('it is a socket');
  expect(failureOf(() => openToWrite(socket, 'w'))).toContain('it is a socket');
  expect(failureOf(() => readBounded(folder))).toContain('it is a folder');
  expect(failureOf(() => readBounded(join(folder, 'link')))).toContain('no such file');
  expect(failureOf(() => readBounded('/dev/zero'))).toContain('too large');
  expect(readBounded('/dev/null')).toHaveLength(0);
  const file = join(folder, 'file');
  writeFileSync(file, 'x');
  closeSync(openToRead(file));
  expect(await allOf(file)).toBe('x');
});

/** Who opens files by other ways, and why none of them is a name that a person gave, or is looked at before. */
const OTHER_WAYS: Readonly<Record<string, string>> = {
  'src/cli/commands/demo.ts': 'the images that it made',
  'src/config/keyring-file.ts': 'a new file beside the keyring',
  'src/features/service/install.ts': 'the launcher that this program wrote',
  'src/features/store/commands/backup.ts': 'the copy of a store that this program made',
  'src/features/store/sealed-archive.ts': 'a backup, of which kindOfBackup takes none but a file',
  'src/features/store/staged-backup.ts': 'a backup, as above, and its copies',
  'src/kit/file-access.ts':
    'opens to read and write only to learn whether it may: no pipe waits for that',
  'src/kit/files.ts': 'a new file, which must not be there',
  'src/kit/pipes.ts': 'the one reader and the one writer',
  'src/kit/program-files.ts': 'files of the program',
  'src/record/recording.ts': 'a new file, which must not be there',
  'src/stores/file-guards.ts': 'a new file, which must not be there',
  'src/stores/json/document-file.ts':
    'the document of a store, of which refuseOtherThanFile takes none but a file',
  'src/stores/second-names.ts': 'what the kernel says of its mounts',
  'src/stores/sqlite/backup.ts': 'the copy of a store that this program made',
  'src/tickets/files.ts': 'a new file, or what openToWrite opened',
  'src/tickets/making/image-files.ts': 'new files in a folder of its own',
  'src/tickets/making/run-journal.ts': 'a journal that this program wrote',
  'src/check/commands/device/judge-device.ts': 'what openToWrite opened',
};
const OPENS =
  /\b(?:openSync|readFileSync|createReadStream|createWriteStream|writeFileSync|appendFileSync|openAsBlob)\(|\b(?:readFile|writeFile|open)\b[^}]*\} from 'node:fs\/promises'/;

test('every file that a person names is opened by one reader and one writer, which never wait without an end', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('dashboard/'))
    .map((name) => `src/${name}`)
    .filter((file) => OPENS.test(readFileSync(file, 'utf8')));
  expect(files.sort()).toEqual(Object.keys(OTHER_WAYS).sort());
});
