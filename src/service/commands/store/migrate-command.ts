import { Command } from 'commander';
import type { CliIo } from '../../../terminal/io.ts';
import { withElapsed } from '../../../terminal/progress.ts';
import { addSettings, readSettings } from '../../../terminal/setting-options.ts';
import { requireExistingStore } from '../access/existing-store.ts';
import { STORE_SETTINGS, withStore } from '../access/store-access.ts';

const HELP = `
Every server and every command but "store info" and "doctor" migrates the store that it opens, in one transaction. This command does
only that, if you want to do it in advance. Stores from before the first release are refused. A SQLite store is first copied to FILE.format-N, N being the earlier format: an older
program cannot open a newer format, but this copy. Back up a PostgreSQL database before.`;

/** `ticketscan store migrate`: brings the format of a store up to date. */
export function migrateCommand(io: CliIo): Command {
  const migrate = new Command('migrate')
    .description('Migrate a store to the current format, and print the old and new version.')
    .option('--json', '{"from", "to"}')
    .addHelpText('after', HELP)
    .action(async (options: { json?: boolean }) => {
      requireExistingStore(readSettings(STORE_SETTINGS, { ...options }, io).store);
      // It is opening that migrates.
      const { version, versionFound } = await withElapsed(io, 'migrating', () =>
        withStore(io, { ...options }, async ({ store }) => (await store.info()).format),
      );
      if (options.json) io.out(JSON.stringify({ from: versionFound, to: version }));
      else if (version === versionFound) io.out(`Format ${version} is up to date.`);
      else io.out(`Migrated from format ${versionFound} to ${version}.`);
    });
  return addSettings(migrate, STORE_SETTINGS);
}
