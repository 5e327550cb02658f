import { Command } from 'commander';
import { type SettingValue, traceSettings } from '../../config/load-settings.ts';
import { SETTINGS, settingOf } from '../../config/settings.ts';
import { withoutKeys, withoutPasswords } from '../../kit/secrets.ts';
import { describeStoreUrl } from '../../stores/open-store.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addSettings } from '../../terminal/options.ts';
import { showTable } from '../../terminal/results.ts';

const EXAMPLES = `
Examples:
  ticketscan config show
  ticketscan config show --config /etc/ticketscan/config.json
  TICKETSCAN_PORT=9000 ticketscan config show --json

Passwords and access tokens are not shown. The options are those of all commands: they show what a command would use.`;

/** `ticketscan config`: shows the settings of this program here, and where each comes from. */
export function command(io: CliIo): Command {
  return new Command('config')
    .description('Show how ticketscan is configured here.')
    .addHelpText('after', EXAMPLES)
    .addCommand(showCommand(io));
}

function showCommand(io: CliIo): Command {
  const show = new Command('show')
    .description('Show every setting, its value and where it comes from.')
    .option('--json', '{"configFile", "settings": [{"name", "value", "source", "place", …}]}')
    .action((options: { json?: boolean; config?: string }) => {
      const { configFile, settings } = traceSettings({
        flags: { ...options },
        environment: io.env,
        configFile: options.config,
      });
      if (options.json) io.out(JSON.stringify(asJson(configFile, settings), null, 2));
      else showText(io, configFile, settings);
    });
  const all = SETTINGS.map(({ name }) => name);
  return addSettings(show, all);
}

function asJson(configFile: string | undefined, settings: readonly SettingValue[]): object {
  return {
    configFile: configFile ?? null,
    settings: settings.map((setting) => {
      const { flag, environment, description } = settingOf(setting.name);
      return {
        name: setting.name,
        value: shownValue(setting) ?? null,
        source: setting.source,
        place: setting.setBy ?? null,
        option: flag,
        environment,
        description,
      };
    }),
  };
}

function showText(
  io: CliIo,
  configFile: string | undefined,
  settings: readonly SettingValue[],
): void {
  const rows = settings.map((setting) => [
    setting.name,
    String(shownValue(setting) ?? '(not set)'),
    setting.setBy ?? setting.source,
  ]);
  io.out(`Configuration file: ${configFile ?? 'none'}\n`);
  showTable(io, ['SETTING', 'VALUE', 'SET BY'], rows);
}

/** The value without passwords and tokens; a reference to one (`env:NAME`) may be shown. */
function shownValue({ name, value }: SettingValue): unknown {
  if (Array.isArray(value)) return withoutPasswords(withoutKeys(value.join(',')));
  if (typeof value !== 'string') return value;
  if (name === 'token') return /^(?:env|file):/.test(value) ? value : '(hidden)';
  const isUrl = ['store', 'url', 'baseUrl'].includes(name);
  return withoutKeys(isUrl ? describeStoreUrl(value) : withoutPasswords(value));
}
