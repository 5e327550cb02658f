import { Command } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { withElapsed } from '../../../terminal/progress.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { addSettings, readSettings } from '../../../terminal/setting-options.ts';
import { applyRetention } from '../../manage/retention.ts';
import { requireExistingStore } from '../access/existing-store.ts';
import { STORE_SETTINGS, withStore } from '../access/store-access.ts';

const RETENTION_SETTINGS = ['keepLogDays', 'keepHoldersDays'] as const;

const HELP = `
Example:
  ticketscan privacy apply --keep-log-days 365 --keep-holders-days 30 --yes

A server with the same settings does this once a day. Counters, tickets and the audit log stay. The days of a holder begin when the ticket
is used up, is cancelled or is no longer valid. Nothing is removed from a store that does not pass its audit.`;

/** `ticketscan privacy apply`: removes what is kept no longer. */
export function applyCommand(io: CliIo): Command {
  const apply = new Command('apply')
    .description('Remove log entries and holders that are older than they are to be kept.')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', '{"entries", "holders", "purged"}')
    .addHelpText('after', HELP)
    .action(async (options: { yes?: boolean; json?: boolean }) => {
      const { store: url } = readSettings(STORE_SETTINGS, { ...options }, io);
      const retention = readSettings(RETENTION_SETTINGS, { ...options }, io);
      if (retention.keepLogDays === undefined && retention.keepHoldersDays === undefined)
        throw new TicketscanError(
          'usage',
          'Say how long: --keep-log-days N, --keep-holders-days N.',
        );
      requireExistingStore(url);
      const consequence = 'Everything older is removed permanently.';
      if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
      await withStore(io, { ...options }, async ({ store, clock }) => {
        const done = await withElapsed(io, 'auditing and removing', () =>
          applyRetention(store, clock, retention, true),
        );
        if (options.json) io.out(JSON.stringify(done));
        else
          io.out(`Removed ${done.entries} log entries and the holders of ${done.holders} tickets.`);
        if (!done.purged)
          note(io, 'Bytes of them may still be in the files: see ticketscan privacy clean --help.');
      });
    });
  return addSettings(apply, [...STORE_SETTINGS, ...RETENTION_SETTINGS]);
}
