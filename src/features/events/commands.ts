import * as z from 'zod';
import { isSameName } from '../../core/folded-text.ts';
import { EventJson } from '../../core/records.ts';
import { chosenZone, inZone, shownTime } from '../../core/time-zone.ts';
import { counted } from '../../kit/text.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import { type CommonOptions, commandGroup } from '../../terminal/command.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { confirm } from '../../terminal/prompts.ts';
import { namesOf, showResult, showTable, withName } from '../../terminal/results.ts';
import type { DataAccess } from '../data-access.ts';
import { commandsOn, dataCommand } from '../data-command.ts';
import { findSite, ONLY_TS2 } from '../sites/commands.ts';
import { moveEvent } from '../sites/operations.ts';
import { zoneOf } from '../time-zone.ts';
import { finishDeletions, unfinishedDeletions } from './deletions.ts';
import {
  archiveEvent,
  createEvent,
  deleteEvent,
  Event,
  renameEvent,
  resetInside,
  showEventDeletion,
  unarchiveEvent,
} from './operations.ts';

const EXAMPLES = `
Examples:
  ticketscan events create --name "Summer pool"
  ticketscan events edit "Summer pool" --name "Summer pool 2027"
  ticketscan events archive "Summer pool 2027"
  ticketscan events list --json
  ticketscan events reset-inside "Summer pool"    nobody is inside from now on

Wherever a command takes an event, give its id, or its name if no other event has it.`;

const EVENT = ['<event>', 'its id or name'] as const;
const EVENT_AS_JSON = 'the event as JSON';

const onEvent = commandsOn({
  argument: EVENT,
  find: ({ findEvent }, nameOrId) => findEvent(nameOrId),
  json: EVENT_AS_JSON,
  value: json,
});

/** `ticketscan events`: what tickets are for. */
export function command(io: CliIo) {
  return commandGroup(io, 'events', {
    summary: 'Create, rename, archive, delete and list events; see how many people are inside.',
    help: EXAMPLES,
    commands: [
      createCommand,
      editCommand,
      archiveCommand,
      unarchiveCommand,
      deleteCommand,
      listCommand,
      resetInsideCommand,
      moveCommand,
    ],
  });
}

const editCommand = onEvent({
  name: 'edit',
  summary: 'Rename an event; its id and its tickets stay unchanged.',
  options: (edit) => edit.requiredOption('--name <name>', 'the new name'),
  operation: renameEvent,
  input: ({ name }) => ({ name }),
  text: ({ id, name }) => `Event ${id} is now named "${name}".`,
});

const archiveCommand = onEvent({
  name: 'archive',
  summary: 'Hide an event in lists and choices; its tickets scan as before.',
  operation: archiveEvent,
  text: ({ name }) =>
    `Event "${name}" is archived. Lists and choices no longer show it; its tickets scan as before.`,
});

const unarchiveCommand = onEvent({
  name: 'unarchive',
  summary: 'Show an archived event again.',
  operation: unarchiveEvent,
  text: ({ name }) => `Event "${name}" is shown again.`,
});

const resetInsideCommand = onEvent({
  name: 'reset-inside',
  summary: 'Set the count of people inside an event to 0, for example before it opens.',
  operation: resetInside,
  confirm: ({ name }) => `The count of people inside "${name}" begins again at 0.`,
  text: ({ name }) => `Nobody is inside "${name}" from now on.`,
  value: jsonWithInside,
});

const MOVE_HELP = `
Its scans are decided here no more at once, and at the site when that has its tickets: within seconds if the line is there. On the way back
the site closes first, and sends its last scans. Meanwhile nobody decides, so move an event while its gates are closed.`;

const moveCommand = dataCommand({
  name: 'move',
  summary:
    'Give an event to a site, which decides its scans while the line is cut; or ask it back.',
  argument: EVENT,
  options: (command) =>
    command.requiredOption('--to <site>', 'id or name of a site, or "centre" to ask it back'),
  json: '{"event", "at", "site"}',
  help: MOVE_HELP,
  run: async (access, { to, ...options }, nameOrId) => {
    const { io, call } = access;
    const { id, name } = await access.findEvent(nameOrId);
    const site = to === 'centre' ? undefined : await findSite(access, to);
    const home = await call(moveEvent, { id, to: site?.id ?? to });
    const where = home.site?.name ?? '';
    const text =
      home.at === 'returning'
        ? `"${name}" is asked back from the site "${where}": it is decided here when that has closed it and sent its last scans.`
        : `"${name}" goes to the site "${where}": it is decided here no more, and there when the site has its tickets.`;
    showResult(io, options, home, text);
    if (site?.withSecret === false) note(io, ONLY_TS2);
    note(io, 'How it stands: ticketscan sites list');
  },
});

const createCommand = dataCommand({
  name: 'create',
  summary: 'Create an event; in an empty store this also creates its organisation.',
  options: (command) =>
    command
      .requiredOption('--name <name>', 'the name')
      .option('--organisation <name>', 'organisation of the event; not needed if only one exists'),
  json: EVENT_AS_JSON,
  mayMakeStore: true,
  run: async ({ io, callFor }, { organisation, ...options }) => {
    const event = await (await callFor(organisation))(createEvent, { name: options.name });
    showResult(io, options, json(event), `Event "${event.name}" has the id ${event.id}.`);
  },
});

