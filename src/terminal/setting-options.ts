import { type Command, Option } from 'commander';
import * as z from 'zod';
import { loadSettings } from '../config/load-settings.ts';
import { type SettingName, type Settings, settingOf } from '../config/settings.ts';
import type { CliIo } from './io.ts';
import { suggest } from './suggestions.ts';

/** Gives a command the options of those settings, and `--config`. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { flag, description, fallback, environment, schema } = settingOf(name);
    const shown = fallback === undefined || fallback === false ? '' : ` (default: ${fallback})`;
    const option = new Option(flag, `${description}${shown} [${environment}]`);
    option.attributeName = () => name;
    if (schema instanceof z.ZodEnum) suggest(option, schema.options.map(String));
    command.addOption(option);
  }
  return command.option(
    '--config <file>',
    'configuration file (default: ticketscan.config.json if it exists)',
  );
}

/** The values of those settings for this run. @throws TicketscanError `usage` */
export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  options: Readonly<Record<string, unknown>>,
  io: CliIo,
): Pick<Settings, Name> {
  const configFile = options['config'] as string | undefined;
  return loadSettings(names, { flags: options, environment: io.env, configFile });
}
