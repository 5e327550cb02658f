import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../../../config/system-clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { counted } from '../../../kit/counted.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { Progress } from '../../../terminal/progress.ts';
import { addSettings, readSettings } from '../../../terminal/setting-options.ts';
import { temporaryName } from '../../../tickets/files/atomic-file.ts';
import { fileFailure } from '../../../tickets/files/file-failure.ts';
import { parseStoreUrl } from '../../stores/open-store.ts';
import { requireExistingStore } from '../access/existing-store.ts';
import { keyringPath, STORE_SETTINGS } from '../access/store-access.ts';

const HELP = `
Example:
  ticketscan store backup /backup/gate-$(date +%F).db

Servers can be running: the backup is a snapshot of the store at the start, and is renamed to FILE only after an audit.
To restore, stop the server and run: ticketscan store restore FILE. The backup lacks later uses: tickets that were used since would
be admitted again.`;

/** `ticketscan store backup`: one file, from a SQLite store in use. */
export function backupCommand(io: CliIo): Command {
  const backup = new Command('backup')
    .description('Back up a SQLite store, also one in use, into one file, and audit the file.')
    .argument('<file>', 'must not exist yet')
    .option('--json', '{"file", "bytes", "tickets", "scans"}')
    .addHelpText('after', HELP)
    .action(async (file: string, options: { json?: boolean }) => {
      const { store, keyring } = readSettings(STORE_SETTINGS, { ...options }, io);
      const path = sqlitePathOf(store);
      const target = resolve(file);
      if (existsSync(target)) {
        throw new TicketscanError('conflict', `${target} already exists. Name a new file.`);
      }
      if (!existsSync(dirname(target))) {
        throw new TicketscanError('usage', `The folder ${dirname(target)} does not exist.`);
      }
      const report = await backupWithProgress(io, path, target);
      const bytes = statSync(target).size;
      const { tickets, scans } = report;
      if (options.json) io.out(JSON.stringify({ file: target, bytes, tickets, scans }));
      else
        io.out(
          `${target}: ${counted(tickets, 'ticket')}, ${counted(scans, 'scan')}, ${bytes} bytes; sound.`,
        );
      const keys = keyringPath(store, keyring);
      if (keys) note(io, `The signing keys are not in it. Keep a copy of ${keys} as well.`);
    });
  return addSettings(backup, STORE_SETTINGS);
}

function sqlitePathOf(url: string): string {
  const address = parseStoreUrl(url);
  if (address.engine !== 'sqlite') {
    throw new TicketscanError(
      'usage',
      `Backup works for SQLite only. Copy a ${address.engine} store instead: ticketscan store copy <url> sqlite:./backup.db.`,
    );
  }
  requireExistingStore(url);
  return address.path;
}

async function backupWithProgress(io: CliIo, path: string, target: string) {
  const { backupDatabase } = await import('../../stores/sqlite/backup.ts');
  const progress = new Progress(io, systemClock.monotonicMs);
  let total = 0;
  try {
    return await backupDatabase(path, target, temporaryName(target), (pages, pagesInAll) => {
      if (total !== pagesInAll) progress.begin('pages', pagesInAll);
      total = pagesInAll;
      progress.update(pages);
    });
  } catch (error) {
    throw fileFailure(target, error);
  } finally {
    progress.clear();
  }
}
