import { type Command, Option } from '@commander-js/extra-typings';
import { TicketscanError } from '../../core/errors.ts';
import { addMinterOptions, type MinterFlags } from '../../features/mint/commands/minter.ts';
import { DAY_MS, readDuration } from '../../kit/durations.ts';
import { didYouMean } from '../../kit/nearest.ts';
import type { OptionsOf } from '../../terminal/command.ts';
import {
  collected,
  durationFor,
  FORCE,
  groupOptions,
  suggest,
  TRUST_TARGET,
  type TrustFlags,
  trustOptions,
  wholeNumberFor,
} from '../../terminal/options.ts';
import { DEVICES_MAX, type Weighted } from '../fleet/fleet.ts';
import { MODEL_IDS, MODELS } from '../models/models.ts';
import { FAULT_KINDS, type FaultKind, isFaultKind } from '../wire.ts';

const WAIT_TIMES = MODELS.map(({ id, defaultWaitTime }) => `${id} ${defaultWaitTime}`).join(', ');
/** A run may take long. */
const LONG = { to: 365 * DAY_MS };
const OR_NONE = { from: 0 };
const OPERATIONS = ['consume', 'validate'] as const;

/** What the command line gives, read. */
export type SimulateOptions = OptionsOf<typeof cardOptions> &
  OptionsOf<typeof deviceOptions> &
  OptionsOf<typeof timeOptions> &
  OptionsOf<typeof fleetOptions> &
  OptionsOf<typeof scenarioOptions> &
  OptionsOf<typeof resultOptions> &
  TrustFlags &
  MinterFlags & { readonly key?: string };

/** Gives the command its options, in groups. */
export function addSimulateOptions(command: Command): void {
  const plain = command as unknown as Parameters<typeof addMinterOptions>[0];
  plain
    .optionsGroup('Server:')
    .option(
      '--key <key>',
      'API key of a hardware integration; env:NAME, file:PATH [TICKETSCAN_KEY]',
    );
  for (const option of trustOptions()) plain.addOption(option.helpGroup('Server:'));
  cardOptions(command.optionsGroup('Cards:'));
  deviceOptions(command.optionsGroup('Device:'));
  timeOptions(command);
  fleetOptions(command.optionsGroup('Fleet:'));
  scenarioOptions(command.optionsGroup('Scenarios and commands:'));
  resultOptions(command.optionsGroup('Results:'));
  addMinterOptions(plain.optionsGroup('Fresh cards:'));
  groupOptions(command, {
    'First of all': ['--key', '--card', '--cards-from', '--model', '--rate'],
  });
}

function cardOptions(command: Command) {
  return command
    .option('--card <card...>', 'QR images (PNG, JPEG) or ticket codes; env:NAME, file:PATH')
    .option('--cards-from <file>', 'target file, tickets.json, CSV with a column "code", or text')
    .addOption(
      new Option(
        '--cards <fresh>',
        'fresh: create a new single ticket for each person of this run',
      ).choices(['fresh']),
    )
    .option(...TRUST_TARGET)
    .option('--states <list>', 'tickets of a target file (default: those that may be used up)');
}

function deviceOptions(command: Command) {
  return command
    .addOption(
      suggest(
        new Option(
          '--model <model>',
          `${MODEL_IDS.join(', ')}; or a mix: access-controller=6,bas-ip=3`,
        ).argParser((text) => weightsIn('--model', text)),
        MODEL_IDS,
      ),
    )
    .addOption(
      new Option(
        '--device-file <file>',
        'device file (YAML), or a folder of them: names for --model; repeatable',
      ).argParser<string[]>(collected),
    )
    .addOption(
      suggest(
        new Option(
          '--operation <op>',
          'consume, validate; or a mix: consume=9,validate=1',
        ).argParser(operationsIn),
        OPERATIONS,
      ),
    )
    .option('--serial <serial>', 'serial of the first device (default: SIM00001)')
    .addOption(
      new Option(
        '--direction <direction>',
        'which way people go; an exit is reader 1 (default: in)',
      ).choices(['in', 'out'] as const),
    )
    .option(
      '--reader <number>',
      'reader index (default: 0; 1 with --direction out)',
      wholeNumberFor('--reader', 0, 255),
    )
    .option(
      '--turn-back <p>',
      'probability that a person turns back at the open door, 0 to 1',
      (text) => numberIn('--turn-back', text, 1),
    );
}

function timeOptions(command: Command) {
  return command
    .option(
      '--wait-time <time>',
      `how long it waits for an answer; a bare number is in units of 0.1 s (default: ${WAIT_TIMES})`,
      waitTimeIn,
    )
    .option(
      '--heartbeat <time>',
      'time between heartbeats, 0 for none (default: 5s)',
      durationFor('--heartbeat', OR_NONE),
    )
    .addOption(
      new Option(
        '--fail-mode <mode>',
        'without an answer the door stays closed (secure, the default) or opens (safe)',
      ).choices(['secure', 'safe'] as const),
    )
    .option(
      '--anti-repeat <time>',
      'time in which the same card is not posted again (default: 1s; 0 with --rate)',
      durationFor('--anti-repeat', { from: 0, to: 3_600_000 }),
    )
    .option(
      '--pass-time <time>',
      'time that a person takes to pass (default: 1s; 0 with --rate)',
      durationFor('--pass-time', { from: 0, to: 600_000 }),
    )
    .option(
      '--clock-offset <time>',
      "how far the device's clock is ahead: 90s, -365d",
      clockOffsetIn,
    );
}

