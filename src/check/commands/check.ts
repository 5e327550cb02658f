import { Command } from 'commander';
import { givenVariable } from '../../config/given-value.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { readKeyValue } from '../../terminal/key-value.ts';
import { TRUST_TARGET } from '../../terminal/options.ts';
import { type CheckResult, check, exitCodeOf } from '../index.ts';
import { CASES } from '../sections/index.ts';
import { deviceCommand } from './device/device-command.ts';
import { exploreCommand } from './explore-command.ts';
import {
  addReachOptions,
  asCommand,
  type ReachFlags,
  reachOptions,
  wholeNumber,
} from './explore-options.ts';
import { initCommand, readJsonFile, readTargetFile, refuseForeignTarget } from './files.ts';
import { keyHooksFrom } from './key-hooks.ts';
import { explain, listOf } from './list.ts';
import { monitorCommand } from './monitor.ts';
import { announceBudget, counterOf } from './progress.ts';
import {
  addReportOptions,
  checkReports,
  type ReportFlags,
  writeReports,
} from './report-options.ts';

interface CheckFlags extends ReachFlags, ReportFlags {
  readonly target?: string;
  readonly trustTarget?: boolean;
  readonly consume?: boolean;
  readonly rateLimits?: boolean;
  readonly only?: string[];
  readonly skip?: string[];
  readonly list?: boolean;
  readonly explain?: string;
  readonly requirements?: string;
  readonly hook: readonly string[];
  readonly token?: string;
  readonly maxRate?: number;
}

const EXAMPLES = `
Examples:
  ticketscan check init --out target.json                       a target file to fill in
  ticketscan check https://scan.example.org --target target.json
  ticketscan check https://scan.example.org --target target.json --consume --rate-limits
  ticketscan check http://localhost:8080 --target target.json --only 3.2 "*race*"
  ticketscan check https://scan.example.org --target target.json --consume --token env:TOKEN
  ticketscan check --explain 3.2/single-only-once
  ticketscan check --explain 4.2                                a section of the specification
  ticketscan check explore --target target.json --consume       random histories
  ticketscan check monitor --target target.json                 a probe every minute
  ticketscan check device                                       a device on your desk

Without --consume no use is taken. Keys never appear in any output.
Exit codes: 0 nothing failed, 1 something failed, 2 wrong usage, target or address, 3 no answer.`;

const PUTTING_BACK =
  'Stopping. Changed keys are restored first; a second Ctrl-C ends at once without restoring them.';

const CHILDREN = [initCommand, exploreCommand, monitorCommand, deviceCommand];

/** `ticketscan check`: a deployment against the specification. */
export function command(io: CliIo): Command {
  const command = new Command('check');
  command
    .description('Check a deployment of the scan service against the specification.')
    .argument('[base-url]', "the service (default: the target file's baseUrl)")
    .option('--target <file>', 'keys and tickets of the deployment [TICKETSCAN_TARGET]')
    .option(...TRUST_TARGET)
    .option('--consume', 'allow to take uses of the tickets in the target file')
    .option('--rate-limits', 'also run the rate-limit cases, last')
    .option('--only <id...>', 'only these cases: ids, sections or globs such as "4.2/*"')
    .option('--skip <id...>', 'all cases but these')
    .option('--list', 'list the cases and run none')
    .option('--explain <id>', 'explain a case, or print a section of the specification');
  addReportOptions(command)
    .option(
      '--requirements <set>',
      'check against the requirements of that month, such as 2026-11 (default: the newest)',
    )
    .option(
      '--hook <change=command>',
      'command that changes a spare key of the target: disable-key, enable-key, rename-key, scope-key, delete-key; may be repeated',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option(
      '--token <token>',
      'or create and change keys with an access token of a ticketscan server: env:NAME',
    )
    .option(
      '--max-rate <number>',
      'maximum requests a second, over all keys (default: 4/5 of the limits of each key)',
      wholeNumber,
    )
    .addHelpText('after', EXAMPLES)
    .action((baseUrl: string | undefined, flags: CheckFlags) => run(baseUrl, flags, io));
  addReachOptions(command);
  for (const child of CHILDREN) command.addCommand(child(io));
  // what is behind the name of a command of its own belongs to that command
  return command.enablePositionalOptions();
}

async function run(baseUrl: string | undefined, flags: CheckFlags, io: CliIo): Promise<void> {
  await asCommand(async () => {
    if (flags.explain !== undefined) return explain(flags.explain, flags.json ?? false, io);
    if (flags.list) return listOf(CASES, flags, io);
    checkReports(flags);
    const result = await checkWith(baseUrl, flags, io);
    writeReports(result, flags, io);
    const isStopped = result.brokenOff !== undefined && io.stopSignal().aborted;
    io.exit(isStopped ? 130 : exitCodeOf(result, flags.failOn));
  });
}

async function checkWith(
  baseUrl: string | undefined,
  flags: CheckFlags,
  io: CliIo,
): Promise<CheckResult> {
  const targetFile = flags.target ?? givenVariable(io.env, 'TICKETSCAN_TARGET');
  const destination = { named: baseUrl, trustTarget: flags.trustTarget };
  if (flags.token !== undefined) refuseForeignTarget(targetFile, '--token', destination);
  const progress = counterOf(io);
  const signal = io.stopSignal();
  if (flags.hook.length > 0 || flags.token !== undefined)
    signal.addEventListener('abort', () => io.err(PUTTING_BACK), { once: true });
  const result = await check({
    baseUrl,
    target: targetFile === undefined ? {} : readTargetFile(targetFile, destination, io),
    consume: flags.consume,
    rateLimits: flags.rateLimits,
    only: flags.only,
    skip: flags.skip,
    maxRate: flags.maxRate,
    ...reachOptions(flags, io),
    requirements: flags.requirements,
    keyHooks: keyHooksFrom(flags.hook, io.env),
    token: flags.token === undefined ? undefined : readKeyValue(flags.token, io, '--token'),
    baseline: flags.baseline === undefined ? undefined : readJsonFile(flags.baseline),
    signal,
    onBudget: (budget, cases) => announceBudget(budget, cases, flags.consume ?? false, io),
    onNote: (text) => note(io, text),
    onProgress: ({ id }, done, total) => progress.show(`${done}/${total} ${id}`),
  }).finally(progress.end);
  return result;
}
