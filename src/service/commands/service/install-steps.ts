import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { launcherText } from './launcher.ts';
import { type Program, run, serviceUser } from './machine.ts';
import { FIRST_CONFIG, SERVICE, unitText } from './unit.ts';

/** Where the files go that are no package's: below /usr/local, and the unit where administrators keep theirs. */
const UNIT_FILE = `/etc/systemd/system/${SERVICE.unit}`;
const PROGRAM_FILE = '/usr/local/lib/ticketscan/ticketscan';
const LAUNCHER_FILE = '/usr/local/bin/ticketscan';

/** One change of the machine. */
export interface Step {
  /** What it does, for people: begins with a verb. */
  readonly text: string;
  /** What a file will contain, where that is worth showing before. */
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

/** What uninstalling changes: settings, data and user stay. */
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
  writeFileSync(`${path}.new`, content);
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}

function own(path: string, who: 'user' | 'group'): void {
  const { uid, gid } = serviceUser() ?? { uid: 0, gid: 0 };
  chownSync(path, who === 'user' ? uid : 0, gid);
}
