import { Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { INTEGRATION_TYPES } from '../../core/api-key.ts';
import { isoTime } from '../../core/clock.ts';
import { parseDateTime } from '../../core/date-time.ts';
import { EXIT_RULES, type ExitRule } from '../../core/direction.ts';
import { TicketscanError } from '../../core/errors.ts';
import { overlapEnd } from '../../core/key-terms.ts';
import { OPEN_SECONDS_MAX } from '../../core/limits.ts';
import type { ApiKeyRecord, DoorSettings } from '../../core/records.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/durations.ts';
import { sanitizedMessage } from '../../kit/text.ts';
import { zoneOf } from '../../operations/store-access.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { forOption, readSecretValue, wholeNumberFor } from '../../terminal/options.ts';
import { ask, canAsk, confirm } from '../../terminal/prompts.ts';
import { namesOf, showResult, warnDuplicateName } from '../../terminal/results.ts';
import type { DataAccess } from '../data-access.ts';
import { type CommonOptions, commandsOn, dataCommand } from '../data-command.ts';
import { type Event, listEvents } from '../events/operations.ts';
import { findNamed } from '../record-checks.ts';
import { findKey } from './find-key.ts';
import { parseReaders } from './key-checks.ts';
import { changedText, KEY, keyCare, keyToJson, showList, showValue } from './key-text.ts';
import { changeKey, createKey, deleteKey, rotateKey } from './operations.ts';

interface SettingOptions {
  readonly readers?: string;
  readonly onExit?: ExitRule;
  readonly expires?: string;
  readonly device?: string;
  readonly relay?: DoorSettings['relay'];
  readonly openSeconds?: number;
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

const KEY_AS_JSON = 'the key as JSON';
const EVENTS_HELP = '"all", or ids or names of events, separated by commas';

const onKey = commandsOn({
  argument: KEY,
  find: (access, given, io) => findKey(access, readSecretValue(given, io)),
  json: KEY_AS_JSON,
  value: keyToJson,
});

/** `ticketscan keys`: API keys (sections 2.1 and 3.1). */
export function command(io: CliIo) {
  return new Command('keys')
    .description('Create, list and change API keys.')
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(editCommand(io))
    .addCommand(rotateCommand(io))
    .addCommand(enableCommand(io))
    .addCommand(disableCommand(io))
    .addCommand(deleteCommand(io));
}

function enableCommand(io: CliIo) {
  return onKey(io, {
    name: 'enable',
    summary: 'Enable a disabled key.',
    operation: changeKey,
    input: () => ({ active: true }),
    text: (key) => changedText(key, 'enabled'),
    after: ({ state }) => {
      if (state === 'expired')
        io.err(
          'It has expired all the same: its scans are refused. Change that with keys edit --expires never.',
        );
    },
  });
}

function disableCommand(io: CliIo) {
  return onKey(io, {
    name: 'disable',
    summary: 'Disable a key until it is enabled again.',
    operation: changeKey,
    input: () => ({ active: false }),
    text: (key) => changedText(key, 'disabled'),
  });
}

function deleteCommand(io: CliIo) {
  return onKey(io, {
    name: 'delete',
    summary: 'Delete a key permanently; every later request with it gets 401.',
    operation: deleteKey,
    confirm: ({ id, name }) =>
      `The key "${name}" (${id}) will never work again: its devices will be refused.`,
    text: (_, key) => changedText(key, 'deleted'),
    value: (_, key) => keyToJson(key),
  });
}

function createCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'create',
    summary: 'Create a key and show its value, only once.',
    options: (command) =>
      addSettingOptions(
        command
          .requiredOption('--name <name>', 'a name, for example of the gate')
          .addOption(
            new Option(
              '--type <type>',
              'api: software, key in a header; hardware: devices, key in the URL',
            )
              .choices(INTEGRATION_TYPES)
              .makeOptionMandatory(),
          )
          .option('--events <events>', EVENTS_HELP, 'all')
          .option(
            '--organisation <name>',
            'organisation of the key; not needed if only one exists',
          ),
        true,
      ),
    json: 'one JSON object',
    settings: ['baseUrl'],
    mayMakeStore: true,
    check: ({ type, relay, openSeconds }) => {
      if (type === 'hardware' || (relay === undefined && openSeconds === undefined)) return;
      throw new TicketscanError(
        'usage',
        '--relay and --open-seconds are for devices: use --type hardware, or leave them out.',
      );
    },
    run: async (access, options) => {
      const { name, type, organisation } = options;
      const call = await access.callFor(organisation);
      const known = await call(listEvents, { archived: 'true' });
      const events = eventIds(options.events, known.items);
      const event = events === 'all' ? undefined : events[0];
      const settings = settingsGiven(options, await zoneOf(access, { organisation, event }));
      const { expiresAt = undefined, ...others } = settings;
      const made = await call(createKey, {
        ...{ name, type, events, ...others },
        ...(expiresAt !== undefined && { expiresAt }),
      });
      warnDuplicateName(io, 'key', made, await access.list('key'));
      await showValue(io, access, made, options);
    },
  });
}

function listCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'list',
    summary: 'List the keys that are not deleted. Their values cannot be shown again.',
    json: 'a JSON array',
    run: async (access, options) => {
      const keys = await access.list('key');
      if (options.json) {
        const shown = keys.map((key) => ({
          ...keyToJson(key),
          requestsThisMonth: key.usage.requestsThisMonth,
          lastUsedAt: isoTime(key.lastUsedAt),
        }));
        io.out(JSON.stringify(shown, null, 2));
        return;
      }
      const events = namesOf(await access.list('event'));
      showList(io, keys, events, await zoneOf(access));
    },
  });
}

function editCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'edit',
    summary: "Change a key's name, events, expiry, readers or door settings.",
    argument: KEY,
    options: (command) =>
      addSettingOptions(
        command.option('--name <name>', 'a new label').option('--events <events>', EVENTS_HELP),
        false,
      ),
    json: KEY_AS_JSON,
    check: (options) => {
      const { name, events } = options;
      // In the zone of the key's organisation, once it is known which one that is.
      const isEmpty = Object.keys(settingsGiven(options, 'UTC')).length === 0;
      if (name !== undefined || events !== undefined || !isEmpty) return;
      throw new TicketscanError(
        'usage',
        'Nothing to change: add --name, --events, --expires, --readers, --on-exit, --device, --relay or --open-seconds.',
      );
    },
    run: async (access, options, given) => {
      const { id, organisationId } = await findKey(access, readSecretValue(given, io));
      const { name, events } = options;
      const known = await access.list('event');
      const own = known.filter((event) => event.organisationId === organisationId);
      const changed = await access.call(changeKey, {
        ...{ id, name },
        ...(events !== undefined && { events: eventIds(events, own) }),
        ...settingsGiven(options, await zoneOf(access, { keyId: id })),
      });
      showResult(io, options, keyToJson(changed), changedText(changed, 'changed'));
    },
  });
}

/** Until when a key holds, and what its doors and readers do. @param isNew false for a key that keeps what is not given */
function addSettingOptions<Before extends OptionValues>(
  command: Command<[], Before>,
  isNew: boolean,
) {
  const usual = (value: string) => (isNew ? ` (default: ${value})` : '');
  return command
    .addOption(
      new Option(
        '--relay <relay>',
        'hardware: which relay a grant switches; auto is IN for even readers, OUT for odd',
      ).choices(['auto', 'in', 'out']),
    )
    .option(
      '--open-seconds <seconds>',
      `hardware: how long the door opens, in seconds${usual('5')}`,
      wholeNumberFor('--open-seconds', 1, OPEN_SECONDS_MAX),
    )
    .option(
      '--readers <directions>',
      'hardware: which way each reader points, such as 0=in,1=out; * is all others, none takes it back',
    )
    .addOption(
      new Option(
        '--on-exit <rule>',
        `hardware: what a read outwards does: take a use, check only, or open for everybody who came in${usual('consume')}`,
      ).choices(EXIT_RULES),
    )
    .option(
      '--device <name>',
      'hardware: the device file that is asked first, by its name (serve --device-file); none takes it back',
    )
    .option('--expires <time>', 'refuse the key from then on, such as 2027-09-30; or never');
}

/** @param zone of a time without one @throws TicketscanError `usage` */
function settingsGiven(options: SettingOptions, zone: string) {
  const { readers, onExit, expires, device, relay, openSeconds } = options;
  return {
    ...(relay !== undefined && { relay }),
    ...(openSeconds !== undefined && { openSeconds }),
    ...(readers !== undefined && { readers: parseReaders(readers) }),
    ...(onExit !== undefined && { onExit }),
    ...(device !== undefined && { device: deviceFrom(device) }),
    ...(expires !== undefined && { expiresAt: expiryFrom(expires, zone) }),
  };
}

function deviceFrom(text: string): string {
  if (text.trim() !== '') return text === 'none' ? '' : text;
  throw new TicketscanError(
    'usage',
    '--device needs the name of a device file, such as control-id. To take it back, write none.',
  );
}

