import { Command } from 'commander';
import { counted } from '../../kit/text.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { showResult } from '../../terminal/results.ts';
import { type ReplayResult, replay } from '../index.ts';
import type { ConnectFlags } from './explore-options.ts';
import { addConnectOptions, asCommand, connectOptions, flagsOf } from './explore-options.ts';
import { readJsonFile } from './files.ts';
import { withMinter } from './minter.ts';

const EXAMPLES = `
Examples:
  ticketscan check replay fault.json --target target.json --consume
  ticketscan check replay fault.json https://staging.example.org --target target.json --consume --json

Each try uses fresh tickets of the target. A race is tried 20 times.
Exit codes: 0 FIXED, 1 FAILED, 2 wrong usage or no result, 3 the service cannot be reached, 130 Ctrl-C.`;

const EXIT_CODES = {
  fixed: 0,
  failed: 1,
  'lacks-tickets': 2,
  'cannot-tell': 2,
  stopped: 130,
} as const;

/** `ticketscan check replay`: is a fault that explore saved still there? */
export function replayCommand(io: CliIo): Command {
  const command = new Command('replay')
    .description('Run a history of check explore again: FIXED or FAILED.')
    .argument('<file>', 'file that check explore saved')
    .argument('[base-url]', "the service (default: the target file's baseUrl)");
  addConnectOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action((file: string, baseUrl: string | undefined, _: object, self: Command) =>
      asCommand(() => run(file, baseUrl, flagsOf<ConnectFlags>(self), io)),
    );
}

async function run(
  file: string,
  baseUrl: string | undefined,
  flags: ConnectFlags,
  io: CliIo,
): Promise<void> {
  const history = readJsonFile(file);
  const options = connectOptions(baseUrl, flags, io);
  await withMinter(io, flags, options, async (mint) => {
    const result = await replay({
      ...options,
      mint,
      history,
      onStart: (tries, requests) =>
        note(io, `Up to ${counted(tries, 'try', 'tries')}, ${counted(requests, 'request')}.`),
    });
    showResult(io, flags, result, linesOf(result));
    io.exit(EXIT_CODES[result.verdict]);
  });
}

function linesOf(result: ReplayResult): string[] {
  const { verdict, story, expected, observed, tries, lacking } = result;
  const tried = counted(tries, 'try', 'tries');
  if (verdict === 'fixed') return [`FIXED: ${tried} without the fault.`];
  if (verdict === 'stopped') return [`Stopped after ${tried} without the fault.`];
  if (verdict === 'lacks-tickets') return [`No result after ${tried}: ${lacking}.`];
  if (verdict === 'cannot-tell')
    return [
      `No result: ${tried} without the fault, but it never came back when it was saved, or its rate limit refused nothing now.`,
    ];
  const isOther = result.rule !== result.savedRule;
  return [
    `FAILED in try ${tries}${isOther ? `, by another rule (${result.rule}) than when it was saved (${result.savedRule})` : ''}:`,
    ...story.map((line, i) => `  ${i + 1}. ${line}`),
    `  Expected: ${expected}`,
    `  Observed: ${observed}`,
  ];
}
