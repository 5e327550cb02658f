import { Command } from 'commander';
import { counted } from '../../kit/text.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { showResult } from '../../terminal/results.ts';
import { type CompareResult, compare } from '../index.ts';
import { announce, atOnce, seedFrom } from './explore-command.ts';
import {
  addSharedOptions,
  asCommand,
  type ConnectFlags,
  connectOptions,
  flagsOf,
  wholeNumber,
} from './explore-options.ts';

interface CompareFlags extends ConnectFlags {
  readonly seed?: number;
  readonly budget: number;
  readonly parallel?: number;
}

const EXAMPLES = `
Examples:
  ticketscan check compare old.json new.json --consume
  ticketscan check compare old.json new.json --consume --seed 4711 --json

Both target files should have the same number of tickets of each kind, with the same uses.
Exit codes: 0 no stated difference, 1 a stated difference, 2 wrong usage, 3 unreachable, 130 Ctrl-C.`;

/** `ticketscan check compare`: the same history to two servers. */
export function compareCommand(io: CliIo): Command {
  const command = new Command('compare')
    .description('Send the same random history to two services, and report how they differ.')
    .argument('<a>', 'target file of the first, with its baseUrl')
    .argument('<b>', 'target file of the second')
    .option('--consume', 'allow to take uses of the tickets in both target files')
    .option('--seed <number>', 'the same seed sends the same requests (default: random)', seedFrom)
    .option('--budget <number>', 'requests to each service', wholeNumber, 1000)
    .option('--parallel <number>', 'requests at once: 1 to 64', atOnce, 8);
  return addSharedOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((a: string, b: string, _: object, self: Command) =>
      asCommand(() => run(a, b, flagsOf<CompareFlags>(self), io)),
    );
}

async function run(a: string, b: string, flags: CompareFlags, io: CliIo): Promise<void> {
  const { seed, budget, parallel } = flags;
  const result = await compare({
    a: connectOptions(undefined, { ...flags, target: a }, io),
    b: connectOptions(undefined, { ...flags, target: b }, io),
    seed,
    budget,
    parallel,
    signal: io.stopSignal(),
    onStart: (start, target) => {
      note(io, `${target}:`);
      announce(start, flags, io);
    },
  });
  showResult(io, flags, result, linesOf(result));
  io.exit(result.verdict === 'differ' ? 1 : result.verdict === 'stopped' ? 130 : 0);
}

function linesOf(result: CompareResult): string[] {
  const { differences, faults, notes, requests, seed, verdict } = result;
  return [
    `Compared A ${result.a} and B ${result.b} with seed ${seed}: ${requests} requests to each.`,
    ...differences.flatMap(({ level, what, request, a, b, count }) => [
      `${level}: ${what}, ${counted(count, 'time')}. ${request}`,
      `  A: ${a}`,
      `  B: ${b}`,
    ]),
    ...faults.map(
      ({ server, expected, observed }) =>
        `${server.toUpperCase()} breaks the specification: expected ${expected}, observed ${observed}`,
    ),
    ...notes.map((note) => `Note: ${note}`),
    verdict === 'differ'
      ? 'They differ in behaviour that the specification states.'
      : 'They do not differ in behaviour that the specification states.',
  ];
}
