import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Ran } from '../../support/cli.ts';

/** What the service's package needs of a Debian system, and what its scripts and these tests run. */
const PACKAGES = `
  systemd libblkid1 libcap2 libgcrypt20 libgpg-error0 liblz4-1 libmount1 libssl3 libseccomp2
  libapparmor1 libkmod2 libip4tc2 adduser base-files base-passwd bash coreutils dash diffutils
  dpkg findutils grep gzip init-system-helpers libacl1 libatomic1 libattr1 libaudit1
  libbz2-1.0 libc-bin libc6 libcap-ng0 libcrypt1 libgcc-s1 libgmp10 liblzma5 libmd0
  libpam-modules libpam-modules-bin libpam-runtime libpam0g libpcre2-8-0 libselinux1
  libsemanage2 libsepol2 libstdc++6 libsystemd0 libtinfo6 libzstd1 login passwd perl-base sed
  tar zlib1g
`.match(/\S+/g) as string[];

/** A service that was started as its unit says. */
export interface RunningService extends AsyncDisposable {
  readonly url: string;
  /** What it wrote so far, on stdout and stderr. */
  readonly output: () => string;
  /** Stops it as systemd does; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * A small Debian system in a folder, without systemd, made of the files of this machine's own packages: `dpkg` installs a package in it as on a
 * new machine. Needs root and Debian. Programs in it use the network of this machine.
 */
export class DebianRoot implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'ticketscan-debian-'));
  readonly #children = new Set<ChildProcess>();

  constructor() {
    chmodSync(this.path, 0o755);
    const packages = installedPackages();
    this.#copyFiles(packages);
    this.#writeUsers();
    this.#writePackages(packages);
    for (const device of ['null', 'zero', 'random', 'urandom']) {
      execFileSync('cp', ['-a', `/dev/${device}`, join(this.path, 'dev')]);
    }
  }

  /** Runs a command as root until it ends. */
  run(command: string, ...args: readonly string[]): Ran {
    return this.runAs('root', command, ...args);
  }

  /** Runs a command as a user of this system, in its folder /tmp. */
  runAs(user: string, command: string, ...args: readonly string[]): Ran {
    const all = ['--userspec', `${user}:`, this.path, '/usr/bin/env', '--chdir=/tmp', command];
    const { status, stdout, stderr } = spawnSync('chroot', [...all, ...args], {
      env: ENVIRONMENT,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  }

  /** The output of a command of root that must succeed. */
  good(command: string, ...args: readonly string[]): string {
    const { code, out, err } = this.run(command, ...args);
    if (code !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${out}${err}`);
    return out;
  }

  /** Starts the service as its unit says, with its user, folder and environment; resolves when it listens. */
  async startService(unitFile: string): Promise<RunningService> {
    const child = this.#startUnit(readFileSync(join(this.path, unitFile), 'utf8'));
    const ended = once(child, 'exit') as Promise<[number | null]>;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    }
    const stop = async () => {
      child.kill();
      return (await ended)[0];
    };
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    await Promise.race([once(lines, 'line'), ended]);
    const [, url] = /listening on (https:\S+)/.exec(output) ?? [];
    if (url === undefined) throw new Error(`the service did not start: ${output}`);
    return {
      url,
      output: () => output,
      stop,
      [Symbol.asyncDispose]: async () => void (await stop()),
    };
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.path, { recursive: true, force: true });
  }

  #startUnit(unit: string): ChildProcess {
    const all = (key: string) =>
      [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
    const [user = '', folder = '', command = ''] = [
      'User',
      'WorkingDirectory',
      'ExecStart',
    ].flatMap(all);
    const place = ['--userspec', `${user}:${user}`, this.path, '/usr/bin/env', `--chdir=${folder}`];
    const args = [...place, ...all('Environment'), ...command.split(' ')];
    const child = spawn('chroot', args, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  #copyFiles(packages: readonly string[]): void {
    for (const folder of ['bin', 'sbin', 'lib', 'lib64']) {
      // On a merged system these are links to the folders below /usr.
      if (!lstatSync(`/${folder}`).isSymbolicLink()) continue;
      mkdirSync(join(this.path, 'usr', folder), { recursive: true });
      symlinkSync(`usr/${folder}`, join(this.path, folder));
    }
    const made = [
      '/etc/nsswitch.conf',
      ...readdirSync('/etc/pam.d').map((name) => `/etc/pam.d/${name}`),
    ];
    const files = [...filesOf(packages), ...made].filter((path) => {
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found !== undefined && !found.isDirectory() && !UNUSED.test(path);
    });
    const copy = ['cp', '--archive', '--parents', `--target-directory=${this.path}`];
    // From /, because what the command remembers of folders are relative paths.
    execFileSync('xargs', ['--null', ...copy], {
      cwd: '/',
      input: [...new Set(files)].join('\0'),
      stdio: 'pipe',
    });
    for (const folder of FOLDERS) mkdirSync(join(this.path, folder), { recursive: true });
    chmodSync(join(this.path, 'tmp'), 0o1777);
  }

  /** The users that every Debian system has, as a new one. */
  #writeUsers(): void {
    for (const table of ['passwd', 'group']) {
      const lines = readFileSync(`/usr/share/base-passwd/${table}.master`, 'utf8');
      writeFileSync(join(this.path, 'etc', table), lines.replaceAll(':*:', ':x:'));
      const hidden = lines.replaceAll(
        /^(\w[^:]*):.*$/gm,
        table === 'passwd' ? '$1:*:::::::' : '$1:*::',
      );
      writeFileSync(join(this.path, 'etc', SHADOWS[table as keyof typeof SHADOWS]), hidden);
    }
  }

  #writePackages(packages: readonly string[]): void {
    const database = join(this.path, 'var/lib/dpkg');
    writeFileSync(join(database, 'status'), execFileSync('dpkg-query', ['--status', ...packages]));
    for (const name of packages) {
      const found = readdirSync(INFO).find(
        (file) => file === `${name}.list` || file === `${name}:amd64.list`,
      );
      if (found) copyFileSync(join(INFO, found), join(database, 'info', found));
    }
  }
}

const INFO = '/var/lib/dpkg/info';
/** The links of a merged system, and what only people read. */
const UNUSED = /^\/(s?bin|lib(64)?)$|^\/usr\/share\/(doc|info|lintian|locale|man)\//;
const FOLDERS = [
  'dev',
  'root',
  'run',
  'tmp',
  'usr/local',
  'var/lib/dpkg/info',
  'var/lib/dpkg/updates',
  'var/log',
];
const SHADOWS = { passwd: 'shadow', group: 'gshadow' };
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Those of PACKAGES that this machine has: their names differ a little between versions of Debian. */
function installedPackages(): string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills it in
  const format = '--showformat=${db:Status-Abbrev} ${Package}\n';
  const { stdout } = spawnSync('dpkg-query', ['--show', format, ...PACKAGES], { encoding: 'utf8' });
  return [...stdout.matchAll(/^ii +(\S+)$/gm)].map(([, name = '']) => name);
}

function filesOf(packages: readonly string[]): string[] {
  const list = execFileSync('dpkg-query', ['--listfiles', ...packages], { encoding: 'utf8' });
  return list.split('\n').filter((line) => line.startsWith('/'));
}
