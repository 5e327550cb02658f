import { existsSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { isSea } from 'node:sea';

/** How this program came to this machine. */
export type Installation = 'checkout' | 'npm' | 'executable' | 'debian' | 'container' | 'folder';

const DEBIAN_FILES = '/var/lib/dpkg/info/ticketscan.list';
/** Docker and Podman put one of these into every container. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/** How this program was installed, and the file that runs. */
export function installation(): { readonly installed: Installation; readonly program: string } {
  const program = isSea() ? process.execPath : realpathSync(process.argv[1] ?? process.execPath);
  return { installed: isSea() ? ofExecutable(program) : ofScript(program), program };
}

function ofExecutable(program: string): Installation {
  if (program.startsWith('/usr/') && existsSync(DEBIAN_FILES)) return 'debian';
  return CONTAINER_MARKS.some((path) => existsSync(path)) ? 'container' : 'executable';
}

function ofScript(program: string): Installation {
  const folder = dirname(dirname(program));
  if (folder.includes(`${sep}node_modules${sep}`)) return 'npm';
  return existsSync(`${folder}${sep}src`) ? 'checkout' : 'folder';
}
