import { setTimeout } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { commandGroup, type OptionsOf, plainCommand } from '../../terminal/command.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { table } from '../../terminal/results.ts';
import {
  hasSystemd,
  installSteps,
  isInstalled,
  isPackaged,
  refusePackaged,
  requireRoot,
  requireSystemd,
  run,
  SERVICE,
  type Step,
  thisProgram,
  uninstallSteps,
} from './install.ts';

const HELP = `
Examples:
  ticketscan service install --dry-run   show every change, make none
  sudo ticketscan service install        install and start it, or upgrade it to this program
  ticketscan service status
  journalctl --unit ticketscan           what it writes

Settings are in ${SERVICE.configFile}, data in ${SERVICE.dataFolder}. The service runs as the user ${SERVICE.user}, which may
write nowhere else. Needs Linux with systemd. The Debian package installs the same service.`;

/** A wrong setting ends the program within this time; systemd then waits five seconds before it starts it again. */
const STARTED_AFTER_MS = 3000;

/** `ticketscan service`: the server as a service of this machine. */
export function command(io: CliIo) {
  return commandGroup(io, 'service', {
    summary: 'Install the server as a service of this machine (systemd).',
    help: HELP,
    commands: [installCommand, uninstallCommand, statusCommand],
  });
}

/** `start` is false with `--no-start`. */
const changeOptions = (noStart: string) => (command: Command) =>
  command.option('--dry-run', 'only show what it would do').option('--no-start', noStart);

type ChangeOptions = OptionsOf<ReturnType<typeof changeOptions>>;

const installCommand = plainCommand({
  name: 'install',
  summary: 'Install and start the service, or upgrade it to this program. Keeps settings and data.',
  options: changeOptions('install without starting, for the image of a machine'),
  run: async (io, options) => {
    refusePackaged();
    const program = thisProgram();
    if (!change(io, options, () => installSteps(program, options.start))) return;
    if (options.start) await requireActive();
    const withConfig = program.single ? '' : ` --config ${SERVICE.configFile}`;
    note(io, `Settings: ${SERVICE.configFile}. After a change: sudo systemctl restart ticketscan`);
    note(io, `To sign in for the first time: sudo cat ${SERVICE.firstSignIn}`);
    note(io, `Commands for the service, for example: sudo ticketscan keys list${withConfig}`);
  },
});

const uninstallCommand = plainCommand({
  name: 'uninstall',
  summary: 'Stop and remove the service. Keeps settings and data.',
  options: changeOptions('do not stop it, for the image of a machine'),
  run: (io, options) => {
    if (!isInstalled()) {
      refusePackaged();
      throw new TicketscanError('not_found', 'The service is not installed on this machine.');
    }
    if (!change(io, options, () => uninstallSteps(options.start))) return;
    const kept = `/etc/ticketscan and ${SERVICE.dataFolder}`;
    note(io, `Settings and data are kept in ${kept}. To delete them, with all`);
    note(io, `tickets and signing keys: sudo rm -r /etc/ticketscan ${SERVICE.dataFolder}`);
  },
});

/** Changes the machine, or with `--dry-run` only shows how. @returns whether it changed anything */
function change(io: CliIo, { dryRun, start }: ChangeOptions, stepsFor: () => Step[]): boolean {
  if (dryRun) {
    for (const { text, content } of stepsFor()) {
      io.out(text);
      for (const line of content?.trimEnd().split('\n') ?? []) io.out(`    ${line}`.trimEnd());
    }
    return false;
  }
  if (start) requireSystemd();
  requireRoot();
  run('systemctl', '--version');
  for (const step of stepsFor()) perform(io, step);
  return true;
}

function perform(io: CliIo, step: Step): void {
  try {
    step.run();
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    const message = `Cannot ${step.text}: ${fileFailure(error)}.`;
    throw new TicketscanError('usage', message, { cause: error });
  }
  io.out(step.text);
}

const statusCommand = plainCommand({
  name: 'status',
  summary: 'Show whether the service is installed, runs and starts with the machine.',
  json: '{"installedBy", "state", "enabled", "config", "data"}',
  run: (io, { json }) => {
    const status = hasSystemd() ? statusOfService() : WITHOUT_SYSTEMD;
    if (json) io.out(JSON.stringify(status));
    else for (const line of linesOf(status)) io.out(line);
    io.exit(status.state === 'active' ? 0 : 1);
  },
});

interface Status {
  /** What installed the service; null where it is not installed. */
  readonly installedBy: 'package' | 'ticketscan service install' | null;
  /** The state that systemd tells: active, inactive, failed, activating and so on. */
  readonly state: string;
  /** Whether it starts with the machine. */
  readonly enabled: boolean;
  readonly config: string;
  readonly data: string;
}

/** The status on a machine where the service cannot run: the answer is no, not an error. */
const WITHOUT_SYSTEMD: Status = {
  installedBy: null,
  state: 'no systemd',
  enabled: false,
  config: SERVICE.configFile,
  data: SERVICE.dataFolder,
};

function statusOfService(): Status {
  const shown = run('systemctl', 'show', SERVICE.unit, '--property=ActiveState,UnitFileState');
  const facts = new Map(shown.split('\n').map((line) => line.split('=', 2) as [string, string]));
  const byCommand = isInstalled() ? 'ticketscan service install' : null;
  return {
    installedBy: isPackaged() ? 'package' : byCommand,
    state: facts.get('ActiveState') ?? 'unknown',
    enabled: facts.get('UnitFileState') === 'enabled',
    config: SERVICE.configFile,
    data: SERVICE.dataFolder,
  };
}

function linesOf({ installedBy, state, enabled, config, data }: Status): string[] {
  if (state === WITHOUT_SYSTEMD.state)
    return [
      'The service is not installed: this machine has no systemd. Run the server otherwise: ticketscan serve',
    ];
  if (installedBy === null) {
    return ['The service is not installed. Install it with: sudo ticketscan service install'];
  }
  const rows = [
    ['state', state],
    ['starts with the machine', enabled ? 'yes' : 'no'],
    ['installed by', installedBy],
    ['settings', config],
    ['data', data],
  ];
  return [...table(['', ''], rows).slice(1), 'What it writes: journalctl --unit ticketscan'];
}

/** A service that ends again at once has a reason, which its log tells. */
async function requireActive(): Promise<void> {
  await setTimeout(STARTED_AFTER_MS);
  if (statusOfService().state === 'active') return;
  throw new TicketscanError(
    'usage',
    'The service is installed but does not run. To see why: journalctl --unit ticketscan --lines 20',
  );
}
