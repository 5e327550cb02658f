import { TicketscanError } from '../../core/errors.ts';
import { builtInNames, DeviceFileError, loadDeviceFiles } from '../../device-files/load.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import { commandGroup, plainCommand } from '../../terminal/command.ts';
import type { CliIo } from '../../terminal/io.ts';
import { showResult, table } from '../../terminal/results.ts';

const helpWith = (names: readonly string[]) => `
Examples:
  ticketscan device-files check gatex.yaml
  ticketscan device-files check /etc/ticketscan/devices
  ticketscan device-files check control-id        one that comes with ticketscan

A device file describes a turnstile or reader in YAML: how its requests are read, and how they are answered.
serve --device-file FILE loads it, keys edit "Gate 1" --device NAME uses it for the devices of a key.
These come with ticketscan: ${names.join(', ')}.
ticketscan docs device-files has the format. Exit code 2 when a file cannot be used, with file, line and column.`;

/** `ticketscan device-files`: checks descriptions of devices. */
export function command(io: CliIo) {
  return commandGroup(io, 'device-files', {
    summary: 'Check device files, which describe turnstiles and readers in YAML.',
    help: helpWith(builtInNames()),
    commands: [checkCommand],
  });
}

const checkCommand = plainCommand({
  name: 'check',
  summary: 'Check device files as serve does when it loads them.',
  argument: [
    '<path>',
    'a device file, or a folder of them, or the name of one that comes with ticketscan',
  ],
  json: 'a JSON array',
  run: (io, options, path) => {
    const files = filesAt(path);
    showResult(io, options, files.map(factsOf), table(HEADS, files.map(rowOf)));
  },
});

/** @throws TicketscanError `usage` that names file, line and column */
function filesAt(path: string): DeviceFile[] {
  try {
    return loadDeviceFiles(path);
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
}

const HEADS = ['NAME', 'TITLE', 'PROVEN BY', 'REQUESTS', 'SIMULATED'];

function factsOf({ name, title, proven, requests, simulate }: DeviceFile) {
  const kinds = requests.map(({ kind, method = 'POST', path }) => ({
    kind,
    method,
    path: path ?? null,
  }));
  return { name, title, proven, requests: kinds, simulated: simulate !== undefined };
}

function rowOf(file: DeviceFile): string[] {
  const { name, title, proven, requests, simulated } = factsOf(file);
  const kinds = requests.map(({ kind, path }) => (path === null ? kind : `${kind} ${path}`));
  return [name, sanitizeForTerminal(title), proven, kinds.join(', '), simulated ? 'yes' : 'no'];
}