const listCommand = dataCommand({
  name: 'list',
  summary: 'List the events that are not archived.',
  options: (command) => command.option('--archived', 'also list archived events'),
  json: 'a JSON array',
  run: async (access, options) => {
    const { io } = access;
    const all = await access.list('event');
    const { archived = false } = options;
    const events = all.filter(({ archivedAt }) => archived || archivedAt === null);
    if (options.json) return io.out(JSON.stringify(events.map(jsonWithInside), null, 2));
    if (all.length === 0)
      note(io, 'No events yet. Create one: ticketscan events create --name "Summer pool"');
    const organisations = namesOf(await access.list('organisation'));
    const zone = await zoneOf(access);
    const isAway = events.some(({ home }) => home);
    const heads = [
      ...HEADS,
      inZone('RESET', zone),
      ...(isAway ? ['DECIDED AT'] : []),
      ...(archived ? ['ARCHIVED'] : []),
    ];
    const rows = events.map(({ id, name, organisationId, archivedAt, inside, home }) => [
      id,
      name,
      withName(organisationId, organisations),
      ...[inside.people, inside.entered, inside.exited].map(String),
      shownTime(inside.resetAt, zone) ?? '',
      ...(isAway ? [homeText(home)] : []),
      ...(archived ? [shownTime(archivedAt, zone) ?? ''] : []),
    ]);
    showTable(io, heads, rows);
    const hidden = all.length - events.length;
    if (hidden > 0) note(io, `${hidden} archived; --archived shows them too.`);
  },
});

/** Where an event is decided, and what is awaited. */
function homeText(home: Event['home']): string {
  if (!home) return 'here';
  const { at, site } = home;
  if (at === 'asking') return 'nowhere yet: sites are asked';
  const name = site?.name ?? 'the centre';
  if (at === 'leaving') return `nowhere: on its way to ${name}`;
  return at === 'returning' ? `${name}, asked back` : name;
}

const HEADS = ['ID', 'NAME', 'ORGANISATION', 'INSIDE', 'IN', 'OUT'];

const DELETE_HELP = `
Examples:
  ticketscan events delete "Ice rink" --yes                    an empty one, without a question
  ticketscan tickets export --event Summer --out summer.csv    keeps the list
  ticketscan events delete Summer --with-tickets               asks, then deletes everything

With --with-tickets, no gate admits these tickets from the first moment on. Servers can be running. If the command is interrupted, run
it again or start the server: both continue where it stopped. Daily sums for the statistics stay, without names.`;

/** `ticketscan events delete`: of an event that was never needed, or with everything that belongs to it. */
const deleteCommand = dataCommand({
  name: 'delete',
  summary: 'Delete an event: an empty one, or one with its tickets.',
  argument: EVENT,
  options: (command) =>
    command.option(
      '--with-tickets',
      'also delete its tickets, their holders and its log entries; export them first',
    ),
  yes: 'delete it without a question; needed where no terminal can ask',
  json: 'the event as JSON, and `keys`: the ids of keys that lost it from their scope',
  help: DELETE_HELP,
  run: async (access, options, nameOrId) => {
    const { io } = access;
    const { withTickets } = options;
    if (withTickets && (await goOn(access, 'event', nameOrId, options))) return;
    const event = await access.findEvent(nameOrId);
    const { id, name } = event;
    const keys = (await access.list('key')).filter(
      ({ events }) => events !== 'all' && events.includes(id),
    );
    const content = withTickets ? await contentOf(access, event) : '';
    const scopes = scopesOf(keys);
    const consequence = `The event "${name}" is deleted permanently${content}.${scopes}`;
    if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
    await access.call(deleteEvent, { id, withTickets: withTickets ? 'true' : 'false' });
    const value = { ...json(event), keys: keys.map((key) => key.id) };
    showResult(io, options, value, `Event "${name}" is deleted.${scopes}`);
  },
});

async function contentOf(access: DataAccess, { id, organisationId }: Event): Promise<string> {
  const owners = await access.list('organisation');
  const zone = chosenZone(undefined, owners.find((one) => one.id === organisationId) ?? {});
  return contentText(await access.call(showEventDeletion, { id }), zone);
}

/** The data that are deleted together with an event, for the confirmation. */
export function contentText(
  { tickets, valid, lastScanAt }: AnswerOf<typeof showEventDeletion>,
  zone: string,
): string {
  const still = valid === 0 ? 'none of them valid' : `${valid} of them STILL VALID`;
  const scanned =
    lastScanAt === null
      ? 'never scanned'
      : `last scanned ${inZone(shownTime(lastScanAt, zone), zone)}`;
  return `, with ${counted(tickets, 'ticket')} (${still}; ${scanned}) and all log entries about them`;
}

/** Ends a deletion that was cut short; a server does that by itself. @returns false when no deletion of that name was cut short */
export async function goOn(
  { io, local }: Pick<DataAccess, 'io' | 'local'>,
  what: 'event' | 'organisation',
  nameOrId: string,
  options: CommonOptions,
): Promise<boolean> {
  if (!local) return false;
  const begun = (await unfinishedDeletions(local.store)).find(
    (one) => one.what === what && (one.id === nameOrId || isSameName(one.name, nameOrId)),
  );
  if (!begun) return false;
  await finishDeletions(local.store, local.clock);
  const { id, name } = begun;
  const kind = what === 'event' ? 'Event' : 'Organisation';
  const line = `${kind} "${name}" is deleted: what was left of it is gone.`;
  showResult(io, options, { id, name }, line);
  return true;
}

function scopesOf(keys: readonly { readonly name: string }[]): string {
  if (keys.length === 0) return '';
  const names = keys.map(({ name }) => `"${name}"`).join(', ');
  return ` These keys lose it from their scope: ${names}.`;
}

function json(event: Event): z.input<typeof EventJson> {
  return z.encode(EventJson, event);
}

function jsonWithInside(event: Event) {
  const { tickets: _, ...shown } = z.encode(Event, event);
  return shown;
}
