import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isSea } from 'node:sea';
import { TicketscanError } from '../../core/errors.ts';

/** The names and files of the service. */
export const SERVICE = {
  user: 'ticketscan',
  unit: 'ticketscan.service',
  configFile: '/etc/ticketscan/config.json',
  dataFolder: '/var/lib/ticketscan',
  firstSignIn: '/var/lib/ticketscan/first-sign-in.txt',
} as const;

/** The settings that the service starts with: reachable from the network, over HTTPS from the first minute. */
export const FIRST_CONFIG = `${JSON.stringify(
  {
    store: `sqlite:${SERVICE.dataFolder}/ticketscan.db`,
    host: '0.0.0.0',
    port: 8443,
    tlsSelfSigned: true,
  },
  null,
  2,
)}\n`;

/**
 * The systemd unit of the service, for the Debian package and for `service install` alike. Its user stays: commands share its files.
 * @param program what starts the program, as absolute paths without spaces: the file, or Node and the file
 */
export function unitText(program: readonly string[]): string {
  return `[Unit]
Description=ticketscan, which answers whether a ticket may enter
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=${SERVICE.user}
Group=${SERVICE.user}
Environment=TICKETSCAN_CONFIG=${SERVICE.configFile}
Environment=TICKETSCAN_FIRST_SIGN_IN=${SERVICE.firstSignIn}
ExecStart=${program.join(' ')} serve
# Certificates are read again. The kill of the shell, because /bin/kill is in a package that small systems lack.
ExecReload=/bin/sh -c 'kill -HUP $MAINPID'
WorkingDirectory=${SERVICE.dataFolder}
StateDirectory=ticketscan
StateDirectoryMode=0700
UMask=0077
LimitNOFILE=65536
# A gate must open again by itself, whatever ended the program.
Restart=always
RestartSec=5

# What the program does not need, it cannot do.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
LockPersonality=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/**
 * What people start as `ticketscan` where the service is installed: the program with the configuration of the service, so that
 * `sudo ticketscan keys create` works on the data of the service in any folder. A configuration that is named or lies in the working
 * folder comes first.
 * @param program absolute path of the program
 */
export function launcherText(program: string): string {
  return `#!/bin/sh
if [ -z "\${TICKETSCAN_CONFIG-}" ] && [ ! -e ticketscan.config.json ]; then
  if [ -r ${SERVICE.configFile} ]; then
    export TICKETSCAN_CONFIG=${SERVICE.configFile}
  elif [ -e ${SERVICE.configFile} ] && [ -t 2 ]; then
    echo "ticketscan: this user cannot read ${SERVICE.configFile}, so this command does not use the data of the service. To use it, add sudo." >&2
  fi
fi
exec ${program} "$@"
`;
}

/** The file of the unit. Files without a package are below /usr/local, and the unit is where administrators keep theirs. */
const UNIT_FILE = `/etc/systemd/system/${SERVICE.unit}`;
const PROGRAM_FILE = '/usr/local/lib/ticketscan/ticketscan';
const LAUNCHER_FILE = '/usr/local/bin/ticketscan';

/** One change of the machine. */
export interface Step {
  /** A text for people that says what it does, and begins with a verb. */
  readonly text: string;
  /** The future content of a file, if it is shown before. */
  readonly content?: string;
  run(): void;
}

/**
 * What installing changes, in this order. Settings and data that exist stay as they are, so that installing again is an upgrade.
 * @param start false for a machine that is not running, such as an image: the service then starts with the machine
 */
export function installSteps(program: Program, start: boolean): Step[] {
  return [
    ...userSteps(),
    ...folderSteps(),
    ...(program.single ? programSteps(program.file) : []),
    writeStep(UNIT_FILE, unitText(program.single ? [LAUNCHER_FILE] : program.command)),
    ...(start ? [systemctl('daemon-reload')] : []),
    systemctl('enable', SERVICE.unit),
    ...(start ? [systemctl('restart', SERVICE.unit)] : []),
  ];
}

/** The steps of uninstalling. Settings, data and user stay. */
export function uninstallSteps(isRunning: boolean): Step[] {
  const files = [UNIT_FILE, PROGRAM_FILE, ...(isOurLauncher() ? [LAUNCHER_FILE] : [])];
  return [
    systemctl('disable', ...(isRunning ? ['--now'] : []), SERVICE.unit),
    ...files.filter((path) => existsSync(path)).map(removeStep),
    ...(isRunning ? [systemctl('daemon-reload')] : []),
  ];
}

/** True where `service install` has installed the service. */
export function isInstalled(): boolean {
  return existsSync(UNIT_FILE);
}

function userSteps(): Step[] {
  if (serviceUser()) return [];
  const { user, dataFolder } = SERVICE;
  const home = ['--home-dir', dataFolder, '--no-create-home', '--shell', '/usr/sbin/nologin'];
  const text = `create the system user ${user}`;
  return [{ text, run: () => void run('useradd', '--system', '--user-group', ...home, user) }];
}

function folderSteps(): Step[] {
  const { configFile, dataFolder } = SERVICE;
  const steps: Step[] = [];
  if (!existsSync(dataFolder)) {
    steps.push({
      text: `create ${dataFolder}, for the service only`,
      run: () => {
        mkdirSync(dataFolder, { mode: 0o700 });
        own(dataFolder, 'user');
      },
    });
  }
  if (!existsSync(configFile)) {
    steps.push({
      ...writeStep(configFile, FIRST_CONFIG),
      run: () => {
        writeFile(configFile, FIRST_CONFIG, 0o640);
        own(configFile, 'group');
      },
    });
  }
  return steps;
}

function programSteps(file: string): Step[] {
  const copy = {
    text: `copy the program to ${PROGRAM_FILE}`,
    run: () => {
      mkdirSync(dirname(PROGRAM_FILE), { recursive: true, mode: 0o755 });
      // A running program cannot be written over, but replaced.
      copyFileSync(file, `${PROGRAM_FILE}.new`);
      chmodSync(`${PROGRAM_FILE}.new`, 0o755);
      renameSync(`${PROGRAM_FILE}.new`, PROGRAM_FILE);
    },
  };
  const launcher = {
    text: `write ${LAUNCHER_FILE}, which starts it with the settings of the service`,
    run: () => writeFile(LAUNCHER_FILE, launcherText(PROGRAM_FILE), 0o755),
  };
  return [...(file === PROGRAM_FILE ? [] : [copy]), launcher];
}

/** Another program of that name may lie there, such as one from npm. */
function isOurLauncher(): boolean {
  return (
    existsSync(LAUNCHER_FILE) && readFileSync(LAUNCHER_FILE, 'utf8') === launcherText(PROGRAM_FILE)
  );
}

function writeStep(path: string, content: string): Step {
  return { text: `write ${path}`, content, run: () => writeFile(path, content, 0o644) };
}

function removeStep(path: string): Step {
  return { text: `remove ${path}`, run: () => rmSync(path) };
}

function systemctl(...args: readonly string[]): Step {
  return { text: `systemctl ${args.join(' ')}`, run: () => void run('systemctl', ...args) };
}

function writeFile(path: string, content: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  // A unit that was masked, as a removed package leaves it, is a link to /dev/null: the link is replaced, not its target.
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, content, { flag: 'wx' });
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}

function own(path: string, who: 'user' | 'group'): void {
  const { uid, gid } = serviceUser() ?? { uid: 0, gid: 0 };
  chownSync(path, who === 'user' ? uid : 0, gid);
}

/** The units of packages; those of an administrator are in /etc. */
const PACKAGED_UNITS = ['/usr/lib/systemd/system', '/lib/systemd/system'];
/** The unit hides these folders from the service. */
const HIDDEN_FOLDERS = /^\/(home|root|run\/user|tmp|var\/tmp)\//;

/** True where the unit comes from a package of the system, which then also installs and removes the service. */
export function isPackaged(): boolean {
  return PACKAGED_UNITS.some((folder) => existsSync(`${folder}/${SERVICE.unit}`));
}

export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system');
}

/** @throws TicketscanError `usage` where no systemd runs, with another way */
export function requireSystemd(): void {
  if (hasSystemd()) return;
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
function serviceUser(): { uid: number; gid: number } | undefined {
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
