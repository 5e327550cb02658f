import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { isSea } from 'node:sea';
import { TicketscanError } from '../../../core/errors.ts';
import { SERVICE } from './unit.ts';

/** The units of packages; those of an administrator are in /etc. */
const PACKAGED_UNITS = ['/usr/lib/systemd/system', '/lib/systemd/system'];
/** The unit hides these folders from the service. */
const HIDDEN_FOLDERS = /^\/(home|root|run\/user|tmp|var\/tmp)\//;

/** True where the unit comes from a package of the system, which then also installs and removes the service. */
export function isPackaged(): boolean {
  return PACKAGED_UNITS.some((folder) => existsSync(`${folder}/${SERVICE.unit}`));
}

/** @throws TicketscanError `usage` where no systemd runs, with another way */
export function requireSystemd(): void {
  if (existsSync('/run/systemd/system')) return;
  throw new TicketscanError(
    'usage',
    'systemd does not run on this machine, so it has no services that this command could manage. Let the service manager ' +
      `of this machine run \`ticketscan serve --config ${SERVICE.configFile}\` as a user of its own.`,
  );
}

/** @throws TicketscanError `not_allowed` for anybody but root */
export function requireRoot(): void {
  if (process.geteuid?.() === 0) return;
  throw new TicketscanError(
    'not_allowed',
    'Only root can change the services of this machine: run the command with sudo. `ticketscan service install --dry-run` shows what ' +
      'it would do.',
  );
}

/** @throws TicketscanError `conflict` where the package of the system has the service */
export function refusePackaged(): void {
  if (!isPackaged()) return;
  throw new TicketscanError(
    'conflict',
    'The Debian package ticketscan has installed the service. Use `sudo systemctl restart ticketscan` to restart it, and apt to upgrade or ' +
      'remove it.',
  );
}

/** The single executable, which is copied to where the service can read it; or Node and the script, which stay where they are. */
export type Program =
  | { readonly single: true; readonly file: string }
  | { readonly single: false; readonly command: readonly [string, string] };

/** @throws TicketscanError `usage` for a program that the service could not start */
export function thisProgram(): Program {
  if (isSea()) return { single: true, file: process.execPath };
  const command = [process.execPath, realpathSync(process.argv[1] ?? '')] as const;
  for (const path of command) {
    if (HIDDEN_FOLDERS.test(path) || /\s/.test(path)) {
      throw new TicketscanError(
        'usage',
        `The service could not start ${path}: it cannot read /home, /root and /tmp, nor paths with spaces. Install Node and ` +
          'ticketscan for all users (sudo npm install --global), or use the single executable.',
      );
    }
  }
  return { single: false, command: [...command] };
}

/** The numbers of the service's user; undefined while there is no such user. */
export function serviceUser(): { uid: number; gid: number } | undefined {
  try {
    const line = execFileSync('getent', ['passwd', SERVICE.user], { encoding: 'utf8' });
    const [, , uid, gid] = line.split(':');
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

/**
 * Runs a program of the system and returns what it writes.
 * @throws TicketscanError `usage` with the command and what it wrote on stderr
 */
export function run(command: string, ...args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr, code } = error as { stderr?: string; code?: string };
    const why = code === 'ENOENT' ? 'the command does not exist' : stderr?.trim();
    throw new TicketscanError('usage', `${command} ${args.join(' ')} failed: ${why}`, {
      cause: error,
    });
  }
}