function fleetOptions(command: Command) {
  return command
    .option(
      '--devices <number>',
      `number of devices, up to ${DEVICES_MAX} (default: 1)`,
      wholeNumberFor('--devices', 1, DEVICES_MAX),
    )
    .option('--rate <number>', 'people a second for all devices together, or max', rateIn)
    .addOption(
      new Option('--arrivals <pattern>', 'how people arrive (default: poisson)').choices([
        'poisson',
        'constant',
      ] as const),
    )
    .option(
      '--ramp <time>',
      'time in which the rate rises from zero',
      durationFor('--ramp', OR_NONE),
    )
    .option(
      '--duration <time>',
      'for how long people arrive, such as 30s or 5m',
      durationFor('--duration', LONG),
    )
    .option(
      '--people <number>',
      'number of people in total (default: one for each card)',
      wholeNumberFor('--people'),
    )
    .option(
      '--think <time>',
      'with --rate max: time from a free gate to the next person',
      durationFor('--think', OR_NONE),
    )
    .option(
      '--faults <list>',
      'reset=0.01,lost-answer=0.02 … or all=0.01 (ticketscan docs simulate)',
      faultsIn,
    )
    .option(
      '--retries <number>',
      'how often a person tries again when no answer comes',
      wholeNumberFor('--retries', 0),
    )
    .option(
      '--retry-after <time>',
      'how long a person waits before that (default: 2s)',
      durationFor('--retry-after', OR_NONE),
    )
    .option('--seed <text>', 'the same seed gives the same run; always printed');
}

function scenarioOptions(command: Command) {
  return command
    .option('--scenario <file...>', 'run scenarios (YAML) and report a verdict for each')
    .option('--hook <name=command...>', 'command for a scenario that changes a real server')
    .option(
      '--commands',
      'one device that reads JSON lines from stdin, {"present":"CODE"}, for check device --run',
    );
}

function resultOptions(command: Command) {
  return command
    .option('--expect <threshold...>', 'p99<300ms, errors=0, granted=1200 …; exit code 1 if missed')
    .option(
      '--report <format=file...>',
      'json, pretty, with scenarios json, junit; without a format, by the ending: .json, .txt, .xml',
    )
    .option(...FORCE)
    .addOption(
      new Option(
        '--events <which>',
        'all, problems or none (default: all of one device, none of a fleet)',
      ).choices(['all', 'problems', 'none'] as const),
    )
    .option('--trace', 'print each request, the card in it and the answer on stderr, keys hidden')
    .option('--no-live', 'print lines instead of the live view')
    .option('--json', 'events as JSON lines, and the summary as the last');
}

function usage(message: string): TicketscanError {
  return new TicketscanError('usage', message);
}

/** Reads a Wait Time in units of 0.1 s, as devices count. */
function waitTimeIn(text: string): number {
  const read = durationFor('--wait-time', { from: 100, to: 600_000, bareMs: 100 });
  const units = Math.round(read(text) * 1000) / 100_000;
  if (Number.isInteger(units)) return units;
  throw usage(`--wait-time must be a multiple of 0.1 s, not "${text}".`);
}

/** Milliseconds; negative is behind. */
function clockOffsetIn(text: string): number {
  const amount = readDuration(text.replace(/^-/, ''));
  if (amount !== undefined) return text.startsWith('-') ? -amount : amount;
  throw usage(`--clock-offset must be a duration such as 90s or -365d, not "${text}".`);
}

function rateIn(text: string): number | 'max' {
  const rate = Number(text);
  if (text === 'max') return 'max';
  if (text.trim() !== '' && rate > 0 && rate <= 1e6) return rate;
  throw usage(`--rate must be max, or a number of people a second above 0, not "${text}".`);
}

function numberIn(option: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= most) return value;
  throw usage(`${option} must be a number from 0 to ${most}, not "${text}".`);
}

/** `reset=0.01,lost-answer=0.02`, or `all=0.01` for each of them. */
function faultsIn(text: string): Partial<Record<FaultKind, number>> {
  const faults: Partial<Record<FaultKind, number>> = {};
  for (const { value, weight } of weightsIn('--faults', text, Number.NaN)) {
    if (Number.isNaN(weight)) throw usage(`--faults: write a probability, ${value}=0.01.`);
    if (value === 'all') for (const kind of FAULT_KINDS) faults[kind] = weight;
    else if (isFaultKind(value)) faults[value] = weight;
    else {
      const known = [...FAULT_KINDS, 'all'];
      throw usage(
        `Unknown fault "${value}".${didYouMean(value, known)} Known faults: ${known.join(', ')}.`,
      );
    }
  }
  return faults;
}

function operationsIn(text: string): Weighted<(typeof OPERATIONS)[number]>[] {
  return weightsIn('--operation', text).map(({ value, weight }) => {
    const operation = OPERATIONS.find((one) => one === value);
    if (operation) return { value: operation, weight };
    throw usage(`--operation must be consume or validate, not "${value}".`);
  });
}

/** `access-controller=6,bas-ip=3`, or one name alone. */
function weightsIn(option: string, text: string, without = 1): Weighted<string>[] {
  return text.split(',').map((part) => {
    const [value = '', weight] = part.trim().split('=');
    if (value === '') throw usage(`${option} "${text}" has an empty part. Remove the comma.`);
    return { value, weight: weight === undefined ? without : numberIn(option, weight, 1e6) };
  });
}
