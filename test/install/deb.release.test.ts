import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDeb } from '../../scripts/release/deb.ts';
import { buildExecutable } from '../../scripts/release/executable.ts';
import { MIGRATIONS } from '../../src/stores/sqlite/migrations.ts';
import { PATIENTLY } from '../support/patience.ts';
import { DebianRoot } from './support/debian-root.ts';

const EPOCH = 1_790_000_000;
/** The program is 160 MB, and machines with tests are busy. */
const PATIENCE_MS = 300_000;
const DATA = '/var/lib/ticketscan';
const CONFIG = '/etc/ticketscan/config.json';
const UNIT = '/lib/systemd/system/ticketscan.service';

/** What is missing here; the CI must have it (`npm run release -- --verify --install` installs it). */
const MISSING = [
  ...(process.geteuid?.() === 0 ? [] : ['root']),
  ...['adduser', 'dpkg-deb', 'systemd-analyze'].filter(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  ),
];

test('everything that the tests of the Debian package need is here', ({ skip }) => {
  if (!process.env['CI'])
    skip(MISSING.length > 0, `the Debian package was not tested; missing: ${MISSING}`);
  expect(MISSING).toEqual([]);
});

describe.skipIf(MISSING.length > 0)('the Debian package', { timeout: PATIENCE_MS }, () => {
  let work: string;
  let first: string;
  let upgrade: string;
  let debian: DebianRoot;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'ticketscan-deb-test-'));
    const program = join(work, 'ticketscan');
    await buildExecutable(program);
    writeFiles('.', { 'licences.txt': 'MIT' });
    writeFiles('man', { 'ticketscan.1': '.TH TICKETSCAN 1' });
    const scripts = ['bash/ticketscan', 'zsh/_ticketscan', 'fish/ticketscan.fish'];
    writeFiles('completions', Object.fromEntries(scripts.map((name) => [name, name])));
    first = build('0.1.0-1');
    upgrade = build('0.1.0-2');
    debian = new DebianRoot();
  }, PATIENCE_MS);
  afterAll(() => {
    debian?.[Symbol.dispose]();
    rmSync(work, { recursive: true });
  });

  const build = (version: string) =>
    buildDeb({
      program: join(work, 'ticketscan'),
      folder: work,
      epoch: EPOCH,
      manPages: join(work, 'man'),
      completions: join(work, 'completions'),
      licences: join(work, 'licences.txt'),
      compression: 'none',
      version,
    });

  function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(work, folder, name)), { recursive: true });
      writeFileSync(join(work, folder, name), text);
    }
  }

  const inRoot = (path: string) => join(debian.path, path);

  const start = () => debian.startService(UNIT);

  /** Asks with the certificate that the service has made. */
  async function statusOf(url: string): Promise<number | undefined> {
    const ca = readFileSync(inRoot(`${DATA}/ticketscan.self-signed.cert.pem`));
    const [response] = await once(get(url, { ca }), 'response');
    response.resume();
    return response.statusCode;
  }

  function install(deb: string): string {
    copyFileSync(deb, inRoot('tmp/ticketscan.deb'));
    return debian.good('dpkg', '--install', '/tmp/ticketscan.deb');
  }

  /** What in the data folder belongs to somebody else than the service. */
  const notOfTheService = () => debian.good('find', DATA, '!', '-user', 'ticketscan').trim();

  /** Files and folders with its name below these, but not those in its data, nor what dpkg keeps. */
  function ofTicketscan(...places: readonly string[]): string[] {
    const but = [`${DATA}/*`, '/var/lib/dpkg/*'].flatMap((path) => ['-not', '-path', path]);
    const found = debian.good('find', ...places, '-name', '*ticketscan*', ...but);
    return found.split('\n').filter(Boolean).sort();
  }

  test('has the same bytes when it is built twice, as a release compresses it', async () => {
    // What the program is makes no difference here, and compressing 160 MB takes half a minute.
    const program = join(work, 'licences.txt');
    const built = (name: string) => {
      mkdirSync(join(work, name));
      return readFileSync(buildDeb({ program, folder: join(work, name), epoch: EPOCH }));
    };

    const one = built('one');
    // The times in a package have a resolution of a second.
    await setTimeout(1100);
    const other = built('other');

    expect(other.equals(one)).toBe(true);
  });

  test('installs a service that only its own user can read, and that says why it does not start here', () => {
    const output = install(first);

    expect(output).toContain('systemd is not running here');
    expect(debian.good('stat', '--format=%U:%G %a', DATA)).toBe('ticketscan:ticketscan 700\n');
    expect(debian.good('stat', '--format=%U:%G %a', CONFIG)).toBe('root:ticketscan 640\n');
    expect(debian.good('dpkg', '--status', 'ticketscan')).toContain(`Conffiles:\n ${CONFIG} `);
    expect(existsSync(inRoot('etc/systemd/system/multi-user.target.wants'))).toBe(true);
  });

  test('brings man pages, completions and licences to where people and programs look for them', () => {
    const share = '/usr/share';

    expect(debian.good('zcat', `${share}/man/man1/ticketscan.1.gz`)).toBe('.TH TICKETSCAN 1');
    expect(debian.good('zcat', `${share}/doc/ticketscan/licences-of-packages.txt.gz`)).toBe('MIT');
    for (const [place, text] of [
      ['bash-completion/completions/ticketscan', 'bash/ticketscan'],
      ['zsh/vendor-completions/_ticketscan', 'zsh/_ticketscan'],
      ['fish/vendor_completions.d/ticketscan.fish', 'fish/ticketscan.fish'],
    ]) {
      expect(debian.good('cat', `${share}/${place}`)).toBe(text);
    }
  });

  test('brings a unit without mistakes that can do little', () => {
    const unit = readFileSync(inRoot(UNIT), 'utf8');
    const file = join(work, 'ticketscan.service');
    writeFileSync(file, unit.replace('ExecStart=/usr/bin/ticketscan', 'ExecStart=/bin/true'));

    const analyze = (...args: readonly string[]) =>
      execFileSync('systemd-analyze', [...args, file], { encoding: 'utf8', stdio: 'pipe' });

    expect(analyze('verify')).toBe('');
    // At most 2.0 of 10: systemd calls that "OK".
    expect(() => analyze('security', '--offline=true', '--threshold=20')).not.toThrow();
  });

  test('serves over HTTPS and writes the first sign-in to a file for its owner, not to its log', async () => {
    const config = JSON.parse(readFileSync(inRoot(CONFIG), 'utf8'));
    writeFileSync(inRoot(CONFIG), JSON.stringify({ ...config, port: 0 }));
    await using service = await start();
    await expect.poll(service.output, PATIENTLY).toContain('first-sign-in.txt');
    const signIn = readFileSync(inRoot(`${DATA}/first-sign-in.txt`), 'utf8');
    const [, password = ''] = /^password: (\S+)$/m.exec(signIn) ?? [];

    expect(await statusOf(`${service.url}/readyz`)).toBe(200);
    expect(password).toMatch(/^\w{20}$/);
    expect(service.output()).not.toContain(password);
    expect(await service.stop()).toBe(0);
  });

  test("commands of root use the service's data while it runs, and leave every file to its user", async () => {
    await using service = await start();

    debian.good('ticketscan', 'organisations', 'create', '--name', 'Pool');
    const key = JSON.parse(
      debian.good('ticketscan', 'keys', 'create', '--name', 'Gate', '--type', 'api', '--json'),
    );
    debian.good('ticketscan', 'signing-keys', 'rotate');
    debian.good('ticketscan', 'store', 'backup', `${DATA}/backup.db`);
    const others = notOfTheService();
    const stopped = await service.stop();

    expect(key.key).toMatch(/^tscn_api_/);
    expect(others).toBe('');
    expect(stopped).toBe(0);
    expect(debian.runAs('ticketscan', 'ticketscan', 'keys', 'list').out).toContain('Gate');
    expect(debian.runAs('nobody', 'cat', CONFIG).code).toBe(1);
  });

  test('an upgrade keeps settings and data', async () => {
    debian.runAs('ticketscan', 'ticketscan', 'events', 'create', '--name', 'Before');

    install(upgrade);
    await using service = await start();
    const version = debian.good('ticketscan', 'store', 'info', '--json');
    await service.stop();

    expect(debian.runAs('ticketscan', 'ticketscan', 'events', 'list').out).toContain('Before');
    expect(JSON.parse(version)).toMatchObject({ formatVersion: MIGRATIONS.length });
    expect(JSON.parse(readFileSync(inRoot(CONFIG), 'utf8'))).toMatchObject({ port: 0 });
    expect(notOfTheService()).toBe('');
  });

  test('`service install` leaves the service of the package alone', () => {
    const { code, err } = debian.run('ticketscan', 'service', 'install', '--no-start');

    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('apt to upgrade'),
    });
  });

  test('removing it keeps settings and data; purging it leaves nothing', () => {
    debian.good('dpkg', '--remove', 'ticketscan');
    const kept = [DATA, CONFIG].map((path) => existsSync(inRoot(path)));
    debian.good('dpkg', '--purge', 'ticketscan');

    expect(kept).toEqual([true, true]);
    expect(ofTicketscan('/etc', '/usr', '/var')).toEqual([]);
    expect(readFileSync(inRoot('etc/passwd'), 'utf8')).not.toContain('ticketscan');
  });

  describe('`service install` without the package', () => {
    const service = (...args: readonly string[]) =>
      debian.run('/root/ticketscan', 'service', ...args);
    beforeAll(() => copyFileSync(join(work, 'ticketscan'), inRoot('root/ticketscan')));

    test('says what to do without systemd, and without root', () => {
      debian.good('chmod', '755', '/root');
      const withoutSystemd = service('install');
      const asNobody = ['/root/ticketscan', 'service', 'install', '--no-start'] as const;
      const withoutRoot = debian.runAs('nobody', ...asNobody);

      expect(withoutSystemd).toMatchObject({
        code: 2,
        err: expect.stringContaining('ticketscan serve'),
      });
      expect(withoutRoot).toMatchObject({ code: 2, err: expect.stringContaining('with sudo') });
    });

    test('shows with --dry-run what it would do, and does nothing', () => {
      const { code, out } = service('install', '--dry-run');

      expect(code).toBe(0);
      expect(out).toMatch(
        /^create the system user ticketscan\n.*\nwrite \/etc\/ticketscan\/config.json\n/,
      );
      expect(out).toContain('    User=ticketscan\n');
      expect(ofTicketscan('/etc', '/usr/local', '/var/lib')).toEqual([]);
    });

    test('installs the same service, for a machine that is not running, and again as an upgrade', async () => {
      const installed = service('install', '--no-start');
      writeFileSync(
        inRoot(CONFIG),
        JSON.stringify({ ...JSON.parse(readFileSync(inRoot(CONFIG), 'utf8')), port: 0 }),
      );
      const again = service('install', '--no-start');
      await using running = await debian.startService('/etc/systemd/system/ticketscan.service');
      const unit = debian.good(
        'cat',
        '/etc/systemd/system/multi-user.target.wants/ticketscan.service',
      );

      expect([installed.err, again.code]).toEqual([expect.stringContaining(CONFIG), 0]);
      expect(await statusOf(`${running.url}/readyz`)).toBe(200);
      expect(unit).toContain('ExecStart=/usr/local/bin/ticketscan serve\n');
      expect(debian.good('ticketscan', 'store', 'info', '--json')).toContain(
        `${DATA}/ticketscan.db`,
      );
      expect(notOfTheService()).toBe('');
    });

    test('uninstalls everything but settings and data', () => {
      const { code, err } = service('uninstall', '--no-start');
      const left = ofTicketscan('/etc', '/usr', '/var/lib');

      expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(DATA) });
      expect(left).toEqual(['/etc/ticketscan', '/usr/local/lib/ticketscan', DATA]);
      expect(service('uninstall', '--no-start').err).toContain('not installed');
    });

    test('takes the data of a removed package over, and purging that package keeps them', () => {
      debian.good('dpkg', '--force-confold', '--install', '/tmp/ticketscan.deb');
      debian.good('dpkg', '--remove', 'ticketscan');
      const installed = service('install', '--no-start');
      debian.good('touch', `${DATA}/ours`);
      const { out } = debian.run('dpkg', '--purge', 'ticketscan');

      expect(installed).toMatchObject({ code: 0 });
      expect(out).toContain('they are kept');
      expect(existsSync(inRoot(`${DATA}/ours`))).toBe(true);
      expect(readFileSync(inRoot('etc/passwd'), 'utf8')).toContain('ticketscan');
    });
  });
});
