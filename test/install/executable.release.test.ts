import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildExecutable } from '../../scripts/release/executable.ts';
import { checkExecutable } from '../../scripts/release/executable-format.ts';
import { CliFolder, presentCard, targetOf } from '../support/cli.ts';

/** How many times as long as a start of Node the help may take. Both are measured in turns, because other work makes both slower. */
const HELP_TIMES_MAX = 5;

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the single file', () => {
  let work: string;
  let executable: string;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'ticketscan-single-file-'));
    executable = join(work, 'ticketscan');
    await buildExecutable(executable);
  });

  afterAll(() => rmSync(work, { recursive: true }));

  /** An empty folder, the file itself elsewhere, and neither Node nor any other program to be found. */
  const stranger = (...environment: string[]) =>
    new CliFolder('/usr/bin/env', '-i', 'PATH=/nowhere', ...environment, executable);

  test('plays the whole demo: store, server, images, turnstile and check', async () => {
    await using folder = stranger();
    const { code, out, err } = await folder.run(['demo', '--once']);
    expect(err).toMatch(/^New store: .*\nNew signing keys: .*\n$/);
    expect(code).toBe(0);
    expect(out).toMatch(/door OPEN \(relay IN\)/);
    expect(out).toMatch(/\d{3} cases passed, 0 failed: the server conforms/);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('draws images and a sheet in threads, and reads back every form', async () => {
    await using folder = stranger();
    await folder.json(['events', 'create', '--name', 'Pool']);
    const files = ['--out', 'out', '--format', 'png,svg,pdf', '--verify'];
    const minted = await folder.run(['mint', '--event', 'Pool', '--count', '20', ...files]);
    expect(minted).toMatchObject({ code: 0 });
    const names = readdirSync(join(folder.path, 'out'));
    expect(names).toHaveLength(41);
    const image = (end: string) => `out/${names.find((name) => name.endsWith(end))}`;
    const read = await folder.json(['decode', image('.png'), image('.svg'), 'out/tickets.pdf']);
    expect(read).toHaveLength(22);
    expect(read.every(({ verified }: { verified: boolean }) => verified)).toBe(true);
  });

  test('serves a scan, the page with its files, and a sheet that its thread draws', async () => {
    await using folder = stranger();
    expect((await folder.run(['seed', '--count', '1', '--out', 'target.json'])).code).toBe(0);
    const { keys, tickets } = targetOf(readFileSync(join(folder.path, 'target.json'), 'utf8'));
    const [single = ''] = tickets['single'] ?? [];
    const { url } = await folder.serve();
    expect(await presentCard(url, keys['hardware'] ?? '', single)).toMatchObject({
      Note: 'Ticket gültig (1/1)',
    });

    const page = await (await fetch(`${url}/`)).text();
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1];
    const answer = await fetch(`${url}/${script}`, { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect((await answer.text()).length).toBeGreaterThan(10_000);

    const cookie = await signIn(folder, url);
    const [, ticketId] = single.split('.');
    const sheet = await fetch(`${url}/admin/v1/tickets/${ticketId}/sheet.pdf`, {
      headers: { cookie },
    });
    expect((await sheet.text()).slice(0, 5)).toBe('%PDF-');
  });

  test('has the second QR reader of the simulator inside', async () => {
    await using folder = stranger();
    const empty = PNG.sync.write(new PNG({ width: 64, height: 64 }));
    writeFileSync(join(folder.path, 'empty.png'), empty);
    const simulated = await folder.run(['simulate', 'http://127.0.0.1:9', '--card', 'empty.png']);
    expect(simulated.err).toContain('no QR code was found in this image');
  });

  test('is a program of its own: neither settings of Node nor packages beside it reach it', async () => {
    const beside = join(work, 'node_modules/pg-native');
    const loaded = join(work, 'loaded');
    mkdirSync(beside, { recursive: true });
    writeFileSync(join(beside, 'index.js'), `require('fs').writeFileSync('${loaded}', '');`);
    await using folder = stranger(
      'NODE_OPTIONS=--require=/nowhere/at-all.js --inspect-brk',
      'NODE_PG_FORCE_NATIVE=1',
    );
    const { code, out, err } = await folder.run(['--version']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await folder.run(['-e', 'console.log(1)'])).code).toBe(2);
    expect((await folder.run(['--inspect'])).code).toBe(2);
    await folder.run(['audit', '--store', 'postgres://127.0.0.1:9/x']);
    expect(existsSync(loaded)).toBe(false);
  });

  test(`--help takes at most ${HELP_TIMES_MAX} times the processor time of a start of Node`, () => {
    const timesOf = (command: string) => {
      const timed = `TIMEFORMAT='%U %S'; time ${command} >/dev/null`;
      const out = execFileSync('bash', ['-c', `{ ${timed}; } 2>&1`], { encoding: 'utf8' });
      const [user = Number.NaN, system = Number.NaN] = out.trim().split(' ').map(Number);
      return user + system;
    };
    const turns = Array.from({ length: 7 }, () => ({
      help: timesOf(`'${executable}' --help`),
      start: timesOf(`'${process.execPath}' -e 0`),
    }));
    const help = Math.min(...turns.map((turn) => turn.help));
    const start = Math.min(...turns.map((turn) => turn.start));
    expect(help / start).toBeLessThanOrEqual(HELP_TIMES_MAX);
  });

  test('is refused by the release when it is not what it should be', () => {
    expect(() => checkExecutable(process.execPath, 'linux-x64')).toThrow('no program inside');
    for (const platform of ['linux-arm64', 'win-x64', 'darwin-arm64'] as const) {
      expect(() => checkExecutable(executable, platform)).toThrow(`not an executable for`);
    }
    const blown = join(work, 'blown');
    const bytes = readFileSync(executable);
    bytes.write('0', bytes.indexOf('NODE_SEA_FUSE_') + 'NODE_SEA_FUSE_'.length + 33, 'latin1');
    writeFileSync(blown, bytes);
    expect(() => checkExecutable(blown, 'linux-x64')).toThrow('would start as Node');
  });
});

/** @returns the cookie of a session of a new owner */
async function signIn(folder: CliFolder, url: string): Promise<string> {
  const password = 'quite a long password';
  writeFileSync(join(folder.path, 'password'), password);
  const created = await folder.run([
    ...['accounts', 'create', '--name', 'anna', '--role', 'owner'],
    ...['--password', 'file:password', '--organisation', 'Sample leisure park'],
  ]);
  expect(created).toMatchObject({ code: 0 });
  const session = await fetch(`${url}/admin/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'anna', password }),
  });
  return session.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}
