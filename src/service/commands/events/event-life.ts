import { Command } from 'commander';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { confirm } from '../../../terminal/confirm.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { showResult } from '../../../terminal/results.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
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

/** `ticketscan events delete`: of an event that was never needed. */
export function deleteCommand(io: CliIo): Command {
  const command = new Command('delete')
    .description('Delete an event that has no tickets and no log entries. Archive any other.')
    .argument('<event>', 'its id or name')
    .option('--yes', 'delete it without a question; needed where no terminal can ask')
    .option(
      '--json',
      'the event as JSON, and `keys`: the ids of keys that lost it from their scope',
    )
    .action(async (nameOrId: string, options: LifeOptions) => {
      await withData(io, { ...options }, (access) => deleteEvent(io, access, nameOrId, options));
    });
  return addSettings(command, DATA_SETTINGS);
}

async function deleteEvent(
  io: CliIo,
  { administration, store }: DataAccess,
  nameOrId: string,
  options: LifeOptions,
): Promise<void> {
  const event = await administration.findEvent(nameOrId);
  const keys = (await store.listKeys()).filter(
    ({ events }) => events !== 'all' && events.includes(event.id),
  );
  const consequence = `The event "${event.name}" is deleted permanently.${scopesOf(keys)}`;
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  await administration.deleteEvent(event);
  const value = { ...shownEvent(event), keys: keys.map(({ id }) => id) };
  const line = sanitizeForTerminal(`Event "${event.name}" is deleted.${scopesOf(keys)}`);
  showResult(io, options, value, line);
}

function scopesOf(keys: readonly { readonly name: string }[]): string {
  if (keys.length === 0) return '';
  const names = keys.map(({ name }) => `"${name}"`).join(', ');
  return ` These keys lose it from their scope: ${names}.`;
}
