import { Command, Option } from 'commander';
import { addMintOptions, type MintFlags } from '../../check/commands/minter.ts';
import { collected, suggest, type TrustFlags, trustOptions } from '../../terminal/options.ts';
import { MODELS } from '../models/model-table.ts';

const [usual, ...others] = MODELS;
const WAIT_TIMES = [
  `${usual?.defaultWaitTime}`,
  ...others.map(({ id, defaultWaitTime }) => `${id} ${defaultWaitTime}`),
]
  .join(', ')
  .replace(',', ';');

/** The words of options that have only a few. */
export const CHOICES = {
  direction: ['in', 'out'],
  failMode: ['secure', 'safe'],
  arrivals: ['poisson', 'constant'],
  events: ['all', 'problems', 'none'],
} as const;

const SUGGESTED: Readonly<Record<string, readonly string[]>> = {
  ...CHOICES,
  cards: ['fresh'],
  model: MODELS.map(({ id }) => id),
  operation: ['consume', 'validate'],
};

/** What the command line gives, as text. */
export interface SimulateOptions extends TrustFlags, MintFlags {
  readonly key?: string;
  readonly model?: string;
  readonly deviceFile?: readonly string[];
  readonly serial?: string;
  readonly card?: string[];
  readonly cardsFrom?: string;
  readonly cards?: string;
  readonly states?: string;
  readonly operation?: string;
  readonly direction?: string;
  readonly reader?: string;
  readonly waitTime?: string;
  readonly heartbeat?: string;
  readonly failMode?: string;
  readonly antiRepeat?: string;
  readonly passTime?: string;
  readonly turnBack?: string;
  readonly clockOffset?: string;
  readonly devices?: string;
  readonly rate?: string;
  readonly arrivals?: string;
  readonly ramp?: string;
  readonly duration?: string;
  readonly people?: string;
  readonly think?: string;
  readonly faults?: string;
  readonly retries?: string;
  readonly retryAfter?: string;
  readonly seed?: string;
  readonly report?: string[];
  readonly expect?: string[];
  readonly scenario?: string[];
  readonly hook?: string[];
  readonly commands?: boolean;
  readonly events?: string;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly trace?: boolean;
}

const SERVER = 'Server:';

type Row = readonly [flags: string, description: string];

const GROUPS: readonly (readonly [string, readonly Row[]])[] = [
  [
    SERVER,
    [['--key <key>', 'API key of a hardware integration; env:NAME, file:PATH [TICKETSCAN_KEY]']],
  ],
  [
    'Cards:',
    [
      ['--card <card...>', 'QR images (PNG, JPEG) or ticket codes; env:NAME, file:PATH'],
      ['--cards-from <file>', 'target file, tickets.json, CSV with a column "code", or text'],
      ['--cards <fresh>', 'fresh: create a new single ticket for each person of this run'],
      ['--states <list>', 'tickets of a target file (default: those that may be used up)'],
    ],
  ],
  [
    'Device:',
    [
      [
        '--model <model>',
        `${MODELS.map(({ id }) => id).join(', ')}; or a mix: access-controller=6,bas-ip=3`,
      ],
      [
        '--device-file <file>',
        'device file (YAML), or a folder of them: names for --model; repeatable',
      ],
      ['--operation <op>', 'consume, validate; or a mix: consume=9,validate=1'],
      ['--serial <serial>', 'serial of the first device (default: SIM00001)'],
      ['--direction <direction>', 'in, or out for an exit: reader 1 (default: in)'],
      ['--reader <number>', 'reader index (default: 0; 1 with --direction out)'],
      [
        '--wait-time <time>',
        `how long it waits for an answer; a bare number is in units of 0.1 s (default: ${WAIT_TIMES})`,
      ],
      ['--heartbeat <time>', 'time between heartbeats, 0 for none (default: 5s)'],
      [
        '--fail-mode <mode>',
        'without an answer the door stays closed (secure, the default) or opens (safe)',
      ],
      [
        '--anti-repeat <time>',
        'time in which the same card is not posted again (default: 1s; 0 with --rate)',
      ],
      ['--pass-time <time>', 'time that a person takes to pass (default: 1s; 0 with --rate)'],
      ['--turn-back <p>', 'probability that a person turns back at the open door, 0 to 1'],
      ['--clock-offset <time>', "how far the device's clock is ahead: 90s, -365d"],
    ],
  ],
  [
    'Fleet:',
    [
      ['--devices <number>', 'number of devices, up to 10000 (default: 1)'],
      ['--rate <number>', 'people a second for all devices together, or max'],
      ['--arrivals <pattern>', 'poisson (default) or constant'],
      ['--ramp <time>', 'time in which the rate rises from zero'],
      ['--duration <time>', 'for how long people arrive, such as 30s or 5m'],
      ['--people <number>', 'number of people in total (default: one for each card)'],
      ['--think <time>', 'with --rate max: time from a free gate to the next person'],
      ['--faults <list>', 'reset=0.01,lost-answer=0.02 … or all=0.01 (see docs/simulate.md)'],
      ['--retries <number>', 'how often a person tries again when no answer comes'],
      ['--retry-after <time>', 'how long a person waits before that (default: 2s)'],
      ['--seed <text>', 'the same seed gives the same run; always printed'],
    ],
  ],
  [
    'Scenarios and commands:',
    [
      ['--scenario <file...>', 'run scenarios (YAML) and report a verdict for each'],
      ['--hook <name=command...>', 'command for a scenario that changes a real server'],
      [
        '--commands',
        'one device that reads JSON lines from stdin, {"present":"CODE"}, for check device --run',
      ],
    ],
  ],
  [
    'Results:',
    [
      ['--expect <threshold...>', 'p99<300ms, errors=0, granted=1200 …; exit code 1 if missed'],
      [
        '--report <format=file...>',
        'json, pretty, with scenarios json, junit; without a format, by the ending: .json, .txt, .xml',
      ],
      ['--events <which>', 'all, problems or none (default: all, large fleets none)'],
      ['--trace', 'print each request, the card in it and the answer on stderr, keys hidden'],
      ['--no-live', 'print lines instead of the live view'],
      ['--json', 'events as JSON lines, and the summary as the last'],
    ],
  ],
];

/** Gives the command all its options, in groups. */
export function addSimulateOptions(command: Command): Command {
  for (const [group, rows] of GROUPS) {
    for (const [flags, description] of rows) {
      const option = new Option(flags, description).helpGroup(group);
      if (option.attributeName() === 'deviceFile') option.argParser(collected);
      const words = SUGGESTED[option.attributeName()];
      command.addOption(words ? suggest(option, words) : option);
    }
  }
  const made = addMintOptions(new Command());
  for (const option of made.options) command.addOption(option.helpGroup('Fresh cards:'));
  for (const option of trustOptions()) command.addOption(option.helpGroup(SERVER));
  return command;
}
