import { createSecureContext } from 'node:tls';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Argument, type Command, Option } from 'commander';
import * as z from 'zod';
import { givenValue, givenVariable } from '../config/given-value.ts';
import { loadSettings, type TracedSettings } from '../config/load-settings.ts';
import { SETTINGS, type SettingName, type Settings, settingOf } from '../config/settings.ts';
import { TicketscanError } from '../core/errors.ts';
import { DAY_MS, readDuration, shownDuration } from '../kit/durations.ts';
import { fileFailure } from '../kit/failures.ts';
import { readBoundedText } from '../kit/files.ts';
import { nearest } from '../kit/nearest.ts';
import { shortened } from '../kit/text.ts';
import { type CliIo, detail, hideInFailures, note } from './io.ts';

const DIGITS_MAX = 15;
/** No command shows or makes more at once. */
export const COUNT_MAX = 1_000_000_000;

/**
 * A parser for the value of an option that takes a whole number in plain digits.
 * @param option as it is typed, such as `--limit`
 * @throws TicketscanError `usage` from the parser, with the option, the bounds and the value
 */
export function wholeNumberFor(option: string, min = 1, max?: number): (text: string) => number {
  const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    const isInRange = value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER);
    if (/^\d+$/.test(text) && text.length <= DIGITS_MAX && isInRange) return value;
    throw new TicketscanError(
      'usage',
      `${option} must be a whole number ${bounds}, not "${shortened(text)}".`,
    );
  };
}

/** Reads a number above 0 that may have decimals; otherwise like `wholeNumberFor`. */
export function positiveNumberFor(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}(\.\d{1,15})?$/.test(text) && value > 0) return value;
    throw new TicketscanError(
      'usage',
      `${option} must be a number above 0, not "${shortened(text)}".`,
    );
  };
}

interface DurationBounds {
  /** Milliseconds; 1 when absent. */
  readonly from?: number;
  /** Milliseconds; a day when absent. */
  readonly to?: number;
  /** What a number without a unit counts; refused when absent, but for 0. */
  readonly bareMs?: number;
}

/** Reads a duration such as `500ms` or `10s`, in milliseconds; otherwise like `wholeNumberFor`. */
export function durationFor(
  option: string,
  { from = 1, to = DAY_MS, bareMs }: DurationBounds = {},
): (text: string) => number {
  return (text) => {
    const ms = readDuration(text, bareMs);
    if (ms !== undefined && ms >= from && ms <= to) return ms;
    const wanted =
      ms === undefined
        ? 'a duration with its unit, such as 500ms, 10s, 2m or 1h'
        : `from ${shownDuration(from)} to ${shownDuration(to)}`;
    throw new TicketscanError('usage', `${option} must be ${wanted}, not "${shortened(text)}".`);
  };
}

const PORT_MAX = 65_535;

/** @throws TicketscanError `usage` when the text is not a port; 0 is valid: any free port */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text);
  throw new TicketscanError(
    'usage',
    `--port must be a whole number from 0 to ${PORT_MAX}, not "${shortened(text)}".`,
  );
}

/**
 * The value that `read` makes of an option's text.
 * @param option as it is typed, such as `--expires`
 * @throws TicketscanError as `read` does, with the option in front of the message
 */
export function forOption<Value>(option: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    const { code, message, reason, values } = error;
    const explanation = reason === undefined ? {} : { reason, values };
    throw new TicketscanError(code, `${option}: ${message}`, { cause: error, ...explanation });
  }
}

