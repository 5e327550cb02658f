import { Command, InvalidArgumentError, Option } from 'commander';
import { TLS_KEY_TYPES } from '../../../kit/served-tls.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { durationFor, parsePort } from '../../../terminal/options.ts';
import { MODELS } from '../../device/formats/models.ts';
import { asCommand, flagsOf } from '../explore-options.ts';
import { addReportOptions } from '../report-options.ts';
import type { DeviceFlags } from './judge-device.ts';

const EXAMPLES = `
Examples:
  ticketscan check device                                      a controller on your desk, with questions
  ticketscan check device --sheet codes.pdf --session gate.json
  ticketscan check device --resume gate.json                   goes on after Ctrl-C
  ticketscan check device --run "ticketscan simulate --commands" --report device.html
  ticketscan check device --device-file gatex.yaml             a device that a file describes
  ticketscan check device --client --run "node gate.js"        own software at the REST endpoints
  ticketscan check device --list
  ticketscan check device --explain 4.6/device-opens-on-grant

This program is the server: set the device up with the address and the key that it prints. Both are for this session only, and the codes
open nothing. ticketscan docs device-check shows a session, and what a program of --run reads and writes.
Exit codes: 0 nothing failed, 1 something failed, 2 wrong usage, 3 the program of --run ended early, 130 interrupted by Ctrl-C.`;

const GROUPS: Readonly<Record<string, readonly Option[]>> = {
  'What is judged:': [
    new Option('--client', 'own software at the REST endpoints, in place of a device'),
    new Option('--run <command>', 'a program that acts and answers in place of a person'),
    new Option(
      '--model <model>',
      `the model: ${MODELS.join(', ')}, or a name among the device files (default: the first card shows it)`,
    ),
    new Option(
      '--device-file <file>',
      'judge by a device file (YAML), a folder of them, or one that comes with ticketscan',
    ),
  ],
  'Server of the session:': [
    new Option(
      '--host <address>',
      'address to listen on (default: all addresses; with --run 127.0.0.1)',
    ),
    new Option('--port <number>', 'TCP port (default: any free one)').argParser(parsePort),
    new Option('--public-host <host>', 'the address of this machine as the device reaches it'),
    new Option('--tls-self-signed', 'HTTPS, with a certificate that is made for the session'),
    new Option(
      '--tls-key-type <type>',
      'key type of the certificate: rsa for devices that know only RSA (default: ec)',
    ).choices(TLS_KEY_TYPES),
  ],
  'How the device is set up:': [
    new Option(
      '--wait-time <time>',
      'how long it waits for an answer; a bare number is in units of 0.1 s (default: of the device file, else 30)',
    ).argParser(durationFor('--wait-time', { from: 100, to: 600_000, bareMs: 100 })),
    new Option(
      '--heartbeat <time>',
      'time between heartbeats (default: of the device file, else 5s)',
    ).argParser(durationFor('--heartbeat')),
    new Option(
      '--fail-mode <mode>',
      'without an answer the door stays closed (secure, the default) or opens (safe)',
    ).choices(['secure', 'safe']),
    new Option(
      '--anti-repeat <time>',
      'time in which a card is not posted again (default: 1s)',
    ).argParser(durationFor('--anti-repeat', { from: 0 })),
    new Option('--boot <time>', 'time from power on until it reads cards (default: 3s)').argParser(
      durationFor('--boot', { from: 0 }),
    ),
    new Option('--reaction <time>', 'time that a reaction may take (default: 1500ms)').argParser(
      durationFor('--reaction', { from: 0 }),
    ),
    new Option(
      '--open-times <a,b>',
      'the two times for which the door is opened, in seconds (default: 2,6)',
    ).argParser(openTimes),
  ],
  'Session:': [
    new Option('--session <file>', 'where the session is kept while it runs'),
    new Option('--resume <file>', 'go on with a session that was interrupted'),
    new Option('--sheet <file>', 'also print every code of the session as a PDF'),
  ],
};

/** `ticketscan check device`: a device, or client software, judged by a server that answers it well and badly. */
export function deviceCommand(io: CliIo): Command {
  const command = new Command('device').description(
    'Judge a device on your desk, or your own client software: what it sends, and what it does with each answer.',
  );
  return addDeviceOptions(command).action((_flags: DeviceFlags, self: Command) =>
    asCommand(async () => {
      const { judgeDevice } = await import('./judge-device.ts');
      await judgeDevice(flagsOf<DeviceFlags>(self), io);
    }),
  );
}

/** Gives the command its options, in groups. */
function addDeviceOptions(command: Command): Command {
  for (const [group, options] of Object.entries(GROUPS))
    for (const option of options) command.addOption(option.helpGroup(group));
  command
    .option('--only <id...>', 'only these cases: ids, sections or globs such as "4.5/*"')
    .option('--skip <id...>', 'all cases but these')
    .option('--fast', 'only the scenes that show the dangerous faults: 40 s with --wait-time 1s')
    .option('--list', 'list the cases and run none')
    .option('--explain <id>', 'explain a case, or print a section of the specification');
  return addReportOptions(command).addHelpText('after', EXAMPLES);
}

function openTimes(text: string): readonly [number, number] {
  const [first, second, ...more] = text.split(',').map(Number);
  const isGood = first !== undefined && second !== undefined && first > 0 && second > first;
  if (isGood && more.length === 0 && second <= 60) return [first, second];
  throw new InvalidArgumentError(
    'It must be two numbers of seconds, such as 2,4: the second larger, up to 60.',
  );
}
