import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SmallDisk } from '../../prove/faults/small-disk.ts';
import { hasStrace } from '../../prove/power-cut/traced-shell.ts';
import { CliFolder, PROGRAM } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENTLY } from '../support/patience.ts';

const CAN_MOUNT = process.getuid?.() === 0;

/** A full disk of its own, and what takes its room. */
function fullDisk(folder: string) {
  const path = join(folder, 'small');
  mkdirSync(path);
  const disk = new SmallDisk(path, 1);
  onTestFinished(() => disk[Symbol.dispose]());
  const filler = join(path, 'filler');
  const fill = () => {
    for (const bytes of [64 * 1024, 1024, 1]) {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
      } catch {
        // It is full.
      }
    }
  };
  return { path, fill, free: () => rmSync(filler) };
}

type Output = 'pipe' | number;

/** The server with its outputs where the test wants them. */
async function serveInto(
  folder: CliFolder,
  {
    out,
    err,
    args = [],
    wrapper = [],
  }: { out: Output; err: Output; args?: string[]; wrapper?: string[] },
) {
  const port = await freePort();
  const [command = '', ...rest] = [
    ...[...wrapper, process.execPath, PROGRAM, 'serve', '--json', '--port', String(port)],
    ...['--store', 'memory:', '--log-level', 'debug', ...args],
  ];
  const child = spawn(command, rest, { cwd: folder.path, stdio: ['ignore', out, err] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
  const stop = async () => {
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  return {
    child,
    ask,
    stop,
    listens: () => vi.waitFor(async () => expect(await ask()).toBe(200), PATIENTLY),
  };
}

async function aFolder(): Promise<CliFolder> {
  const folder = new CliFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder;
}

describe('serve goes on', () => {
  test.runIf(CAN_MOUNT)(
    'with its log on a full disk, and logs again when there is room',
    async () => {
      const folder = await aFolder();
      const { path, fill, free } = fullDisk(folder.path);
      const log = join(path, 'log');
      const err = openSync(log, 'a');
      onTestFinished(() => closeSync(err));
      const server = await serveInto(folder, { out: 'pipe', err });
      await server.listens();
      fill();
      for (let request = 0; request < 100; request += 1) expect(await server.ask()).toBe(200);
      const before = readFileSync(log, 'utf8').length;
      free();
      await vi.waitFor(async () => {
        await server.ask();
        expect(readFileSync(log, 'utf8').slice(before)).toMatch(/\n\{.*"path":"\/healthz".*\}\n/);
      }, PATIENTLY);
      expect(await server.stop()).toBe(0);
    },
  );

  test.runIf(CAN_MOUNT)(
    'with all that it writes on a disk that was full at the start',
    async () => {
      const folder = await aFolder();
      const { path, fill } = fullDisk(folder.path);
      const [out, err] = [openSync(join(path, 'out'), 'a'), openSync(join(path, 'err'), 'a')];
      onTestFinished(() => [out, err].forEach(closeSync));
      fill();
      const args = ['--first-sign-in', join(path, 'sign-in')];
      const server = await serveInto(folder, { out, err, args });
      await server.listens();
      expect(await server.stop()).toBe(0);
    },
  );

  test.each<[string, string[]]>([
    ['before its first line too', []],
    ['before it told the first sign-in', ['--store', 'sqlite:new.db']],
  ])('with pipes whose reader has gone, %s', async (_when, args) => {
    const folder = await aFolder();
    const server = await serveInto(folder, { out: 'pipe', err: 'pipe', args });
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    await server.listens();
    for (let request = 0; request < 5; request += 1) expect(await server.ask()).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  test.runIf(hasStrace())(
    'with a disk that reports an error at each write of its outputs',
    async () => {
      const folder = await aFolder();
      const [log, signIn] = [join(folder.path, 'log'), join(folder.path, 'sign-in')];
      const output = openSync(log, 'a');
      writeFileSync(signIn, '');
      onTestFinished(() => closeSync(output));
      const fault = 'inject=write,writev,pwrite64:error=EIO';
      const wrapper = ['strace', '-f', '-o', '/dev/null', '-P', log, '-P', signIn, '-e', fault];
      const args = ['--first-sign-in', signIn];
      const server = await serveInto(folder, { out: output, err: output, args, wrapper });
      await server.listens();
      for (let request = 0; request < 5; request += 1) expect(await server.ask()).toBe(200);
      expect(readFileSync(log, 'utf8') + readFileSync(signIn, 'utf8')).toBe('');
      const { pid } = server.child;
      const ended = once(server.child, 'exit');
      process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')), 'SIGTERM');
      expect((await ended)[0]).toBe(0);
    },
  );
});

test('a list whose reader has gone still ends quietly', async () => {
  const folder = await aFolder();
  await folder.run(['seed', '--store', 'sqlite:a.db']);
  const child = spawn(process.execPath, [PROGRAM, 'events', 'list', '--store', 'sqlite:a.db'], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (bytes) => {
    err += bytes;
  });
  expect([(await once(child, 'exit'))[0], err]).toEqual([0, '']);
});
