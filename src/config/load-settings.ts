import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { messageOf, TicketscanError } from '../core/errors.ts';
import { SETTINGS, type SettingName, type Settings, settingOf } from './settings.ts';

const CONFIG_FILE = 'ticketscan.config.json';

export interface SettingSources {
  /** The options on the command line; undefined when absent. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Named by the user; without it `ticketscan.config.json` is read if it exists. */
  readonly configFile: string | undefined;
}

/**
 * The settings of those names: flag before environment before configuration file before default.
 * @throws TicketscanError `usage` that names the place of an invalid value
 */
export function loadSettings<Name extends SettingName>(
  names: readonly Name[],
  sources: SettingSources,
): Pick<Settings, Name> {
  const file = readConfigFile(sources.configFile ?? sources.environment['TICKETSCAN_CONFIG']);
  const entries = names.map((name) => [name, settingValue(name, sources, file)]);
  return Object.fromEntries(entries) as Pick<Settings, Name>;
}

interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function settingValue(
  name: SettingName,
  { flags, environment }: SettingSources,
  file: ConfigFile,
): unknown {
  const setting = settingOf(name);
  const places: [where: string, value: unknown][] = [
    [setting.flag.split(' ', 1)[0] ?? name, flags[name]],
    [setting.environment, environment[setting.environment] || undefined],
    [`"${name}" in ${file.path}`, file.values[name]],
  ];
  const [where, value] = places.find(([, found]) => found !== undefined) ?? [];
  if (where === undefined) return setting.fallback;
  const result = setting.schema.safeParse(value);
  if (result.success) return result.data;
  const why = result.error.issues.map((issue) => issue.message).join('; ');
  throw new TicketscanError('usage', `${where}: ${why}. It means: ${setting.description}.`);
}

function readConfigFile(named: string | undefined): ConfigFile {
  const path = named ?? CONFIG_FILE;
  if (named === undefined && !existsSync(path)) return { path, values: {} };
  try {
    const values = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(path, 'utf8')));
    refuseUnknown(path, Object.keys(values));
    return { path, values };
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    const why = error instanceof z.ZodError ? 'it must contain a JSON object' : messageOf(error);
    throw new TicketscanError('usage', `The configuration file ${path} cannot be read: ${why}.`, {
      cause: error,
    });
  }
}

function refuseUnknown(path: string, names: readonly string[]): void {
  const known: readonly string[] = SETTINGS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TicketscanError(
      'usage',
      `${path} has a setting "${unknown}" that does not exist. Known settings: ${known.join(', ')}.`,
    );
  }
}
