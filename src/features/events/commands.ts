import { Command } from '@commander-js/extra-typings';
import * as z from 'zod';
import { EventJson } from '../../core/records.ts';
import { chosenZone, inZone, shownTime } from '../../core/time-zone.ts';
import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import { zoneOf } from '../../operations/store-access.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { confirm } from '../../terminal/prompts.ts';
import { type Names, namesOf, showResult, showTable, withName } from '../../terminal/results.ts';
import type { DataAccess } from '../data-access.ts';
import { type CommonOptions, dataCommand } from '../data-command.ts';
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

/** `ticketscan events`: what tickets are for. */
export function command(io: CliIo) {
  return new Command('events')
    .description('Create, rename, archive, delete and list events; see how many people are inside.')
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(editCommand(io))
    .addCommand(
      lifeCommand(io, {
        operation: archiveEvent,
        name: 'archive',
        summary: 'Hide an event in lists and choices; its tickets scan as before.',
        done: 'is archived. Lists and choices no longer show it; its tickets scan as before.',
      }),
    )
    .addCommand(
      lifeCommand(io, {
        operation: unarchiveEvent,
        name: 'unarchive',
        summary: 'Show an archived event again.',
        done: 'is shown again.',
      }),
    )
    .addCommand(deleteCommand(io))
    .addCommand(listCommand(io))
    .addCommand(resetInsideCommand(io));
}

function createCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'create',
    summary: 'Create an event; in an empty store this also creates its organisation.',
    options: (command) =>
      command
        .requiredOption('--name <name>', 'the name')
        .option(
          '--organisation <name>',
          'organisation of the event; not needed if only one exists',
        ),
    json: EVENT_AS_JSON,
    mayMakeStore: true,
    run: async ({ callFor }, { organisation, ...options }) => {
      const event = await (await callFor(organisation))(createEvent, { name: options.name });
      const line = `Event "${sanitizeForTerminal(event.name)}" has the id ${event.id}.`;
      showResult(io, options, json(event), line);
    },
  });
}

function editCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'edit',
    summary: 'Rename an event; its id and its tickets stay unchanged.',
    argument: EVENT,
    options: (command) => command.requiredOption('--name <name>', 'the new name'),
    json: EVENT_AS_JSON,
    run: async ({ call, findEvent }, options, nameOrId) => {
      const { id } = await findEvent(nameOrId);
      const renamed = await call(renameEvent, { id, name: options.name });
      const line = `Event ${id} is now named "${sanitizeForTerminal(renamed.name)}".`;
      showResult(io, options, json(renamed), line);
    },
  });
}

/** @param life what the command does, and what it says of the event afterwards */
function lifeCommand(
  io: CliIo,
  life: {
    readonly operation: typeof archiveEvent | typeof unarchiveEvent;
    readonly name: string;
    readonly summary: string;
    readonly done: string;
  },
) {
  return dataCommand(io, {
    name: life.name,
    summary: life.summary,
    argument: EVENT,
    json: EVENT_AS_JSON,
    run: async ({ call, findEvent }, options, nameOrId) => {
      const { id } = await findEvent(nameOrId);
      const event = await call(life.operation, { id });
      const line = `Event "${sanitizeForTerminal(event.name)}" ${life.done}`;
      showResult(io, options, json(event), line);
    },
  });
}

function listCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'list',
    summary: 'List the events that are not archived.',
    options: (command) => command.option('--archived', 'with archived events'),
    json: 'a JSON array',
    run: async (access, options) => {
      const all = await access.list('event');
      const { archived = false } = options;
      const events = all.filter(({ archivedAt }) => archived || archivedAt === null);
      if (options.json) {
        io.out(JSON.stringify(events.map(jsonWithInside), null, 2));
        return;
      }
      if (all.length === 0)
        note(io, 'No events yet. Create one: ticketscan events create --name "Summer pool"');
      const organisations = namesOf(await access.list('organisation'));
      showList(io, events, { archived, organisations, zone: await zoneOf(access) });
      const hidden = all.length - events.length;
      if (hidden > 0) note(io, `${hidden} archived; --archived shows them too.`);
    },
  });
}

const HEADS = ['ID', 'NAME', 'ORGANISATION', 'INSIDE', 'IN', 'OUT'];

