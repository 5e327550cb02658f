import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { PACKAGES_FOR_TESTS } from '../../scripts/release/image/debian-packages.ts';
import { buildImage } from '../../scripts/release/image.ts';
import { freePort } from '../support/free-port.ts';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';
import { PostgresCluster } from '../support/postgres/cluster.ts';
import { execute } from '../support/postgres/schema.ts';
import { Container } from './support/container.ts';
import { testExecutable } from './support/test-executable.ts';

const MEGABYTE = 1_000_000;
const EPOCH = 1_700_000_000;
const HOME = '/var/lib/ticketscan';

const why = reasonToSkip({
  skopeo: isOnPath('skopeo'),
  umoci: isOnPath('umoci'),
  'dpkg-deb': isOnPath('dpkg-deb'),
  'root (for chroot)': process.getuid?.() === 0,
  'Debian packages (node scripts/release/image/debian-packages.ts)': existsSync(PACKAGES_FOR_TESTS),
});

describe.skipIf(why !== undefined)('the container image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-image-test-'));
  let archive = '';
  let compose = '';
  let container: Container;

  beforeAll(async () => {
    const program = await testExecutable(folder);
    [archive, compose] = await buildImage({
      program,
      folder,
      epoch: EPOCH,
      packages: PACKAGES_FOR_TESTS,
    });
    container = new Container(archive);
  });

  afterAll(() => {
    container?.[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  test('has the same bytes whoever builds it, wherever and whenever', async () => {
    const build = async (place: string, umask: number, mode: number, seconds: number) => {
      const target = join(folder, place);
      mkdirSync(target);
      const program = join(target, 'program');
      writeFileSync(program, '#!/bin/true\n', { mode });
      chmodSync(program, mode);
      utimesSync(program, seconds, seconds);
      const before = process.umask(umask);
      const [built] = await buildImage({
        program,
        folder: target,
        epoch: EPOCH,
        packages: PACKAGES_FOR_TESTS,
      }).finally(() => process.umask(before));
      return createHash('sha256').update(readFileSync(built)).digest('hex');
    };
    const first = await build('one', 0o022, 0o755, EPOCH);
    expect(await build('another', 0o077, 0o600, EPOCH + 86_400)).toBe(first);
  });

  test('is small, and says how it is run', () => {
    expect(statSync(archive).size).toBeLessThanOrEqual(60 * MEGABYTE);
    expect(container.image).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['/usr/bin/ticketscan'],
      Cmd: ['serve'],
      WorkingDir: HOME,
      Volumes: { [HOME]: {} },
      ExposedPorts: { '8080/tcp': {} },
      Labels: { 'org.opencontainers.image.version': packageFile.version },
    });
    expect(container.image.Labels['ticketscan.debian-packages']).toMatch(/\blibc6=2\.\d+/);
  });

  test('can be loaded by name from the same file as an archive of Docker', () => {
    const listed = execFileSync('skopeo', ['list-tags', `docker-archive:${archive}`]);
    expect(JSON.parse(String(listed)).Tags).toEqual([`ticketscan:${packageFile.version}`]);
    const copy = join(folder, 'from-docker');
    execFileSync('skopeo', ['copy', '--quiet', `docker-archive:${archive}`, `dir:${copy}`]);
    expect(existsSync(join(copy, 'manifest.json'))).toBe(true);
  });

  test('gives its user nothing to change but the volume and the temporary folders', () => {
    const find = (...criteria: string[]) =>
      execFileSync('find', [container.root, '-xdev', ...criteria, '-printf', '/%P\n'])
        .toString()
        .split('\n')
        .filter(Boolean);
    expect(find('-user', '65532')).toEqual([HOME]);
    expect(find('-perm', '/6000', '-type', 'f')).toEqual([]);
    const open = find('-perm', '-0002', '!', '-type', 'l');
    expect(open.filter((path) => !/^\/(var\/)?(tmp|lock)$|^\/run\/lock$/.test(path))).toEqual([]);
    expect(statSync(join(container.root, HOME)).mode & 0o777).toBe(0o700);
  });

  test('serves HTTPS as another user, reports its health, and is administered inside', async () => {
    const port = await freePort();
    const environment = { TICKETSCAN_PORT: String(port) };
    const run = (...args: string[]) => container.run(args, environment);
    container.mount('/etc/hosts', '127.0.0.1 localhost\n');
    expect(await run('health')).toMatchObject({ code: 3 });
    const server = container.start(undefined, environment);
    const log = collected(server.stderr);
    await once(server.stdout as NodeJS.ReadableStream, 'data');
    expect(await run('health')).toMatchObject({
      code: 0,
      out: `https://127.0.0.1:${port} is ready.\n`,
    });
    expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(/^Uid:\t65532\t65532/m);

    expect(await run('events', 'create', '--name', 'Pool')).toMatchObject({ code: 0 });
    const made = await run('keys', 'create', '--name', 'Gate', '--type', 'api', '--json');
    const { key } = JSON.parse(made.out) as { key: string };
    const mint = ['mint', '--event', 'Pool', '--type', 'single', '--format', 'json,png,pdf'];
    expect(await run(...mint, '--out', 'tickets')).toMatchObject({ code: 0 });
    const tickets = join(container.root, HOME, 'tickets/tickets.json');
    const [{ code }] = JSON.parse(readFileSync(tickets, 'utf8')) as [{ code: string }];

    const url = `https://localhost:${port}`;
    const scan = ['scan', code, '--url', url, '--key', key, '--consume', '--json'];
    expect(await run(...scan)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/certificate/),
    });
    // An authority that the operator mounts over the list is trusted.
    const bundle = '/etc/ssl/certs/ca-certificates.crt';
    const authorities = readFileSync(join(container.root, bundle), 'utf8');
    expect(authorities.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(100);
    const own = join(container.root, HOME, 'ticketscan.self-signed.cert.pem');
    container.mount(bundle, `${authorities}${readFileSync(own, 'utf8')}`);
    const scanned = await run(...scan);
    expect(scanned).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(scanned.out)).toMatchObject({ valid: true, usesConsumed: 1 });
    expect(log()).toMatch(/First sign-in at https:.* name: admin {2}password: \S+/);

    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await run('audit')).toMatchObject({ code: 0 });
  });

  test('with the environment of the compose file it uses PostgreSQL, with the password from the file', async () => {
    await using database = await PostgresCluster.start({ fsync: 'off' });
    const password = 'a p@ss:/?#%word';
    await execute(`CREATE ROLE ticketscan LOGIN PASSWORD '${password}'`, database.url());
    await execute('CREATE DATABASE ticketscan OWNER ticketscan', database.url());
    database.write('pg_hba.conf', 'host all all 127.0.0.1/32 scram-sha-256\n');
    await database.reload();

    const text = readFileSync(compose, 'utf8');
    const { ticketscan } = parse(text).services;
    expect(ticketscan.image).toBe(`ticketscan:${packageFile.version}`);
    expect(text).toContain(`--input ${basename(archive)}\n`);
    const [, health, ...rest] = ticketscan.healthcheck.test;
    const port = String(await freePort());
    const environment = {
      TICKETSCAN_STORE: ticketscan.environment.TICKETSCAN_STORE.replace(
        '@postgres/',
        `@127.0.0.1:${database.port}/`,
      ),
      TICKETSCAN_PORT: port,
    };
    const secret = `/run/secrets/${ticketscan.secrets[0]}`;
    container.mount(secret, 'wrong\n');
    const refused = await container.run(container.image.Cmd, environment);
    expect(refused).toMatchObject({ code: 3, err: expect.stringMatching(/refuses the password/) });
    container.mount(secret, `${password}\n`);
    const server = container.start(undefined, environment);
    const log = collected(server.stderr);
    await once(server.stdout as NodeJS.ReadableStream, 'data');
    expect(health).toBe('ticketscan');
    expect(await container.run(rest, environment)).toMatchObject({ code: 0 });
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    expect([await ended, log().includes(password)]).toEqual([[0, null], false]);
  });
});

function collected(stream: NodeJS.ReadableStream | null): () => string {
  let all = '';
  stream?.on('data', (chunk) => {
    all += String(chunk);
  });
  return () => all;
}
