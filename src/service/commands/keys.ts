import { Command, Option } from 'commander';
import { systemClock } from '../../config/system-clock.ts';
import { INTEGRATION_TYPES, type IntegrationType } from '../../core/api-key.ts';
import { TicketscanError } from '../../core/errors.ts';
import { OPEN_SECONDS_MAX } from '../../core/limits.ts';
import type { DoorSettings } from '../../core/records.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import { confirm } from '../../terminal/confirm.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue, wholeNumberFor } from '../../terminal/option-values.ts';
import { addSettings, readSettings } from '../../terminal/setting-options.ts';
import { deviceUrls } from '../http/scan-paths.ts';
import { findKey } from '../manage/find-key.ts';
import { DATA_SETTINGS, withData, withNewData } from './access/data-access.ts';
import { namesOf } from './access/names.ts';
import { noteNamesake } from './access/namesake.ts';
import { zoneOf } from './access/zone.ts';
import { keyCare } from './keys/key-care.ts';
import {
  KEY_ARGUMENT,
  listJson,
  showChanged,
  showList,
  showValue,
  withUsage,
} from './keys/key-view.ts';
import { rotateCommand } from './keys/rotate-command.ts';
import { addTermOptions, type TermOptions, termsGiven } from './keys/term-options.ts';
import { ADDRESS_SETTINGS, baseUrlFrom } from './serve/addresses.ts';

interface KeyOptions extends TermOptions {
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
  ticketscan keys edit "Gate 1" --readers 0=in,1=out --on-exit open
  ticketscan keys edit "Gate 1" --device control-id   its devices are described in a device file
  ticketscan keys rotate "Gate 1" --overlap 24h   a new value; the old one holds for a day
  ticketscan keys disable "Gate 1"
  ticketscan keys delete key_4f0c2k1m9x
  ticketscan keys disable file:leaked.txt         the key whose value is in that file

A key's value is shown once, at creation. Every running server applies changes from the next request on.
A reader with a direction: 0=in,1=out, or *=out for devices without an index. A read outwards consumes, unless --on-exit says
otherwise; "open" lets everybody out who came in.
${keyCare().join('\n')}`;

/** `ticketscan keys`: API keys (sections 2.1 and 3.1). */
export function command(io: CliIo): Command {
  return new Command('keys')
    .description('Create, list and change API keys.')
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(editCommand(io))
    .addCommand(rotateCommand(io))
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
      if (options.type === 'api') refuseDoorOptions(options);
      await withNewData(io, { ...options }, async ({ store, administration, url }) => {
        const scope = eventsFrom(options.events ?? 'all');
        const { organisation } = options;
        const zone = await zoneOf(store, { organisation, event: [scope].flat()[0] });
        const { key, value } = await administration.createKey({
          ...{ name: options.name ?? '', type: options.type ?? 'api', events: scope },
          ...{ organisation, door: doorFrom(options), terms: termsGiven(options, zone) },
        });
        const events = namesOf(await store.list('event'));
        const base = settings.baseUrl ?? url ?? baseUrlFrom(settings);
        noteNamesake(io, 'key', key, await store.list('key'));
        showValue(
          io,
          key,
          { value, events, ...deviceUrls(key.type, value, base, key.device) },
          options,
        );
      });
    });
  return addSettings(addTermOptions(addDoorOptions(create, true), true), [
    ...DATA_SETTINGS,
    'baseUrl',
  ]);
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List the keys that are not deleted. Their values cannot be shown again.')
    .option('--json', 'a JSON array')
    .action(async (options: KeyOptions) => {
      await withData(io, { ...options }, async (access) => {
        const rows = await Promise.all(
          (await access.store.list('key')).map((key) => withUsage(key, access)),
        );
        if (options.json) io.out(JSON.stringify(listJson(rows), null, 2));
        else {
          const events = namesOf(await access.store.list('event'));
          const zone = await zoneOf(access.store);
          showList(io, rows, { now: access.clock.now(), events, zone });
        }
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

function editCommand(io: CliIo): Command {
  const edit = new Command('edit')
    .description("Change a key's name, events, expiry, readers or door settings.")
    .argument('<key>', KEY_ARGUMENT)
    .option('--name <name>', 'a new label')
    .option('--events <events>', '"all", or ids or names of events, separated by commas')
    .option('--json', 'the key as JSON')
    .action(async (key: string, options: KeyOptions) => {
      const { name, events } = options;
      // In the zone of the key's organisation, once it is known which one that is.
      const settings = { ...doorFrom(options), ...termsGiven(options, 'UTC') };
      if (name === undefined && events === undefined && Object.keys(settings).length === 0) {
        throw new TicketscanError(
          'usage',
          'Nothing to change: add --name, --events, --expires, --readers, --on-exit, --device, --relay or --open-seconds.',
        );
      }
      await withData(io, { ...options }, async ({ store, administration }) => {
        const { id } = await findKey(store, readSecretValue(key, io));
        const changes = {
          ...(name !== undefined && { name }),
          ...(events !== undefined && { events: eventsFrom(events) }),
          ...settings,
          ...termsGiven(options, await zoneOf(store, { keyId: id })),
        };
        showChanged(io, await administration.editKey(id, changes), 'changed', options);
      });
    });
  return addSettings(addTermOptions(addDoorOptions(edit, false), false), DATA_SETTINGS);
}

function switchCommand(io: CliIo, name: 'enable' | 'disable', active: boolean): Command {
  const command = new Command(name)
    .description(active ? 'Enable a disabled key.' : 'Disable a key until it is enabled again.')
    .argument('<key>', KEY_ARGUMENT)
    .option('--json', 'the key as JSON')
    .action(async (key: string, options: KeyOptions) => {
      await withData(io, { ...options }, async ({ administration }) => {
        const changed = await administration.editKey(readSecretValue(key, io), { active });
        showChanged(io, changed, `${name}d`, options);
        if (active && (changed.expiresAt ?? Number.POSITIVE_INFINITY) <= systemClock.now())
          io.err(
            'It has expired all the same: its scans are refused. Change that with keys edit --expires never.',
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
      await withData(io, { ...options }, async ({ administration, store }) => {
        const { id, name } = await findKey(store, readSecretValue(key, io));
        const consequence = `The key "${sanitizeForTerminal(name)}" (${id}) will never work again: its devices will be refused.`;
        if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
        const deleted = await administration.deleteKey(id);
        showChanged(io, deleted, 'deleted', options);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

function addDoorOptions(command: Command, isNew: boolean): Command {
  return command
    .addOption(
      new Option(
        '--relay <relay>',
        'hardware: which relay a grant switches; auto is IN for even readers, OUT for odd',
      ).choices(['auto', 'in', 'out']),
    )
    .option(
      '--open-seconds <seconds>',
      `hardware: how long the door opens, in seconds${isNew ? ' (default: 5)' : ''}`,
      wholeNumberFor('--open-seconds', 1, OPEN_SECONDS_MAX),
    );
}

/** @throws TicketscanError `usage` for what a key of software would ignore */
function refuseDoorOptions(options: KeyOptions): void {
  if (Object.keys(doorFrom(options)).length === 0) return;
  throw new TicketscanError(
    'usage',
    '--relay and --open-seconds are for devices: use --type hardware, or leave them out.',
  );
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
