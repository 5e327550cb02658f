import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { readStoredKeys } from '../../../config/keyring-file.ts';
import { systemClock } from '../../../config/system-clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { confirm } from '../../../terminal/confirm.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { shownTime } from '../../../terminal/local-time.ts';
import { note } from '../../../terminal/messages.ts';
import { Progress } from '../../../terminal/progress.ts';
import { addSettings, readSettings } from '../../../terminal/setting-options.ts';
import { temporaryName } from '../../../tickets/files/atomic-file.ts';
import { fileFailure } from '../../../tickets/files/file-failure.ts';
import { auditEntryOf, COMMAND_LINE } from '../../manage/actor.ts';
import { describeStoreUrl, parseStoreUrl } from '../../stores/open-store.ts';
import { engineOfFile } from '../../stores/restore/engine-of-file.ts';
import { type HeldPlace, nameForReplaced } from '../../stores/restore/held-place.ts';
import { holdPlace } from '../../stores/restore/hold-place.ts';
import {
  auditStaged,
  copyBackup,
  type FileEngine,
  removeStaged,
  type StagedBackup,
  sizeOfBackup,
} from '../../stores/restore/stage-backup.ts';
import { keyringPath, STORE_SETTINGS } from '../access/store-access.ts';

const HELP = `
Examples:
  ticketscan store restore /backup/gate-2026-07-01.db
  ticketscan store restore /backup/gate.json --store json:./ticketscan.json --yes

Stop every server on the store first. The backup is copied, brought to the current format and audited, and only then takes the place
of the store; the old store stays beside it under a new name. Scans, tickets and changes after the backup are forgotten: tickets that were used
since are admitted again, keys that were deleted since are accepted again. The keyring must be there: no plain backup contains it.
A PostgreSQL database is restored by its own tools: pg_restore.`;

interface RestoreOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Restore {
  readonly io: CliIo;
  readonly options: RestoreOptions;
  readonly backup: string;
  readonly url: string;
  readonly engine: FileEngine;
  readonly staged: string;
  readonly keyring: string;
}

/** `ticketscan store restore`: a backup takes the place of a store. */
export function restoreCommand(io: CliIo): Command {
  const restore = new Command('restore')
    .description('Put a backup in the place of a SQLite or JSON store, and keep the old store.')
    .argument('<backup>', 'a file of store backup, or the document of a JSON store')
    .option('--yes', 'restore without a question; needed where no terminal can ask')
    .option('--json', '{"store", "backup", "tickets", "scans", "forgottenUses", "replaced"}')
    .addHelpText('after', HELP)
    .action(async (file: string, options: RestoreOptions) => {
      const { store: url, keyring } = readSettings(STORE_SETTINGS, { ...options }, io);
      const backup = resolve(file);
      const { engine, path } = placeFor(url, backup);
      const staged = temporaryName(path);
      const keys = keyringPath(url, keyring) as string;
      try {
        await restoreBackup({ io, options, backup, url, engine, staged, keyring: keys });
      } catch (error) {
        throw fileFailure(backup, error);
      } finally {
        removeStaged(staged);
      }
    });
  return addSettings(restore, STORE_SETTINGS);
}

/** @throws TicketscanError `usage` where nothing can be restored, or not from this file */
function placeFor(url: string, backup: string): { engine: FileEngine; path: string } {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory')
    throw new TicketscanError('usage', 'A store in memory would be lost when this command ends.');
  if (address.engine === 'postgres') {
    throw new TicketscanError(
      'usage',
      `${describeStoreUrl(url)} is restored by PostgreSQL's own tools. Stop every server, make an empty database, and use pg_restore ` +
        '(or psql for a plain dump). A backup in a file goes into an empty database with: ticketscan store copy sqlite:FILE postgres://…',
    );
  }
  const { engine, path } = address;
  if (!existsSync(dirname(path)))
    throw new TicketscanError(
      'usage',
      `The folder ${dirname(path)} does not exist. Create it first.`,
    );
  if (!existsSync(backup)) throw new TicketscanError('usage', `${backup} does not exist.`);
  if (path === backup)
    throw new TicketscanError('usage', `${backup} is the store itself. Name a backup.`);
  const found = engineOfFile(backup);
  if (found !== engine) {
    throw new TicketscanError(
      'usage',
      `${backup} is a ${found} store, and ${describeStoreUrl(url)} is another engine. Name the place with --store ${found}:PATH, ` +
        `or copy it into an empty store: ticketscan store copy ${found}:${backup} ${url}`,
    );
  }
  return { engine, path };
}

