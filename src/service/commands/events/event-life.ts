import { Command } from 'commander';
import { chosenZone, inZone, shownTime } from '../../../core/time-zone.ts';
import { counted } from '../../../kit/counted.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { confirm } from '../../../terminal/confirm.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { showResult } from '../../../terminal/results.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import type { DeletionFacts } from '../../manage/deletions.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';
import { shownEvent } from './event-view.ts';

interface LifeOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const DONE = {
  archive: 'is archived. Lists and choices no longer show it; its tickets scan as before.',
  unarchive: 'is shown again.',
};

/** `ticketscan events archive` and `unarchive`. */
export function archiveCommand(io: CliIo, act: 'archive' | 'unarchive'): Command {
  const description =
    act === 'archive'
      ? 'Hide an event in lists and choices; its tickets scan as before.'
      : 'Show an archived event again.';
  const command = new Command(act)
    .description(description)
    .argument('<event>', 'its id or name')
    .option('--json', 'the event as JSON')
    .action(async (nameOrId: string, options: LifeOptions) => {
      await withData(io, { ...options }, async ({ administration }) => {
        const event = await administration.findEvent(nameOrId);
        const changed = await administration[`${act}Event`](event);
        const line = `Event "${sanitizeForTerminal(changed.name)}" ${DONE[act]}`;
        showResult(io, options, shownEvent(changed), line);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

/** `ticketscan events delete`: of an event that was never needed, or with everything that belongs to it. */
export function deleteCommand(io: CliIo): Command {
  const command = new Command('delete')
    .description('Delete an event: an empty one, or one with its tickets.')
    .argument('<event>', 'its id or name')
    .option(
      '--with-tickets',
      'with its tickets, their holders and its log entries; export them first',
    )
    .option('--yes', 'delete it without a question; needed where no terminal can ask')
    .option(
      '--json',
      'the event as JSON, and `keys`: the ids of keys that lost it from their scope',
    )
    .addHelpText('after', HELP)
    .action(async (nameOrId: string, options: DeleteOptions) => {
      await withData(io, { ...options }, async (access) => {
        if (options.withTickets && (await goOn(io, access, 'event', nameOrId, options))) return;
        await deleteEvent(io, access, nameOrId, options);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

interface DeleteOptions extends LifeOptions {
  readonly withTickets?: boolean;
}

const HELP = `
Examples:
  ticketscan events delete "Ice rink" --yes                    an empty one, without a question
  ticketscan tickets export --event Summer --out summer.csv    keeps the list
  ticketscan events delete Summer --with-tickets               asks, then deletes everything

With --with-tickets no scan of its tickets is admitted from the first moment on. Servers can be running. If it is cut short, run it
again, or start the server: it goes on where it was. Sums for the statistics stay, by day, without names.`;

async function deleteEvent(
  io: CliIo,
  { administration, store, deletions }: DataAccess,
  nameOrId: string,
  options: DeleteOptions,
): Promise<void> {
  const event = await administration.findEvent(nameOrId);
  const keys = (await store.list('key')).filter(
    ({ events }) => events !== 'all' && events.includes(event.id),
  );
  const owners = await store.list('organisation');
  const zone = chosenZone(undefined, owners.find(({ id }) => id === event.organisationId) ?? {});
  const content = options.withTickets
    ? contentText(await administration.deletionFacts(event), zone)
    : '';
  const consequence = sanitizeForTerminal(
    `The event "${event.name}" is deleted permanently${content}.${scopesOf(keys)}`,
  );
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  if (options.withTickets) {
    await administration.deleteEventWithTickets(event);
    await deletions.finish();
  } else {
    await administration.deleteEvent(event);
  }
  const value = { ...shownEvent(event), keys: keys.map(({ id }) => id) };
  const line = sanitizeForTerminal(`Event "${event.name}" is deleted.${scopesOf(keys)}`);
  showResult(io, options, value, line);
}

/** What goes with it, for the question. */
export function contentText({ tickets, valid, lastScanAt }: DeletionFacts, zone: string): string {
  const still = valid === 0 ? 'none of them valid' : `${valid} of them STILL VALID`;
  const scanned =
    lastScanAt === null
      ? 'never scanned'
      : `last scanned ${inZone(shownTime(lastScanAt, zone), zone)}`;
  return `, with ${counted(tickets, 'ticket')} (${still}; ${scanned}) and all log entries about them`;
}

/** Ends a deletion that was cut short. @returns false when there is none of that name */
export async function goOn(
  io: CliIo,
  { deletions }: DataAccess,
  what: 'event' | 'organisation',
  nameOrId: string,
  options: { readonly json?: boolean },
): Promise<boolean> {
  const begun = (await deletions.unfinished()).find(
    (one) => one.what === what && (one.id === nameOrId || one.name === nameOrId),
  );
  if (!begun) return false;
  await deletions.finish();
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