function showList(
  io: CliIo,
  events: readonly Event[],
  { archived, organisations, zone }: { archived: boolean; organisations: Names; zone: string },
): void {
  const rows = events.map(({ id, name, organisationId, archivedAt, inside }) => [
    ...[id, name, withName(organisationId, organisations)],
    ...[inside.people, inside.entered, inside.exited].map(String),
    shownTime(inside.resetAt, zone) ?? '',
    ...(archived ? [shownTime(archivedAt, zone) ?? ''] : []),
  ]);
  showTable(io, [...HEADS, inZone('RESET', zone), ...(archived ? ['ARCHIVED'] : [])], rows);
}

function resetInsideCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'reset-inside',
    summary: 'Set the count of people inside an event to 0, for example before it opens.',
    argument: EVENT,
    yes: true,
    json: EVENT_AS_JSON,
    run: async ({ call, findEvent }, options, nameOrId) => {
      const { id, name } = await findEvent(nameOrId);
      const consequence = `The count of people inside "${sanitizeForTerminal(name)}" begins again at 0.`;
      if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
      const event = await call(resetInside, { id });
      const line = `Nobody is inside "${sanitizeForTerminal(name)}" from now on.`;
      showResult(io, options, jsonWithInside(event), line);
    },
  });
}

const DELETE_HELP = `
Examples:
  ticketscan events delete "Ice rink" --yes                    an empty one, without a question
  ticketscan tickets export --event Summer --out summer.csv    keeps the list
  ticketscan events delete Summer --with-tickets               asks, then deletes everything

With --with-tickets no scan of its tickets is admitted from the first moment on. Servers can be running. If it is cut short, run it
again, or start the server: it goes on where it was. Sums for the statistics stay, by day, without names.`;

interface DeleteOptions extends CommonOptions {
  readonly withTickets?: boolean;
}

/** `ticketscan events delete`: of an event that was never needed, or with everything that belongs to it. */
function deleteCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'delete',
    summary: 'Delete an event: an empty one, or one with its tickets.',
    argument: EVENT,
    options: (command) =>
      command.option(
        '--with-tickets',
        'with its tickets, their holders and its log entries; export them first',
      ),
    yes: 'delete it without a question; needed where no terminal can ask',
    json: 'the event as JSON, and `keys`: the ids of keys that lost it from their scope',
    help: DELETE_HELP,
    run: async (access, options, nameOrId) => {
      if (options.withTickets && (await goOn(io, access, 'event', nameOrId, options))) return;
      await deleteNamed(io, access, nameOrId, options);
    },
  });
}

async function deleteNamed(
  io: CliIo,
  access: DataAccess,
  nameOrId: string,
  options: DeleteOptions,
): Promise<void> {
  const event = await access.findEvent(nameOrId);
  const { id, name, organisationId } = event;
  const keys = (await access.list('key')).filter(
    ({ events }) => events !== 'all' && events.includes(id),
  );
  const owners = await access.list('organisation');
  const zone = chosenZone(undefined, owners.find((one) => one.id === organisationId) ?? {});
  const content = options.withTickets
    ? contentText(await access.call(showEventDeletion, { id }), zone)
    : '';
  const consequence = sanitizeForTerminal(
    `The event "${name}" is deleted permanently${content}.${scopesOf(keys)}`,
  );
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  await access.call(deleteEvent, { id, withTickets: options.withTickets ? 'true' : 'false' });
  const value = { ...json(event), keys: keys.map((key) => key.id) };
  const line = sanitizeForTerminal(`Event "${name}" is deleted.${scopesOf(keys)}`);
  showResult(io, options, value, line);
}

/** What is deleted together with an event: the confirmation names it. */
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
  io: CliIo,
  { local }: Pick<DataAccess, 'local'>,
  what: 'event' | 'organisation',
  nameOrId: string,
  options: CommonOptions,
): Promise<boolean> {
  if (!local) return false;
  const begun = (await unfinishedDeletions(local.store)).find(
    (one) => one.what === what && (one.id === nameOrId || one.name === nameOrId),
  );
  if (!begun) return false;
  await finishDeletions(local.store, local.clock);
  const { id, name } = begun;
  const kind = what === 'event' ? 'Event' : 'Organisation';
  const line = sanitizeForTerminal(`${kind} "${name}" is deleted: what was left of it is gone.`);
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
