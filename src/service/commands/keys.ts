import { Command, Option } from 'commander';
import { INTEGRATION_TYPES, type IntegrationType } from '../../core/api-key.ts';
import { monthOf } from '../../core/clock.ts';
import { timesToJson } from '../../core/codecs/time.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { ApiKeyRecord, DoorSettings } from '../../core/records.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import { confirm } from '../../terminal/confirm.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/secret-value.ts';
import { addSettings, readSettings } from '../../terminal/setting-options.ts';
import { table } from '../../terminal/table.ts';
import { deviceUrls } from '../http/scan-paths.ts';
import { DATA_SETTINGS, withData } from './access/data-access.ts';
import type { DataAccess } from './access/data-types.ts';
import { keyCare } from './keys/key-care.ts';
import { ADDRESS_SETTINGS, baseUrlFrom, isOnlyHere } from './serve/addresses.ts';

interface KeyOptions {
  readonly yes?: boolean;
  readonly name?: string;
  readonly type?: IntegrationType;
  readonly events?: string;
  readonly organisation?: string;
  readonly relay?: DoorSettings['relay'];
  readonly openSeconds?: number;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan keys create --name "Gate 1" --type hardware --events all
  ticketscan keys create --name "Box office" --type api --events "Summer pool,Winter pool"
  ticketscan keys disable "Gate 1"
  ticketscan keys delete key_4f0c2k1m9x
  ticketscan keys disable file:leaked.txt         the key whose value is in that file

A key's value is shown once, at creation. Every running server applies changes from the next request on.
${keyCare().join('\n')}`;

const KEY_ARGUMENT = 'id, name or value; env:NAME and file:PATH are read';

/** `ticketscan keys`: API keys (sections 2.1 and 3.1). */
export function command(io: CliIo): Command {
  return new Command('keys')
    .description('Create, list and change API keys.')
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(editCommand(io))
    .addCommand(switchCommand(io, 'enable', true))
    .addCommand(switchCommand(io, 'disable', false))
    .addCommand(deleteCommand(io));
}

function createCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create a key and show its value, only once.')
    .requiredOption('--name <name>', 'a name, for example of the gate')
    .addOption(
      new Option(
        '--type <type>',
        'api: software, key in a header; hardware: devices, key in the URL',
      )
        .choices(INTEGRATION_TYPES)
        .makeOptionMandatory(),
    )
    .option('--events <events>', '"all", or ids or names of events, separated by commas', 'all')
    .option('--organisation <name>', 'organisation of the key; not needed if only one exists')
    .option('--json', 'one JSON object')
    .action(async (options: KeyOptions) => {
      const settings = readSettings(ADDRESS_SETTINGS, { ...options }, io);
      await withData(io, { ...options }, async ({ administration, url }) => {
        const { key, value } = await administration.createKey({
          name: options.name ?? '',
          type: options.type ?? 'api',
          events: eventsFrom(options.events ?? 'all'),
          organisation: options.organisation,
          door: doorFrom(options),
        });
        showCreated(
          io,
          shownKey(key),
          value,
          deviceUrls(key.type, value, settings.baseUrl ?? url ?? baseUrlFrom(settings)),
          options.json === true,
        );
      });
    });
  return addSettings(addDoorOptions(create), [...DATA_SETTINGS, 'baseUrl']);
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List the keys that are not deleted. Their values cannot be shown again.')
    .option('--json', 'a JSON array')
    .action(async (options: KeyOptions) => {
      await withData(io, { ...options }, async (access) => {
        const rows = await Promise.all(
          (await access.store.listKeys()).map((key) => withUsage(key, access)),
        );
        if (options.json) io.out(JSON.stringify(rows, null, 2));
        else showList(io, rows);
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

function editCommand(io: CliIo): Command {
  const edit = new Command('edit')
    .description("Change a key's name, events or door settings.")
    .argument('<key>', KEY_ARGUMENT)
    .option('--name <name>', 'a new label')
    .option('--events <events>', '"all", or ids or names of events, separated by commas')
    .option('--json', 'the key as JSON')
    .action(async (key: string, options: KeyOptions) => {
      const { name, events } = options;
      const door = doorFrom(options);
      if (name === undefined && events === undefined && Object.keys(door).length === 0) {
        throw new TicketscanError(
          'usage',
          'Nothing to change: add --name, --events, --relay or --open-seconds.',
        );
      }
      await withData(io, { ...options }, async ({ administration }) => {
        const changes = {
          ...(name !== undefined && { name }),
          ...(events !== undefined && { events: eventsFrom(events) }),
          ...door,
        };
        showChanged(
          io,
          await administration.editKey(readSecretValue(key, io), changes),
          'changed',
          options,
        );
      });
    });
  return addSettings(addDoorOptions(edit), DATA_SETTINGS);
}

function switchCommand(io: CliIo, name: 'enable' | 'disable', active: boolean): Command {
  const command = new Command(name)
    .description(active ? 'Enable a disabled key.' : 'Disable a key until it is enabled again.')
    .argument('<key>', KEY_ARGUMENT)
    .option('--json', 'the key as JSON')
    .action(async (key: string, options: KeyOptions) => {
      await withData(io, { ...options }, async ({ administration }) => {
        showChanged(
          io,
          await administration.editKey(readSecretValue(key, io), { active }),
          `${name}d`,
          options,
        );
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

function deleteCommand(io: CliIo): Command {
  const command = new Command('delete')
    .description('Delete a key permanently; every later request with it gets 401.')
    .argument('<key>', KEY_ARGUMENT)
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'the key as JSON')
    .action(async (key: string, options: KeyOptions) => {
      const consequence = 'The key will never work again: its devices will be refused.';
      if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
      await withData(io, { ...options }, async ({ administration }) => {
        const deleted = await administration.deleteKey(readSecretValue(key, io));
        showChanged(io, deleted, 'deleted', options);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

function addDoorOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--relay <relay>',
        'hardware: which relay a grant switches; auto is IN for even readers, OUT for odd',
      ).choices(['auto', 'in', 'out']),
    )
    .option('--open-seconds <seconds>', 'hardware: how long the door opens (default: 5)', Number);
}

function doorFrom({ relay, openSeconds }: KeyOptions): Partial<DoorSettings> {
  return {
    ...(relay !== undefined && { relay }),
    ...(openSeconds !== undefined && { openSeconds }),
  };
}

function eventsFrom(text: string): 'all' | string[] {
  return text === 'all'
    ? 'all'
    : text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
}

type ShownKey = Omit<ApiKeyRecord, 'createdAt'> & { readonly createdAt: string };

function shownKey(key: ApiKeyRecord): ShownKey {
  return timesToJson(key);
}

type UsedKey = ShownKey & { readonly requestsThisMonth: number };

async function withUsage(key: ApiKeyRecord, { store, clock }: DataAccess): Promise<UsedKey> {
  const requestsThisMonth = await store.requestsInMonth(key.id, monthOf(clock.now()));
  return { ...shownKey(key), requestsThisMonth };
}

function showCreated(
  io: CliIo,
  key: ShownKey,
  value: string,
  urls: { cardUrl?: string; heartUrl?: string },
  json: boolean,
): void {
  if (urls.cardUrl && isOnlyHere(urls.cardUrl)) {
    io.err(
      'Only this machine can reach the address in these URLs; on a device it means the device itself.',
    );
    io.err('Give the address that devices use: --base-url https://scan.example.org');
    io.err('(or TICKETSCAN_BASE_URL, or baseUrl in the configuration file, for all keys).');
  }
  if (json) {
    io.out(JSON.stringify({ ...key, key: value, ...urls }, null, 2));
    return;
  }
  io.out(
    `Key "${sanitizeForTerminal(key.name)}" (${key.id}), ${key.type}, events: ${eventsText(key)}`,
  );
  io.out(`  ${value}`);
  if (urls.cardUrl) {
    io.out(`  Card URL:  ${urls.cardUrl}`);
    io.out(`  Heart URL: ${urls.heartUrl}`);
  }
  io.err('Keep the value now: it is not stored and cannot be shown again.');
  for (const advice of keyCare(key.type)) io.err(advice);
}

function showList(io: CliIo, keys: readonly UsedKey[]): void {
  if (keys.length === 0)
    io.err('No keys yet. Create one: ticketscan keys create --name "Gate 1" --type hardware');
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.type,
    eventsText(key),
    key.active ? 'active' : 'disabled',
    String(key.requestsThisMonth),
  ]);
  for (const line of table(['ID', 'NAME', 'TYPE', 'EVENTS', 'STATE', 'REQUESTS THIS MONTH'], rows))
    io.out(line);
}

function showChanged(io: CliIo, key: ApiKeyRecord, what: string, { json }: KeyOptions): void {
  if (json) io.out(JSON.stringify(shownKey(key), null, 2));
  else io.out(`Key "${sanitizeForTerminal(key.name)}" (${key.id}) is ${what}.`);
}

function eventsText({ events }: Pick<ApiKeyRecord, 'events'>): string {
  return events === 'all' ? 'all' : events.join(',');
}
