import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the program needs of Debian: the C and C++ libraries, certificates of public authorities, and the names of the system. */
const PACKAGES = [
  'base-files',
  'ca-certificates',
  'libatomic1',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
];
const ARCHITECTURE = 'amd64';

/** Where the tests of the image find the packages, so that they need no network. */
export const PACKAGES_FOR_TESTS = 'node_modules/.cache/ticketscan-debian-packages';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

/**
 * Downloads the packages in the versions that apt offers on this machine; apt checks their signatures and checksums. Pinned versions
 * would be old, or stop the build on the day Debian replaces them.
 * @param folder made when it is missing; the packages that it has are replaced
 * @throws Error where there is no apt, or a package cannot be downloaded
 */
function downloadPackages(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of debFiles(folder)) rmSync(file);
  apt(folder, PACKAGES);
  // The licences of the compiler's libraries are in a package that is named after its version.
  const [licences] = /gcc-\d+-base/.exec(field(fileOf('libgcc-s1', folder), 'Depends')) ?? [];
  if (licences !== undefined) apt(folder, [licences]);
}

/** The packages in that folder, by name. @throws Error that names the first missing one */
export function packagesIn(folder: string): DebianPackage[] {
  const found = debFiles(folder).map((file) => {
    return { name: field(file, 'Package'), version: field(file, 'Version'), file };
  });
  const missing = PACKAGES.find((name) => !found.some((one) => one.name === name));
  if (missing !== undefined) throw new Error(`${folder} has no package ${missing}: download again`);
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Runs `work` on a folder with freshly downloaded packages, and removes it. */
export async function withPackages<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-packages-'));
  try {
    downloadPackages(folder);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The package's paragraph, as dpkg keeps it in its list of what is installed. */
export function controlOf({ file }: DebianPackage): string {
  return execFileSync('dpkg-deb', ['--field', file], { encoding: 'utf8' });
}

/** Unpacks the files of a package; its scripts do not run. */
export function unpack({ file }: DebianPackage, root: string): void {
  execFileSync('dpkg-deb', ['--extract', file, root]);
}

function apt(folder: string, names: readonly string[]): void {
  const wanted = names.map(
    (name) => `${name}:${name === 'ca-certificates' ? 'all' : ARCHITECTURE}`,
  );
  const quiet = ['--quiet', '--option', 'APT::Sandbox::User=root'];
  execFileSync('apt-get', ['download', ...quiet, ...wanted], { cwd: folder, stdio: 'ignore' });
}

const debFiles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(folder, name));

function fileOf(name: string, folder: string): string {
  const file = debFiles(folder).find((one) => one.startsWith(join(folder, `${name}_`)));
  if (file === undefined) throw new Error(`apt-get downloaded no ${name}`);
  return file;
}

const field = (file: string, name: string) =>
  execFileSync('dpkg-deb', ['--field', file, name], { encoding: 'utf8' }).trim();

if (import.meta.main) downloadPackages(PACKAGES_FOR_TESTS);
