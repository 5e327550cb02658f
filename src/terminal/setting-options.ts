import { createSecureContext } from 'node:tls';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import { loadSettings, type TracedSettings } from '../config/load-settings.ts';
import { SETTINGS, type SettingName, type Settings, settingOf } from '../config/settings.ts';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure } from '../kit/failures.ts';
import { readBoundedText } from '../kit/files.ts';
import { nearest } from '../kit/nearest.ts';
import type { CliIo } from './io.ts';
import { detail, note } from './messages.ts';
import { collected, suggest } from './option-values.ts';

/** With the types of its options, or without. */
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

/** For `--verbose`; never a value: it may be a token, or a URL with a password. */
function sayWhereFrom({ configFile, settings }: TracedSettings, io: CliIo): void {
  if (configFile !== undefined) sayOnce(io, `Configuration file: ${configFile}`);
  for (const { name, place } of settings) {
    if (place !== undefined) sayOnce(io, `Setting ${name}: from ${place}`);
  }
}

const said = new WeakMap<CliIo, Set<string>>();

function sayOnce(io: CliIo, line: string): void {
  const lines = said.get(io) ?? new Set();
  said.set(io, lines);
  if (!lines.has(line)) detail(io, line);
  lines.add(line);
}

const VARIABLES = [
  ...SETTINGS.map(({ environment }) => environment),
  ...['TICKETSCAN_CONFIG', 'TICKETSCAN_KEY', 'TICKETSCAN_TARGET', 'TICKETSCAN_DEBUG'],
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

/** How a server is trusted, as the command line says it. */
export interface TrustFlags {
  readonly ca?: string;
  readonly insecureTls?: boolean;
}

const { flag, description, environment } = settingOf('ca');

/** `--ca` of a client that is none of the admin API. */
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
