import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import { syncPath } from '../../kit/files.ts';
import { createForOwner } from '../file-guards.ts';
import { lockFiles } from '../json/lock-files.ts';
import { openStore, parseStoreUrl } from '../open-store.ts';
import { lockDatabase } from '../sqlite/lock-database.ts';
import { copiesBeforeMigration } from '../sqlite/open-database.ts';
import type { VerifyReport } from '../store.ts';
import type { LockedStore } from './locked-store.ts';

/**
 * Locks the files of a store for this program alone.
 * @throws TicketscanError `store_busy` while another program uses it
 */
export function lockStore(url: string): LockedStore {
  const address = parseStoreUrl(url);
  if (!('path' in address)) throw new Error('this store is no file');
  return address.engine === 'json' ? lockFiles(address.path) : lockDatabase(address.path);
}

/** Engines whose stores are files. */
export type FileEngine = 'sqlite' | 'json';

/** The files of a store that is closed, by how their names end. */
export const CLOSED_FILES: Readonly<Record<FileEngine, readonly string[]>> = {
  sqlite: [''],
  json: ['', '.log'],
};

/** A backup that was copied to where it will be used, and is sound. */
export interface StagedBackup {
  readonly report: VerifyReport;
  readonly newest: LogEntry | undefined;
  readonly firstTicket: Ticket | undefined;
}

/**
 * Copies the files of a backup, for their owner only.
 * @param onProgress bytes that are copied
 * @throws Error of the system
 */
export async function copyBackup(
  engine: FileEngine,
  backup: string,
  staged: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  let copied = 0;
  for (const end of CLOSED_FILES[engine]) {
    createForOwner(`${staged}${end}`);
    const chunks = Readable.from(
      (async function* () {
        for await (const chunk of createReadStream(`${backup}${end}`)) {
          copied += chunk.length;
          onProgress(copied);
          yield chunk;
        }
      })(),
    );
    await pipeline(chunks, createWriteStream(`${staged}${end}`, { flags: 'r+', flush: true }));
  }
}

/** How large the files of a backup are. @throws TicketscanError `usage` for files that are no backup */
export function sizeOfBackup(engine: FileEngine, backup: string): number {
  refuseUnfinished(engine, backup);
  return CLOSED_FILES[engine].reduce((sum, end) => sum + statSync(`${backup}${end}`).size, 0);
}

function refuseUnfinished(engine: FileEngine, backup: string): void {
  const wal = statSync(`${backup}-wal`, { throwIfNoEntry: false });
  if (engine === 'sqlite' && wal && wal.size > 0) {
    throw new TicketscanError(
      'usage',
      `${backup}-wal holds a part of ${backup}, which is in use or was not closed. Make a backup of it first: ` +
        `ticketscan store backup FILE --store sqlite:${backup}`,
    );
  }
  if (engine === 'json' && !existsSync(`${backup}.log`)) {
    throw new TicketscanError(
      'usage',
      `${backup}.log is missing: a JSON store is both files. Copy it beside ${backup}.`,
    );
  }
}

/**
 * Opens a copy of a backup, which brings it to the current format, audits it, and records that it was restored.
 * @throws TicketscanError `store_damaged`, `store_newer`, and `conflict` for an incomplete copy
 */
export async function verifyStaged(
  engine: FileEngine,
  staged: string,
  auditEntry: NewAuditLogEntry,
): Promise<StagedBackup> {
  const store = await openStore(`${engine}:${staged}`);
  try {
    const report = await store.verify();
    const [problem] = report.problems;
    if (problem !== undefined) {
      throw new TicketscanError(
        'store_damaged',
        `The backup is not sound: ${problem} Nothing was changed; use another backup.`,
      );
    }
    const [newest] = await store.readLog({ limit: 1 });
    const [firstTicket] = await store.listTickets({ limit: 1 });
    await store.write({ audit: [auditEntry] });
    return { report, newest, firstTicket };
  } finally {
    await store.close();
    for (const end of CLOSED_FILES[engine]) await syncPath(`${staged}${end}`);
    await syncPath(dirname(staged));
  }
}

/** Removes the remains of a copy, used or not. */
export function removeStaged(staged: string): void {
  for (const end of ['', '.log', '.lock', '-wal', '-shm'])
    rmSync(`${staged}${end}`, { force: true });
  for (const copy of copiesBeforeMigration(staged)) rmSync(copy, { force: true });
}
