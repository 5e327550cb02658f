import { type Command, Option } from '@commander-js/extra-typings';
import { INTEGRATION_TYPES } from '../../../core/api-key.ts';
import { isoTime } from '../../../core/clock.ts';
import { parseDateTime } from '../../../core/date-time.ts';
import { TicketscanError } from '../../../core/errors.ts';
import {
  type GivenChoices,
  KEY_CHOICE_NAMES,
  KEY_CHOICES,
  type KeyChoice,
  ofEachChoice,
  RELAYS,
  USUAL_DOOR,
  valuesOfChoice,
} from '../../../core/key-settings.ts';
import { overlapEnd } from '../../../core/key-terms.ts';
import { OPEN_SECONDS_MAX } from '../../../core/limits.ts';
import type { ApiKeyRecord } from '../../../core/records.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { DAY_MS } from '../../../kit/durations.ts';
import { sanitizedMessage } from '../../../kit/text.ts';
import {
  type CommonOptions,
  commandGroup,
  type OptionsOf,
  withOptions,
} from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import {
  durationFor,
  forOption,
  readSecretValue,
  wholeNumberFor,
} from '../../../terminal/options.ts';
import { ask, canAsk, confirm } from '../../../terminal/prompts.ts';
import { namesOf, showResult, warnDuplicateName } from '../../../terminal/results.ts';
import { allPages, type DataAccess } from '../../data-access.ts';
import { commandsOn, dataCommand } from '../../data-command.ts';
import { setNameOfDevice } from '../../devices/operations.ts';
import { listEvents } from '../../events/operations.ts';
import { eventIdsFrom } from '../../record-checks.ts';
import { tellInForce } from '../../sites/tell-in-force.ts';
import { zoneOf } from '../../time-zone.ts';
import { changeKey, createKey, deleteKey, rotateKey } from '../operations.ts';
import { findKey, parseReaders } from '../rules.ts';
import {
  baseOfUrls,
  changedText,
  KEY,
  keyCare,
  keyToJson,
  showList,
  showValue,
} from './key-text.ts';

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
--readers gives each reader a direction: 0=in,1=out, or *=out for devices without an index. A scan at an exit takes a use, unless
--on-exit says otherwise; "open" lets everybody out who came in.
${keyCare().join('\n')}`;

const KEY_AS_JSON = 'the key as JSON';
const EVENTS_HELP = '"all", or ids or names of events, separated by commas';

const onKey = commandsOn({
  argument: KEY,
  find: (access, given) => findKey(access, readSecretValue(given, access.io)),
  json: KEY_AS_JSON,
  value: keyToJson,
});

/** `ticketscan keys`: API keys (sections 2.1 and 3.1). */
export function command(io: CliIo) {
  return commandGroup(io, 'keys', {
    summary: 'Create, list and change API keys.',
    help: EXAMPLES,
    commands: [
      createCommand,
      listCommand,
      editCommand,
      nameDeviceCommand,
      rotateCommand,
      enableCommand,
      disableCommand,
      deleteCommand,
    ],
  });
}

/** `ticketscan keys name-device`: what a gate is called. */
const nameDeviceCommand = onKey({
  name: 'name-device',
  summary: 'Name a device of a key: log, statistics, exports and webhooks call the gate by it.',
  options: (command) =>
    command
      .requiredOption('--serial <serial>', 'what the device calls itself, as the log has it')
      .requiredOption('--name <name>', 'its name, such as "North gate"; none takes it away'),
  json: '{"name"}',
  operation: setNameOfDevice,
  input: ({ serial, name }, { id }) => ({
    key: id,
    serial,
    name: name === 'none' ? null : name,
  }),
  text: ({ name }, key) =>
    name === null
      ? changedText(key, 'changed: the device has no name')
      : `The device is called "${name}".`,
  value: (answer) => answer,
});

const enableCommand = onKey({
  name: 'enable',
  summary: 'Enable a disabled key.',
  operation: changeKey,
  input: () => ({ active: true }),
  text: (key) => changedText(key, 'enabled'),
  after: ({ state }, _, { io }) => {
    if (state === 'expired')
      io.err(
        'It has expired all the same: its scans are refused. Change that with keys edit --expires never.',
      );
  },
});

const disableCommand = onKey({
  name: 'disable',
  summary: 'Disable a key until it is enabled again.',
  operation: changeKey,
  input: () => ({ active: false }),
  text: (key) => changedText(key, 'disabled'),
  after: ({ inForce }, options, access) => tellInForce(access, inForce, options),
});

const deleteCommand = onKey({
  name: 'delete',
  summary: 'Delete a key permanently; every later request with it gets 401.',
  operation: deleteKey,
  confirm: ({ id, name }) =>
    `The key "${name}" (${id}) will never work again: its devices will be refused.`,
  text: (_, key) => changedText(key, 'deleted'),
  value: (_, key) => keyToJson(key),
  after: ({ inForce }, options, access) => tellInForce(access, inForce, options),
});

const createCommand = dataCommand({
  name: 'create',
  summary: 'Create a key and show its value, only once.',
  options: (command) =>
    withOptions(
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
        .option('--organisation <name>', 'organisation of the key; not needed if only one exists'),
      (one) => addSettingOptions(one, true),
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
    // A wrong address is refused before there is a key, whose value would not be shown.
    const base = await baseOfUrls(access, options);
    const call = await access.callFor(organisation);
    const known = await allPages((page) => call(listEvents, { archived: 'true', ...page }));
    const events = eventIdsFrom(options.events, known);
    const event = events === 'all' ? undefined : events[0];
    const settings = settingsGiven(options, await zoneOf(access, { organisation, event }));
    const made = await call(createKey, { name, type, events, ...settings });
    warnDuplicateName(access.io, 'key', made, await access.list('key'));
    await showValue(access, made, options, base);
  },
});

const listCommand = dataCommand({
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
      return access.io.out(JSON.stringify(shown, null, 2));
    }
    const events = namesOf(await access.list('event'));
    showList(access.io, keys, events, await zoneOf(access));
  },
});

const editCommand = onKey({
  name: 'edit',
  summary: "Change a key's name, events, expiry, readers or door settings.",
  options: (command) =>
    withOptions(
      command.option('--name <name>', 'a new label').option('--events <events>', EVENTS_HELP),
      (one) => addSettingOptions(one, false),
    ),
  mustChange: true,
  // The time is checked in UTC here, and read in the zone of the key's organisation once that is known.
  check: (options) => void settingsGiven(options, 'UTC'),
  operation: changeKey,
  input: async ({ name, events, ...settings }, { id, organisationId }, access) => {
    const own = (await access.list('event')).filter((one) => one.organisationId === organisationId);
    return {
      name,
      events: events === undefined ? undefined : eventIdsFrom(events, own),
      ...settingsGiven(settings, await zoneOf(access, { keyId: id })),
    };
  },
  text: (key) => changedText(key, 'changed'),
});

/** Adds the options for expiry, doors, readers and displays. @param isNew false for a key that keeps the settings that are not given */
function addSettingOptions(command: Command, isNew: boolean) {
  const usual = (value: string) => (isNew ? ` (default: ${value})` : '');
  const door = command
    .addOption(
      new Option(
        '--relay <relay>',
        'hardware: which relay a grant switches; auto is IN for even readers, OUT for odd',
      ).choices(RELAYS),
    )
    .option(
      '--open-seconds <seconds>',
      `hardware: how long the door opens, in seconds${usual(String(USUAL_DOOR.openSeconds))}`,
      wholeNumberFor('--open-seconds', 1, OPEN_SECONDS_MAX),
    )
    .option(
      '--readers <directions>',
      'hardware: which way each reader points, such as 0=in,1=out; * is all others; none removes the directions',
    );
  for (const name of KEY_CHOICE_NAMES) {
    const choice: KeyChoice = KEY_CHOICES[name];
    const help = `hardware: ${choice.help}${usual(choice.usual)}`;
    door.addOption(new Option(choice.option, help).choices(valuesOfChoice(name)));
  }
  const chosen = door as Command<[], OptionsOf<() => typeof door> & GivenChoices>;
  return chosen
    .option(
      '--device <name>',
      'hardware: name of the device file that is tried first (serve --device-file); none removes it',
    )
    .option('--expires <time>', 'date from which the key is refused, such as 2027-09-30; or never');
}

/** @param zone of a time without one @throws TicketscanError `usage` */
function settingsGiven(options: OptionsOf<typeof addSettingOptions>, zone: string) {
  const { readers, expires, device, relay, openSeconds } = options;
  return {
    relay,
    openSeconds,
    ...(ofEachChoice((_, name) => options[name]) as GivenChoices),
    readers: readers === undefined ? undefined : parseReaders(readers),
    device: device === undefined ? undefined : deviceFrom(device),
    expiresAt: expires === undefined ? undefined : expiryFrom(expires, zone),
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

const overlapFrom = durationFor('--overlap', { from: 0, to: 36_500 * DAY_MS });

/** `ticketscan keys rotate`: a new value for the same key. */
const rotateCommand = dataCommand({
  name: 'rotate',
  summary: 'Give a key a new value and show it, only once; the old value stays valid for a while.',
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
  run: rotate,
});

async function rotate(
  access: DataAccess,
  options: CommonOptions & { readonly overlap: string },
  given: string,
): Promise<void> {
  const overlapMs = overlapFrom(options.overlap);
  const base = await baseOfUrls(access, options);
  const { io, call, clock } = access;
  const before = await findKey(access, readSecretValue(given, io));
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
  await showValue(access, made, options, base);
  if (!options.json) note(io, oldValueText(made, overlapMs, zone));
  await tellInForce(access, made.inForce, options);
}

/** What becomes of the value before. */
function oldValueText({ previousUntil }: ApiKeyRecord, overlapMs: number, zone: string): string {
  return overlapMs === 0
    ? 'The old value is refused from now on.'
    : `The old value stays valid until ${inZone(shownTime(previousUntil ?? 0, zone), zone)}; a value before it is refused from now on.`;
}

/** Warns before a rotation ends a value at once: during an overlap, devices may still have the old value. */
async function askBefore(
  io: CliIo,
  key: ApiKeyRecord,
  overlapMs: number,
  options: CommonOptions & { readonly now: number; readonly zone: string },
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
