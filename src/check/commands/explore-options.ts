import { type Command, InvalidArgumentError, Option } from 'commander';
import { givenVariable } from '../../config/given-value.ts';
import { TicketscanError } from '../../core/errors.ts';
import { addMinterOptions, type MinterFlags } from '../../features/mint/commands/minter.ts';
import type { CliIo } from '../../terminal/io.ts';
import { caOption, durationFor, readCa, TRUST_TARGET } from '../../terminal/options.ts';
import { CheckUsageError, UnreachableError } from '../index.ts';
import { readTargetFile, refuseForeignTarget } from './files.ts';

/** How a service is reached. */
export interface ReachFlags {
  readonly timeout: number;
  readonly insecureHttp?: boolean;
  readonly insecureTls?: boolean;
  readonly ca?: string;
}

/** What every run of `explore` takes. */
export interface ConnectFlags extends MinterFlags, ReachFlags {
  readonly target?: string;
  readonly trustTarget?: boolean;
  readonly consume?: boolean;
  readonly json?: boolean;
  readonly maxRate?: number;
}

/** The options for reaching a service and for its tickets. */
export function addConnectOptions(command: Command): Command {
  command
    .option('--target <file>', 'keys and tickets of the deployment [TICKETSCAN_TARGET]')
    .option(...TRUST_TARGET)
    .option('--consume', 'allow to take uses of the tickets in the target file')
    .option('--json', 'for machines')
    .option('--max-rate <number>', 'maximum requests a second, over all keys', wholeNumber);
  return addMinterOptions(addReachOptions(command));
}

/** The options for reaching a service. */
export function addReachOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--timeout <duration>',
        'time limit for one complete request, such as 10s or 500ms',
      )
        .argParser(durationFor('--timeout'))
        .default(10_000, '10s'),
    )
    .option('--insecure-http', 'permit plain HTTP to another machine')
    .option('--insecure-tls', 'accept any TLS certificate: for test servers only')
    .addOption(caOption());
}

/** What these options mean for the checker. @throws TicketscanError as `readCa` does */
export function reachOptions({ timeout, insecureHttp, insecureTls, ca }: ReachFlags, io: CliIo) {
  return {
    timeoutMs: timeout,
    insecureHttp,
    insecureTls,
    ca: readCa({ ca }, io),
  };
}

/** What the flags mean for the checker. @throws TicketscanError, CheckUsageError */
export function connectOptions(baseUrl: string | undefined, flags: ConnectFlags, io: CliIo) {
  const file = flags.target ?? givenVariable(io.env, 'TICKETSCAN_TARGET');
  const destination = { named: baseUrl, trustTarget: flags.trustTarget };
  if (flags.token !== undefined && flags.adminUrl === undefined)
    refuseForeignTarget(file, '--token', destination);
  return {
    baseUrl,
    target: file === undefined ? {} : readTargetFile(file, destination, io),
    consume: flags.consume,
    maxRate: flags.maxRate,
    ...reachOptions(flags, io),
    signal: io.stopSignal(),
  };
}

/** Turns what the checker throws into what the command line reports. */
export async function asCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CheckUsageError) throw new TicketscanError('usage', error.message);
    if (error instanceof UnreachableError) throw new TicketscanError('unreachable', error.message);
    throw error;
  }
}

/** The options of a command; those in front of its name count too, where it has the same ones. */
export function flagsOf<Flags extends object>(command: Command): Flags {
  const flags: Record<string, unknown> = { ...command.opts() };
  const { parent } = command;
  for (const [name, value] of Object.entries(parent?.opts() ?? {})) {
    const isGiven = parent?.getOptionValueSource(name) === 'cli';
    if (isGiven && command.getOptionValueSource(name) !== 'cli') flags[name] = value;
  }
  return flags as Flags;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}
