import { type Command, InvalidArgumentError } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import { parseDuration } from '../../simulate/index.ts';
import type { CliIo } from '../../terminal/io.ts';
import { CheckUsageError, UnreachableError } from '../index.ts';
import { readTargetFile, readText } from './files.ts';
import { addMintOptions, type MintFlags } from './minter.ts';

/** What `explore`, `replay` and `compare` take alike. */
export interface ConnectFlags extends MintFlags {
  readonly target?: string;
  readonly consume?: boolean;
  readonly json?: boolean;
  readonly timeout: number;
  readonly maxRate?: number;
  readonly insecureHttp?: boolean;
  readonly ca?: string;
}

/** The options for reaching a service and for its tickets. */
export function addConnectOptions(command: Command): Command {
  command
    .option('--target <file>', 'keys and tickets of the deployment [TICKETSCAN_TARGET]')
    .option('--consume', 'allow to take uses of the tickets in the target file');
  addSharedOptions(command);
  return addMintOptions(command);
}

/** The options that say how to send. */
export function addSharedOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--timeout <ms>', 'time limit for one complete request', wholeNumber, 10_000)
    .option('--max-rate <number>', 'maximum requests a second, over all keys', wholeNumber)
    .option('--insecure-http', 'permit plain HTTP to another machine')
    .option('--ca <file>', "PEM certificates to trust besides the system's");
}

/** What the flags mean for the checker. @throws TicketscanError, CheckUsageError */
export function connectOptions(baseUrl: string | undefined, flags: ConnectFlags, io: CliIo) {
  const file = flags.target ?? io.env['TICKETSCAN_TARGET'];
  return {
    baseUrl,
    target: file === undefined ? {} : readTargetFile(file, io),
    consume: flags.consume,
    timeoutMs: flags.timeout,
    maxRate: flags.maxRate,
    insecureHttp: flags.insecureHttp,
    ca: flags.ca === undefined ? undefined : readText(flags.ca),
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
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

/** A time with its unit, in milliseconds. */
export function duration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
