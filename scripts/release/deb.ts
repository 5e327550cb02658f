import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import packageFile from '../../package.json' with { type: 'json' };
import {
  FIRST_CONFIG,
  launcherText,
  SERVICE,
  unitText,
} from '../../src/features/service/install.ts';

export interface DebOptions {
  /** The single executable for linux-x64. */
  readonly program: string;
  /** The folder in which the package is written. */
  readonly folder: string;
  /** Seconds since 1970: the time of every file in the package. */
  readonly epoch: number;
  /** A folder of man pages, `*.1`. */
  readonly manPages?: string;
  /** A folder of completions: `bash/ticketscan`, `zsh/_ticketscan`, `fish/ticketscan.fish`. */
  readonly completions?: string;
  /** A text file with the licences of the packages inside the program. */
  readonly licences?: string;
  /** The compression that `dpkg-deb -Z` takes; `none` for tests, which build quickly. */
  readonly compression?: 'xz' | 'none';
  /** The version of the package, for tests of upgrades. */
  readonly version?: string;
}

/** The part after the hyphen counts packages of the same version of the program. */
const REVISION = 1;
/** Files of maintainer scripts, as dpkg runs them. */
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
const SOURCES = join(import.meta.dirname, 'debian');
const PROGRAM = '/usr/lib/ticketscan/ticketscan';
/** Where shells look for completions of packages. */
const COMPLETIONS = {
  'bash/ticketscan': 'usr/share/bash-completion/completions/ticketscan',
  'zsh/_ticketscan': 'usr/share/zsh/vendor-completions/_ticketscan',
  'fish/ticketscan.fish': 'usr/share/fish/vendor_completions.d/ticketscan.fish',
};
const DOCUMENTS = 'usr/share/doc/ticketscan';

/**
 * Builds the Debian package of the service, with `dpkg-deb`. The same input gives the same bytes.
 * @returns the path of the package
 */
