import { Command } from 'commander';
import type { EventRecord } from '../../core/records.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import { confirm } from '../../terminal/confirm.ts';
import type { CliIo } from '../../terminal/io.ts';
import { note } from '../../terminal/messages.ts';
import { showResult } from '../../terminal/results.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import { showTable } from '../../terminal/table.ts';
import { insideView } from '../admin/views/inside-view.ts';
import type { Event } from '../admin/wire/organisation.ts';
import { DATA_SETTINGS, withData, withNewData } from './access/data-access.ts';
import { type Names, namesOf, withName } from './access/names.ts';
import { zoneOf } from './access/zone.ts';
import { archiveCommand, deleteCommand } from './events/event-life.ts';
import { shownEvent } from './events/event-view.ts';

const EXAMPLES = `
Examples:
  ticketscan events create --name "Summer pool"
  ticketscan events rename "Summer pool" --name "Summer pool 2027"
  ticketscan events archive "Summer pool 2027"
  ticketscan events list --json
  ticketscan events reset-inside "Summer pool"    nobody is inside from now on

Wherever a command takes an event, give its id, or its name if no other event has it.`;

/** `ticketscan events`: what tickets are for. */
export function command(io: CliIo): Command {
  return new Command('events')
    .description('Create, rename, archive, delete and list events; see how many people are inside.')
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(editCommand(io))
    .addCommand(archiveCommand(io, 'archive'))
    .addCommand(archiveCommand(io, 'unarchive'))
    .addCommand(deleteCommand(io))
    .addCommand(listCommand(io))
    .addCommand(resetInsideCommand(io));
}

function createCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create an event; in an empty store this also creates its organisation.')
    .requiredOption('--name <name>', 'the name')
    .option('--organisation <name>', 'organisation of the event; not needed if only one exists')
    .option('--json', 'the event as JSON')
    .action(async (options: { name: string; organisation?: string; json?: boolean }) => {
      await withNewData(io, options, async ({ administration }) => {
        const event = await administration.createEvent(options.name, options.organisation);
        const line = `Event "${sanitizeForTerminal(event.name)}" has the id ${event.id}.`;
        showResult(io, options, shownEvent(event), line);
      });
    });
  return addSettings(create, DATA_SETTINGS);
}

function editCommand(io: CliIo): Command {
  const edit = new Command('edit')
    .alias('rename')
    .description('Rename an event; its id and its tickets stay unchanged.')
    .argument('<event>', 'its id or name')
    .requiredOption('--name <name>', 'the new name')
    .option('--json', 'the event as JSON')
    .action(async (nameOrId: string, options: { name: string; json?: boolean }) => {
      await withData(io, options, async ({ administration }) => {
        const event = await administration.findEvent(nameOrId);
        const renamed = await administration.renameEvent(event, options.name);
        const line = `Event ${renamed.id} is now named "${sanitizeForTerminal(renamed.name)}".`;
        showResult(io, options, shownEvent(renamed), line);
      });
    });
  return addSettings(edit, DATA_SETTINGS);
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List the events that are not archived.')
    .option('--archived', 'with archived events')
    .option('--json', 'a JSON array')
    .action(async (options: { archived?: boolean; json?: boolean }) => {
      await withData(io, options, async ({ store }) => {
        const all = await store.list('event');
        const events = all.filter(({ archivedAt }) => options.archived || archivedAt === null);
        const counts = await store.listOccupancy();
        const insideOf = (id: string) => insideView(counts.find(({ eventId }) => eventId === id));
        if (options.json) {
          const shown = events.map((event) => ({
            ...shownEvent(event),
            inside: insideOf(event.id),
          }));
          io.out(JSON.stringify(shown, null, 2));
          return;
        }
        const organisations = namesOf(await store.list('organisation'));
        showList(io, all, events, {
          ...{ archived: options.archived === true, insideOf, organisations },
          zone: await zoneOf(store),
        });
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

interface ListView {
  readonly archived: boolean;
  readonly insideOf: (id: string) => Event['inside'];
  readonly organisations: Names;
  readonly zone: string;
}

function showList(
  io: CliIo,
  all: readonly EventRecord[],
  events: readonly EventRecord[],
  { archived, insideOf, organisations, zone }: ListView,
): void {
  if (all.length === 0)
    note(io, 'No events yet. Create one: ticketscan events create --name "Summer pool"');
  const heads = [...HEADS, inZone('RESET', zone), ...(archived ? ['ARCHIVED'] : [])];
  const rows = events.map(({ id, name, organisationId, archivedAt }) => {
    const { people, entered, exited, resetAt } = insideOf(id);
    const inside = [...[people, entered, exited].map(String), shownTime(resetAt, zone) ?? ''];
    return [
      id,
      name,
      withName(organisationId, organisations),
      ...inside,
      ...(archived ? [shownTime(archivedAt, zone) ?? ''] : []),
    ];
  });
  showTable(io, heads, rows);
  const hidden = all.length - events.length;
  if (hidden > 0) note(io, `${hidden} archived; --archived shows them too.`);
}

const HEADS = ['ID', 'NAME', 'ORGANISATION', 'INSIDE', 'IN', 'OUT'];

function resetInsideCommand(io: CliIo): Command {
  const reset = new Command('reset-inside')
    .description('Set the count of people inside an event to 0, for example before it opens.')
    .argument('<event>', 'its id or name')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'the event as JSON')
    .action(async (nameOrId: string, options: { yes?: boolean; json?: boolean }) => {
      await withData(io, options, async ({ administration }) => {
        const event = await administration.findEvent(nameOrId);
        const consequence = `The count of people inside "${sanitizeForTerminal(event.name)}" begins again at 0.`;
        if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
        const resetAt = await administration.resetInside(event);
        const inside = insideView({ eventId: event.id, entered: 0, exited: 0, resetAt });
        const line = `Nobody is inside "${sanitizeForTerminal(event.name)}" from now on.`;
        showResult(io, options, { ...shownEvent(event), inside }, line);
      });
    });
  return addSettings(reset, DATA_SETTINGS);
}