async function restoreBackup(restore: Restore): Promise<void> {
  const { io, options, engine, staged, url } = restore;
  // First of all: nobody waits for a copy that then may not be used.
  const place = holdPlace(url);
  try {
    const found = await stage(restore);
    checkKeyring(restore, found);
    const keptAs = nameForReplaced(place.path, systemClock.now());
    const forgotten = place.usesAfter(found.newest);
    const consequence = consequenceOf(place, found, forgotten, keptAs);
    if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
    if (options.yes && !options.json) note(io, consequence);
    place.replaceBy(staged, keptAs);
    const replaced = place.isEmpty ? null : keptAs;
    show(restore, found, place.path, { forgotten: forgotten ?? null, replaced, engine });
  } finally {
    place.release();
  }
}

async function stage({ io, backup, engine, staged }: Restore): Promise<StagedBackup> {
  const progress = new Progress(io, systemClock.monotonicMs);
  progress.begin('copying bytes', sizeOfBackup(engine, backup));
  try {
    await copyBackup(engine, backup, staged, (bytes) => progress.update(bytes));
  } finally {
    progress.clear();
  }
  const details = { backup: basename(backup) };
  const change = { act: 'store.restore', subject: '', organisationId: null, details };
  return auditStaged(engine, staged, auditEntryOf(COMMAND_LINE, systemClock, change));
}

const FIRST_RUN_MS = 60_000;

/** @throws TicketscanError `keyring` when no ticket of the backup could be verified */
function checkKeyring({ io, keyring }: Restore, { report, firstTicket }: StagedBackup): void {
  if (!firstTicket) return;
  if (!existsSync(keyring)) {
    throw new TicketscanError(
      'keyring',
      `The backup has ${report.tickets} tickets, but their keyring ${keyring} is missing. Put the keyring there that was kept with the ` +
        'backup, or name it with --keyring. Nothing was changed.',
    );
  }
  const oldest = Math.min(...readStoredKeys(keyring).map(({ createdAt }) => Date.parse(createdAt)));
  // A first run makes the ticket just before its keyring.
  if (firstTicket.createdAt >= oldest - FIRST_RUN_MS) return;
  io.err(
    `Is ${keyring} the keyring of this backup? Its oldest key was made at ${shownTime(oldest)}, after the first ticket ` +
      `(${shownTime(firstTicket.createdAt)}). Codes that an absent key signed are refused; ticketscan decode shows whether a printed one is good.`,
  );
}

function consequenceOf(
  place: HeldPlace,
  { report, newest }: StagedBackup,
  forgotten: number | undefined,
  keptAs: string,
): string {
  const until = newest ? `the last scan at ${shownTime(newest.at)}` : 'no scans';
  const backup = `The backup has ${report.tickets} tickets and ${report.scans} scans, with ${until}.`;
  if (place.isEmpty) return `${backup} It becomes the store ${place.path}.`;
  const uses =
    forgotten === undefined
      ? 'All later uses are forgotten (how many cannot be told: the old store is damaged, or is not the one of the backup)'
      : `${forgotten === 1 ? '1 later use is' : `${forgotten} later uses are`} forgotten`;
  return (
    `${backup} ${uses}: those tickets would be admitted again. Tickets, keys and accounts are as they were then; ` +
    `check for keys that were deleted and tickets that were cancelled since. The old store stays as ${keptAs}.`
  );
}

function show(
  { io, options, backup }: Restore,
  { report }: StagedBackup,
  path: string,
  {
    forgotten,
    replaced,
    engine,
  }: { forgotten: number | null; replaced: string | null; engine: FileEngine },
): void {
  const { tickets, scans } = report;
  if (options.json) {
    const json = { store: `${engine}:${path}`, backup, tickets, scans, forgottenUses: forgotten };
    io.out(JSON.stringify({ ...json, replaced }));
    return;
  }
  io.out(`${path}: restored from ${backup}, ${tickets} tickets, ${scans} scans; sound.`);
  if (replaced !== null)
    note(io, `The old store is ${engine}:${replaced}. Remove it when you are sure.`);
}