function expiryFrom(text: string, zone: string): number | null {
  if (text === 'never') return null;
  return forOption('--expires', () => parseDateTime(text, 'until', zone));
}

/** The ids of events that are given by ids or names. @throws TicketscanError `not_found`, `usage` */
function eventIds(text: string, known: readonly Event[]): 'all' | string[] {
  if (text === 'all') return 'all';
  const named = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (named.length === 0) throw new TicketscanError('usage', 'Name at least one event, or "all".');
  return [...new Set(named.map((event) => findNamed('event', event, known).id))];
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

type RotateOptions = CommonOptions & { readonly overlap: string };

/** `ticketscan keys rotate`: a new value for the same key. */
function rotateCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'rotate',
    summary:
      'Give a key a new value and show it, only once; the old value stays valid for a while.',
    argument: KEY,
    options: (command) =>
      command.option(
        '--overlap <duration>',
        'how long the old value stays valid, such as 30m, 24h or 7d; 0 ends it now',
        '24h',
      ),
    yes: true,
    json: 'one JSON object',
    settings: ['baseUrl'],
    check: ({ overlap }) => void overlapFrom(overlap),
    run: (access, options, given) => rotate(io, access, readSecretValue(given, io), options),
  });
}

async function rotate(
  io: CliIo,
  access: DataAccess,
  given: string,
  options: RotateOptions,
): Promise<void> {
  const overlapMs = overlapFrom(options.overlap);
  const { call, clock } = access;
  const before = await findKey(access, given);
  const { id } = before;
  const zone = await zoneOf(access, { keyId: id });
  const answer = await askBefore(io, before, overlapMs, { ...options, now: clock.now(), zone });
  if (answer === 'no') return;
  if (answer === 'prolong') {
    const previousUntil = clock.now() + overlapMs;
    const changed = await call(changeKey, { id, previousUntil });
    showResult(io, options, keyToJson(changed), changedText(changed, 'changed'));
    const until = inZone(shownTime(changed.previousUntil ?? previousUntil, zone), zone);
    note(io, `Both of its values stay valid until ${until}.`);
    return;
  }
  const made = await call(rotateKey, { id, overlapSeconds: Math.round(overlapMs / 1000) });
  await showValue(io, access, made, options);
  if (options.json) return;
  note(
    io,
    overlapMs === 0
      ? 'The old value is refused from now on.'
      : `The old value stays valid until ${inZone(shownTime(made.previousUntil ?? 0, zone), zone)}; a value before it is refused from now on.`,
  );
}

/** What stops at once is said before it does: while an overlap runs, the devices may still have the old value. */
async function askBefore(
  io: CliIo,
  key: ApiKeyRecord,
  overlapMs: number,
  options: Pick<RotateOptions, 'yes' | 'json'> & { readonly now: number; readonly zone: string },
): Promise<'rotate' | 'prolong' | 'no'> {
  const name = `"${key.name}" (${key.id})`;
  const end = overlapEnd(key, options.now);
  if (end === undefined || overlapMs === 0) {
    const consequence = `The old value of ${name} is refused at once: devices that have it stay closed.`;
    const goesOn =
      overlapMs > 0 || (await confirm(io, { ...options, consequence, needsYes: false }));
    return goesOn ? 'rotate' : 'no';
  }
  const { now, zone } = options;
  const warning = `The old value of ${name} is valid until ${inZone(shownTime(end, zone), zone)}, after an earlier rotation. A new rotation ends it at once: devices that still have it stay closed.`;
  if (options.yes || options.json || !canAsk(io)) {
    note(io, warning);
    return 'rotate';
  }
  const until = shownTime(now + overlapMs, zone);
  const question = `${warning}\nr: rotate all the same; p: keep both values, and prolong the old one until ${until} [r/p/N] `;
  const answer = (await ask(io, sanitizedMessage(question))).trim().toLowerCase();
  if (answer === 'r' || answer === 'rotate') return 'rotate';
  if (answer === 'p' || answer === 'prolong') return 'prolong';
  note(io, 'Nothing was changed.');
  io.exit(1);
  return 'no';
}

/** @throws TicketscanError `usage` */
function overlapFrom(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? [];
  if (text.trim() === '0') return 0;
  const factor = UNIT_MS[unit ?? ''];
  if (digits !== undefined && factor !== undefined) return Number(digits) * factor;
  throw new TicketscanError(
    'usage',
    `--overlap must be a duration such as 30m, 24h or 7d, or 0; not "${text}".`,
  );
}