export function buildDeb(options: DebOptions): string {
  const version = options.version ?? `${packageFile.version}-${REVISION}`;
  const target = resolve(options.folder, `ticketscan_${version}_amd64.deb`);
  const root = mkdtempSync(join(tmpdir(), 'ticketscan-deb-'));
  try {
    const tree = new Tree(root);
    addProgram(tree, options.program);
    addDocuments(tree, version, options);
    addShellFiles(tree, options);
    addControl(tree, version);
    execFileSync(
      'dpkg-deb',
      ['--root-owner-group', `-Z${options.compression ?? 'xz'}`, '--build', root, target],
      {
        env: { PATH: process.env['PATH'], SOURCE_DATE_EPOCH: String(options.epoch) },
        stdio: 'ignore',
      },
    );
    return target;
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** The files of a package, with the modes that they will have, whatever the umask is. */
class Tree {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
    chmodSync(root, 0o755);
  }

  write(path: string, content: string | Buffer, mode = 0o644): void {
    writeFileSync(this.#made(path), content);
    chmodSync(join(this.root, path), mode);
  }

  copy(path: string, source: string, mode = 0o644): void {
    copyFileSync(source, this.#made(path));
    chmodSync(join(this.root, path), mode);
  }

  /** Compressed without a time, which would differ from build to build. */
  writeGzip(path: string, content: string | Buffer): void {
    this.write(`${path}.gz`, gzipSync(content, { level: 9 }));
  }

  /** All files but those of `DEBIAN`, sorted. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(this.root.length + 1))
      .filter((path) => !path.startsWith('DEBIAN/'))
      .sort();
  }

  #made(path: string): string {
    const folders = dirname(path).split('/');
    for (const index of folders.keys()) {
      const folder = join(this.root, ...folders.slice(0, index + 1));
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o755);
    }
    return join(this.root, path);
  }
}

function addProgram(tree: Tree, program: string): void {
  tree.copy(PROGRAM.slice(1), program, 0o755);
  tree.write('usr/bin/ticketscan', launcherText(PROGRAM), 0o755);
  tree.write(`lib/systemd/system/${SERVICE.unit}`, unitText(['/usr/bin/ticketscan']));
  tree.write(SERVICE.configFile.slice(1), FIRST_CONFIG);
}

function addDocuments(tree: Tree, version: string, { epoch, licences }: DebOptions): void {
  const changes = readFileSync('CHANGELOG.md');
  tree.write(`${DOCUMENTS}/copyright`, copyright());
  if (licences !== undefined) {
    tree.writeGzip(`${DOCUMENTS}/licences-of-packages.txt`, readFileSync(licences));
  }
  tree.writeGzip(`${DOCUMENTS}/changelog`, changes);
  tree.writeGzip(`${DOCUMENTS}/changelog.Debian`, debianChangelog(version, epoch));
  tree.copy('usr/share/lintian/overrides/ticketscan', join(SOURCES, 'lintian-overrides'));
}

function addShellFiles(tree: Tree, { manPages, completions }: DebOptions): void {
  if (manPages !== undefined) {
    for (const page of readdirSync(manPages)) {
      tree.writeGzip(`usr/share/man/man1/${page}`, readFileSync(join(manPages, page)));
    }
  }
  if (completions !== undefined) {
    for (const [file, place] of Object.entries(COMPLETIONS)) {
      tree.copy(place, join(completions, file));
    }
  }
}

/** The licence of the project, in the form that Debian's tools read. */
function copyright(): string {
  const [, holder = '', terms = ''] =
    /^Copyright \(c\) (.*)\n\n([\s\S]*)$/m.exec(readFileSync('LICENSE', 'utf8')) ?? [];
  const indented = terms
    .trimEnd()
    .split('\n')
    .map((line) => ` ${line === '' ? '.' : line}`);
  return `${readFileSync(join(SOURCES, 'copyright'), 'utf8')}
Files: *
Copyright: ${holder}
License: MIT
${indented.join('\n')}
`;
}

function debianChangelog(version: string, epoch: number): string {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `ticketscan (${version}) unstable; urgency=medium

  * Version ${packageFile.version}: see changelog.gz.

 -- ${maintainer()}  ${date}
`;
}

/** Who answers for the package, from the variables that all tools of Debian read. */
function maintainer(): string {
  const { DEBFULLNAME = 'The ticketscan authors', DEBEMAIL = 'ticketscan@maintainer.invalid' } =
    process.env;
  return `${DEBFULLNAME} <${DEBEMAIL}>`;
}

function addControl(tree: Tree, version: string): void {
  const files = tree.files();
  const kibibytes = (path: string) => Math.ceil(statSync(join(tree.root, path)).size / 1024);
  const installed = files.reduce((sum, path) => sum + kibibytes(path), 0);
  const sums = files
    .filter((path) => `/${path}` !== SERVICE.configFile)
    .map((path) => `${hash('md5', readFileSync(join(tree.root, path)))}  ${path}\n`);
  tree.write('DEBIAN/control', control(version, installed));
  tree.write('DEBIAN/conffiles', `${SERVICE.configFile}\n`);
  tree.write('DEBIAN/md5sums', sums.join(''));
  for (const script of SCRIPTS) tree.copy(`DEBIAN/${script}`, join(SOURCES, script), 0o755);
}

function control(version: string, installedKibibytes: number): string {
  return `Package: ticketscan
Version: ${version}
Architecture: amd64
Maintainer: ${maintainer()}
Installed-Size: ${installedKibibytes}
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: adduser, libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 5)
Section: net
Priority: optional
Description: ticket scan service for turnstiles and software at a gate
 ticketscan answers one question at a gate: may this ticket enter now? It
 speaks JSON to your software and their own formats to turnstiles and readers,
 and has a dashboard, signed QR codes, a simulator of devices and a checker.
 .
 The package runs the service as the system user ticketscan, over HTTPS on
 port 8443. Settings are in /etc/ticketscan/config.json, data is in
 /var/lib/ticketscan. An upgrade copies the store before it changes its
 format. Removing the package leaves settings and data. Purging it deletes
 /etc/ticketscan and /var/lib/ticketscan: all tickets, uses, signing keys and
 backups in that folder.
`;
}
