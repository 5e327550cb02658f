import { existsSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { isSea } from 'node:sea';
import { VERSION } from '../../kit/version.ts';
import { plainCommand } from '../../terminal/command.ts';
import { showResult } from '../../terminal/results.ts';

const EXAMPLES = `
Examples:
  ticketscan version
  ticketscan version --json`;

/** `ticketscan version`: prints the version, and with `--json` what a report of a fault should contain. */
export const command = plainCommand({
  name: 'version',
  summary: 'Show the version. --json adds what a report of a fault should contain.',
  json: '{"version", "node", "sqlite", "platform", "installed", "program"}',
  help: EXAMPLES,
  run: (io, options) => showResult(io, options, versions(), VERSION),
});

function versions(): Record<string, unknown> {
  return {
    version: VERSION,
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? null,
    platform: `${process.platform}-${process.arch}`,
    ...installation(),
  };
}

/** How this program came to this machine. */
type Installation = 'checkout' | 'npm' | 'executable' | 'debian' | 'container' | 'folder';

const DEBIAN_FILES = '/var/lib/dpkg/info/ticketscan.list';
/** Docker and Podman put one of these into every container. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/** How this program was installed, and the file that runs. */
function installation(): { readonly installed: Installation; readonly program: string } {
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
