import { existsSync } from 'node:fs';
import * as z from 'zod';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure } from '../kit/failures.ts';
import { readOwnedText } from '../kit/file-owners.ts';
import { positionOfJsonIssue } from '../kit/json-text.ts';
import { didYouMean } from '../kit/nearest.ts';
import { refusedAddress, withoutSecrets } from '../kit/secrets.ts';
import { shortened } from '../kit/text.ts';
import { givenValue, givenVariable } from './given-value.ts';
import { SETTINGS, type SettingName, type Settings, settingOf } from './settings.ts';

/** Read where it exists, in the working folder. */
export const CONFIG_FILE = 'ticketscan.config.json';

export interface SettingSources {
  /** The options on the command line; undefined when absent. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Named by the user; without it `ticketscan.config.json` is read if it exists. */
  readonly configFile: string | undefined;
}

/**
 * The settings of those names: flag before environment before configuration file before default.
 * @param onTrace called with where each value comes from
 * @throws TicketscanError `usage` that names what sets an invalid value
 */
export function loadSettings<Name extends SettingName>(
  names: readonly Name[],
  sources: SettingSources,
  onTrace?: (traced: TracedSettings) => void,
): Pick<Settings, Name> {
  const traced = traceSettings(sources, names);
  onTrace?.(traced);
  const entries = traced.settings.map(({ name, value }) => [name, value]);
  return Object.fromEntries(entries) as Pick<Settings, Name>;
}

/** A setting in one run. */
export interface SettingValue {
  readonly name: SettingName;
  /** Undefined where the setting has no default and nothing sets it. */
  readonly value: unknown;
  readonly source: 'default' | 'file' | 'environment' | 'option';
  /** What sets it: `--port`, `TICKETSCAN_PORT` or `"port" in ticketscan.config.json`; undefined for a default. */
  readonly setBy: string | undefined;
}

/**
 * Settings with what sets each, and the configuration file that was read.
 * @param names all by default
 * @throws TicketscanError `usage` as `loadSettings` does
 */
export function traceSettings(
  sources: SettingSources,
  names: readonly SettingName[] = SETTINGS.map(({ name }) => name),
): TracedSettings {
  const file = readConfigFile(
    sources.configFile ?? givenVariable(sources.environment, 'TICKETSCAN_CONFIG'),
  );
  const settings = names.map((name) => tracedValue(name, sources, file));
  return { configFile: file.isRead ? file.path : undefined, settings };
}

export interface TracedSettings {
  readonly configFile: string | undefined;
  readonly settings: SettingValue[];
}

interface ConfigFile {
  readonly path: string;
  readonly isRead: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

function tracedValue(
  name: SettingName,
  { flags, environment }: SettingSources,
  file: ConfigFile,
): SettingValue {
  const setting = settingOf(name);
  const candidates = [
    ['option', setting.flag.split(' ', 1)[0] ?? name, flags[name]],
    ['environment', setting.environment, givenVariable(environment, setting.environment)],
    ['file', `"${name}" in ${file.path}`, file.values[name]],
  ] as const;
  const [source, setBy, value] = candidates.find(([, , found]) => found !== undefined) ?? [];
  if (source === undefined) {
    return { name, value: setting.fallback, source: 'default', setBy: undefined };
  }
  const result = setting.schema.safeParse(withoutEnds(value, setBy ?? name));
  if (result.success) return { name, value: result.data, source, setBy };
  const [allowed] = result.error.issues.map((issue) => issue.message);
  const given = shownValue(name, value);
  const { schema } = setting;
  const meant =
    schema instanceof z.ZodEnum ? didYouMean(String(value), schema.options.map(String)) : '';
  throw new TicketscanError('usage', `${setBy} must be ${allowed}${given}.${meant}`);
}

/** These may have a password in them. */
const URLS: readonly SettingName[] = ['store', 'url', 'baseUrl'];

/** `, not "x"`: the value that was refused, for the end of a message; empty where it may be a secret. */
function shownValue(name: SettingName, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (name === 'token') return '';
  const shown = shortened(URLS.includes(name) ? refusedAddress(text) : withoutSecrets(text));
  const isPlain = typeof value !== 'object';
  return isPlain ? `, not "${shown}"` : `, not ${shown}`;
}

/** Texts of an option or a file as they were meant; other values as they are. */
function withoutEnds(value: unknown, setBy: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutEnds(one, setBy));
  return typeof value === 'string' ? givenValue(value, setBy) : value;
}

function readConfigFile(named: string | undefined): ConfigFile {
  const path = named ?? CONFIG_FILE;
  if (named === undefined && !existsSync(path)) return { path, isRead: false, values: {} };
  try {
    const { text, foreign } = readOwnedText(path);
    if (foreign !== undefined) throw foreignFile(path, foreign);
    const values = z.record(z.string(), z.unknown()).parse(jsonIn(text));
    refuseUnknown(path, Object.keys(values));
    return { path, isRead: true, values };
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    const why = error instanceof z.ZodError ? 'it must contain a JSON object' : fileFailure(error);
    throw new TicketscanError('usage', `The configuration file ${path} cannot be read: ${why}.`, {
      cause: error,
    });
  }
}

/** @throws SyntaxError that names line and column */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`it is not valid JSON: ${positionOfJsonIssue(text)}`, { cause });
  }
}

/** It could send this user's tokens and files to another server, or have commands change another store. */
function foreignFile(path: string, why: string): TicketscanError {
  return new TicketscanError(
    'usage',
    `The configuration file ${path} is not used: ${why}. Check what it says, then make it yours: chown $(id -u) and chmod go-w. To go on without it, work in another folder.`,
  );
}

function refuseUnknown(path: string, names: readonly string[]): void {
  const known: readonly string[] = SETTINGS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TicketscanError(
      'usage',
      `${path} has a setting "${unknown}" that does not exist.${didYouMean(unknown, known)} Known settings: ${known.join(', ')}.`,
    );
  }
}