/** Parses an option that may be repeated: all its texts, in their order. */
export function collected(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/**
 * A key, token or address from the command line, or from `env:NAME` or `file:PATH`, so that it need not be in a shell's history.
 * @param from where the value stands
 * @throws TicketscanError `usage` when the variable or file is missing or empty, and as `givenValue` does
 */
export function readSecretValue(
  text: string,
  io: Pick<CliIo, 'env'>,
  from = 'A value on the command line',
): string {
  const value = referredValue(text, io) ?? givenValue(text, from);
  if (value !== text) hideInFailures(io, value);
  return value;
}

/** True for a value that is not in the text itself. */
export function isElsewhere(text: string): boolean {
  return text.startsWith('env:') || text.startsWith('file:');
}

/** Undefined for what is neither `env:NAME` nor `file:PATH`. */
export function referredValue(text: string, io: Pick<CliIo, 'env'>): string | undefined {
  if (text.startsWith('env:')) {
    const value = givenVariable(io.env, text.slice(4));
    if (value !== undefined) return value;
    const isSet = io.env[text.slice(4)] !== undefined;
    const what = isSet ? 'is empty' : 'is not set';
    throw new TicketscanError(
      'usage',
      `The environment variable ${text.slice(4)} ${what}. Set it, or give the value as file:PATH.`,
    );
  }
  if (!text.startsWith('file:')) return undefined;
  const path = text.slice(5);
  const value = givenValue(textOf(path), path);
  if (value !== '') return value;
  throw new TicketscanError('usage', `${path} is empty.`);
}

export function textOf(path: string): string {
  try {
    return readBoundedText(path);
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be read: ${fileFailure(error)}.`);
  }
}

/** The option of commands that write a result to a file that may exist: `command.option(...FORCE)`. */
export const FORCE = [
  '--force',
  'replace a file that exists; never a store, keyring, key, configuration or recording',
] as const;

interface Suggestions {
  readonly words: readonly string[];
  /** True when several are given, separated by commas. */
  readonly isList: boolean;
}

const SUGGESTIONS = new WeakMap<Option | Argument, Suggestions>();

/**
 * Names words that a shell completes as values, for an option that checks its value itself: it also takes a mix or a list, or its message says more than
 * that of commander's choices.
 */
export function suggest<Target extends Option | Argument>(
  target: Target,
  words: readonly string[],
  { isList = false } = {},
): Target {
  SUGGESTIONS.set(target, { words, isList });
  return target;
}

/** What `suggest`, or commander's choices, say of it. */
export function suggestionsFor(target: Option | Argument): Suggestions | undefined {
  if (target.argChoices) return { words: target.argChoices, isList: false };
  return SUGGESTIONS.get(target);
}

/** A command, whether or not the types of its options are known. */
export type AnyCommand = Command | CommandUnknownOpts;

/** Gives a command the options of those settings, and `--config`. */
export function addSettings<One extends AnyCommand>(
  command: One,
  names: readonly SettingName[],
): One {
  const plain = command as Command;
  for (const name of names) {
    const { flag, description, fallback, environment, schema, repeats } = settingOf(name);
    const shown = fallback === undefined || fallback === false ? '' : ` (default: ${fallback})`;
    const option = new Option(flag, `${description}${shown} [${environment}]`);
    option.attributeName = () => name;
    if (repeats) option.argParser(collected);
    if (schema instanceof z.ZodEnum) suggest(option, schema.options.map(String));
    plain.addOption(option);
  }
  plain.option(
    '--config <file>',
    'configuration file (default: ticketscan.config.json if it exists)',
  );
  return command;
}

/**
 * Shows the options of a command in groups, in the order of this table.
 * @param groups the long flags of each group, by its heading; an option that is in none stays under "Options"
 */
export function groupOptions<One extends AnyCommand>(
  command: One,
  groups: Readonly<Record<string, readonly string[]>>,
): One {
  const headings = new Map(
    Object.entries(groups).flatMap(([heading, flags]) =>
      flags.map((flag) => [flag, `${heading}:`] as const),
    ),
  );
  const order = [...headings.keys()];
  const options = (command as Command).options as Option[];
  for (const option of options) {
    const heading = headings.get(option.long ?? '');
    if (heading) option.helpGroup(heading);
  }
  const placeOf = ({ long }: Option) => order.indexOf(long ?? '') + 1 || order.length + 1;
  options.sort((one, other) => placeOf(one) - placeOf(other));
  return command;
}

/** The values of those settings for this run. @throws TicketscanError `usage` */
export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  options: Readonly<Record<string, unknown>>,
  io: CliIo,
): Pick<Settings, Name> {
  const configFile = options['config'] as string | undefined;
  warnOfMistyped(io);
  return loadSettings(names, { flags: options, environment: io.env, configFile }, (traced) =>
    sayWhereFrom(traced, io),
  );
}

/**
 * Says which configuration file was read: one that lies in the working folder may be a surprise. For `--verbose` also where settings come
 * from, never a value: it may be a token, or a URL with a password.
 */
function sayWhereFrom({ configFile, settings }: TracedSettings, io: CliIo): void {
  if (configFile !== undefined)
    sayOnce(io, `Configuration file: ${configFile}`, io.isForMachines ? detail : note);
  for (const { name, setBy } of settings) {
    if (setBy !== undefined) sayOnce(io, `Setting ${name}: from ${setBy}`);
  }
}

const said = new WeakMap<CliIo, Set<string>>();

function sayOnce(io: CliIo, line: string, say: typeof note = detail): void {
  const lines = said.get(io) ?? new Set();
  said.set(io, lines);
  if (!lines.has(line)) say(io, line);
  lines.add(line);
}

/** Every environment variable that the program reads under its own name. */
export const VARIABLES = [
  ...SETTINGS.map(({ environment }) => environment),
  'TICKETSCAN_CONFIG',
  'TICKETSCAN_KEY',
  'TICKETSCAN_TARGET',
  'TICKETSCAN_DEBUG',
  'TICKETSCAN_TEST_CONTROLS_TOKEN',
];
const MISTYPED_EDITS_MAX = 2;
const warned = new WeakSet<CliIo>();

/** A mistyped variable has no effect, and nobody would notice. Other names may be the user's own, for env:NAME. */
function warnOfMistyped(io: CliIo): void {
  if (warned.has(io)) return;
  warned.add(io);
  for (const name of Object.keys(io.env)) {
    if (!name.startsWith('TICKETSCAN_') || VARIABLES.includes(name)) continue;
    const meant = nearest(name, VARIABLES, MISTYPED_EDITS_MAX);
    if (meant)
      note(io, `The environment variable ${name} is not a setting. Did you mean ${meant}?`);
  }
}

/** The option of commands that read a target file: `command.option(...TRUST_TARGET)`. */
export const TRUST_TARGET = [
  '--trust-target',
  'send keys and values of env: and file: to the baseUrl of a target file of another user',
] as const;

/** Where what a target file names would go, and who says so. */
export interface Destination {
  /** The address that the command names. */
  readonly named: string | undefined;
  readonly trustTarget?: boolean | undefined;
}

/**
 * Refuses that a file of somebody else picks both the secrets and the server that gets them.
 * @param file with the reason why it is somebody else's, if it is
 * @param what would be sent, such as `env:GATE_KEY`
 * @throws TicketscanError `usage`
 */
export function refuseForeignSecret(
  file: { readonly path: string; readonly foreign: string | undefined },
  what: string,
  { named, trustTarget }: Destination,
): void {
  if (file.foreign === undefined || named !== undefined || trustTarget) return;
  throw new TicketscanError(
    'usage',
    `${what} is not sent to the baseUrl of ${file.path}: ${file.foreign}. Name the address in the command, or add --trust-target.`,
  );
}

/** How a server is trusted, as the command line says it. */
export interface TrustFlags {
  readonly ca?: string;
  readonly insecureTls?: boolean;
}

const { flag, description, environment } = settingOf('ca');

/** `--ca` for commands that do not call the admin API. */
export function caOption(): Option {
  return new Option(flag, `${description} [${environment}]`);
}

/** `--ca` and `--insecure-tls`. */
export function trustOptions(): Option[] {
  return [
    caOption(),
    new Option('--insecure-tls', 'accept any certificate; for a test server only'),
  ];
}

/** Gives a command the options of `trustOptions`. */
export function addTrustOptions(command: Command): Command {
  for (const option of trustOptions()) command.addOption(option);
  return command;
}

/** What these options mean for a connection. @throws TicketscanError as `readCa` does */
export function trustFrom(
  { ca, insecureTls }: TrustFlags,
  io: CliIo,
): { ca: string | undefined; insecure: boolean } {
  return { ca: readCa({ ca }, io), insecure: insecureTls === true };
}

/**
 * The certificates of `--ca` as PEM text; undefined where nobody names a file.
 * @throws TicketscanError `usage` when the file cannot be read or contains no certificate
 */
export function readCa(
  options: { readonly ca?: string | undefined; readonly config?: unknown },
  io: CliIo,
): string | undefined {
  const { ca: path } = readSettings(['ca'], { ...options }, io);
  return path === undefined ? undefined : readCertificates(path, '--ca');
}

/** The certificates in a file as PEM text. @param option that names the file @throws as `readCa` */
export function readCertificates(path: string, option: string): string {
  try {
    const ca = readBoundedText(path);
    if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it contains no certificate');
    createSecureContext({ ca });
    return ca;
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `${option} ${path} cannot be used: ${fileFailure(error)}. Give a PEM file with the certificate of the server or of its issuer.`,
      { cause: error },
    );
  }
}
