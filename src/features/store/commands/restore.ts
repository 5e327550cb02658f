import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readStoredKeys } from '../../../config/keyring-file.ts';
import { systemClock } from '../../../config/system-clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { MINUTE_MS } from '../../../kit/durations.ts';
import { counted } from '../../../kit/text.ts';
import { describeStoreUrl, parseStoreUrl } from '../../../stores/open-store.ts';
import {
  type LockedStore,
  nameForReplaced,
  removeLeftBehind,
  startOfFile,
} from '../../../stores/replaced-files.ts';
import type { VerifyReport } from '../../../stores/store.ts';
import { plainCommand } from '../../../terminal/command.ts';
import { note } from '../../../terminal/io.ts';
import { readSettings } from '../../../terminal/options.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { fileError, temporaryName } from '../../../tickets/files.ts';
import { asksSites } from '../../sites/asked-events.ts';
import { keyringPath, STORE_SETTINGS } from '../opening.ts';
import { type KeyringPlan, keyringConsequence, planKeyring, putSite } from '../restore-site.ts';
import {
  addUnsealOptions,
  decrypterFor,
  type FileEngine,
  sitePaths,
  type UnsealOptions,
} from '../sealed-archive.ts';
import {
  type BackupSource,
  kindOfBackup,
  lockStore,
  removeStaged,
  type StagedBackup,
  stageBackup,
} from '../staged-backup.ts';

const HELP = `
Examples:
  ticketscan store restore /backup/gate-2026-07-01.db
  ticketscan store restore /backup/gate-2026-07-01.age --identity /media/usb/backup-identity.txt
  ticketscan store restore /backup/gate.json --store json:./ticketscan.json --yes

Stop every server on the store first. The command copies the backup, brings it to the current format and audits it. Only then it replaces
the store; the old store stays beside it under a new name. Scans, tickets and changes after the backup are lost: tickets that were used
since are admitted again, and keys that were deleted since are accepted again.

An encrypted backup contains its keyring. An existing keyring that has all keys of the backup is kept. Another keyring is replaced after a
question, and stays under a new name. A plain backup has no keyring, so the keyring must exist already. You can also restore the plain tar
file that "age --decrypt" makes of a backup.
Restore a PostgreSQL database with its own tools (pg_restore). To restore it from an encrypted backup, restore to a SQLite file and use store copy.`;

interface Restore extends BackupSource {
  readonly options: UnsealOptions;
  /** Its path, which may be a link to the one of `site`. */
  readonly keyring: string;
}

/** `ticketscan store restore`: a backup takes the place of a store. */
export const restoreCommand = plainCommand({
  name: 'restore',
  summary: 'Replace a SQLite or JSON store by a backup, and keep the old store.',
  argument: ['<backup>', 'a file of store backup, or the document of a JSON store'],
  options: addUnsealOptions,
  yes: 'restore without a question; needed where no terminal can ask',
  json: '{"store", "backup", "tickets", "scans", "forgottenUses", "replaced", "keyring", "files"}',
  help: HELP,
  settings: STORE_SETTINGS,
  run: async (io, options, file) => {
    const { store: url, keyring } = readSettings(STORE_SETTINGS, options, io);
    const backup = resolve(file);
    const keys = keyringPath(url, keyring) as string;
    const { engine, path } = placeOf(url);
    const temporary = { staged: temporaryName(path), site: sitePaths(keys) };
    try {
      const kind = kindOfBackup(backup, { url, engine, path });
      const start = startOfFile(backup);
      const decrypter = kind === 'age' ? await decrypterFor(backup, start, options, io) : undefined;
      const source = { io, options, backup, kind, decrypter, url, engine, keyring: keys };
      await restoreBackup({ ...source, ...temporary });
    } catch (error) {
      throw fileError(placeOfFailure(error, backup), error);
    } finally {
      removeStaged(temporary);
    }
  },
});

/** The file that cannot be used. For a copied file, it may be the new place. */
function placeOfFailure(error: unknown, backup: string): string {
  const { path = backup, dest = path } = (error ?? {}) as { path?: string; dest?: string };
  return existsSync(path) ? dest : path;
}

/** @throws TicketscanError `usage` where nothing can be restored */
function placeOf(url: string): { engine: FileEngine; path: string } {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory')
    throw new TicketscanError('usage', 'A store in memory would be lost when this command ends.');
  if (address.engine === 'postgres') {
    throw new TicketscanError(
      'usage',
      `${describeStoreUrl(url)} is restored by PostgreSQL's own tools. Stop every server, make an empty database, and use pg_restore ` +
        '(or psql for a plain dump). A backup in a file goes into an empty database with: ticketscan store copy sqlite:FILE postgres://… ' +
        '(an encrypted one first into a file: ticketscan store restore BACKUP --store sqlite:FILE).',
    );
  }
  if (existsSync(dirname(address.path))) return address;
  throw new TicketscanError(
    'usage',
    `The folder ${dirname(address.path)} does not exist. Create it first.`,
  );
}

async function restoreBackup(restore: Restore): Promise<void> {
  const { io, options, staged, url, site } = restore;
  // First of all: nobody waits for a copy that then may not be used.
  const place = lockStore(url);
  try {
    for (const path of [place.path, ...Object.values(site)]) removeLeftBehind(path);
    const found = await stageBackup(restore);
    const plan = keyringPlan(restore, found);
    const keptAs = nameForReplaced(place.path, systemClock.now());
    const forgotten = place.usesAfter(found.newest);
    const consequence = `${consequenceOf(place, found, forgotten, keptAs)}${keyringConsequence(plan)}`;
    if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
    if (place.isEmpty) io.err(`New store: ${place.path}`);
    if (options.yes && !options.json) note(io, consequence);
    const files = putSite({ staged: found.site, site, plan, store: place.path }, () =>
      place.replaceBy(staged, keptAs),
    );
    const replaced = place.isEmpty ? null : keptAs;
    const forgottenUses = forgotten ?? null;
    show(restore, found.report, place.path, { forgottenUses, replaced, keyring: plan, files });
  } finally {
    place.release();
  }
}

/** Plans the keyring. @throws TicketscanError `keyring` if no ticket of the backup could be verified */
function keyringPlan(restore: Restore, found: StagedBackup): KeyringPlan {
  const { keyring: path, backup, site } = restore;
  const staged = found.site.keyring;
  if (staged === undefined) {
    checkKeyring(restore, found);
    return { path, act: 'kept', keptAs: null };
  }
  try {
    const plan = planKeyring(staged, site.keyring, systemClock.now());
    warnOfAge(restore, found, staged);
    return plan;
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    const message = error.message.replaceAll(staged, `in ${backup}`);
    throw new TicketscanError(error.code, message, { cause: error });
  }
}

/** @throws TicketscanError `keyring` when no ticket of the backup could be verified */
function checkKeyring(restore: Restore, found: StagedBackup): void {
  const { keyring } = restore;
  if (!found.firstTicket) return;
  if (!existsSync(keyring))
    throw new TicketscanError(
      'keyring',
      `The backup has ${counted(found.report.tickets, 'ticket')}, but their keyring ${keyring} is missing. Put the keyring there that was kept with ` +
        'the backup, or name it with --keyring. Nothing was changed.',
    );
  warnOfAge(restore, found, keyring);
}

/** @param path of the keyring to look at, which may be a temporary file */
function warnOfAge(
  { io, keyring }: Restore,
  { firstTicket, zone }: StagedBackup,
  path: string,
): void {
  if (!firstTicket) return;
  const oldest = Math.min(...readStoredKeys(path).map(({ createdAt }) => Date.parse(createdAt)));
  // A first run makes the ticket just before its keyring.
  if (firstTicket.createdAt >= oldest - MINUTE_MS) return;
  io.err(
    `Is ${keyring} the keyring of this backup? Its oldest key was made at ${timeInWords(oldest, zone)}, after the first ticket ` +
      `(${timeInWords(firstTicket.createdAt, zone)}). Codes that an absent key signed are refused; ticketscan decode shows whether a printed one is good.`,
  );
}

function consequenceOf(
  place: LockedStore,
  { report, newest, sites, zone }: StagedBackup,
  forgotten: number | undefined,
  keptAs: string,
): string {
  const until = newest ? `the last scan at ${timeInWords(newest.at, zone)}` : 'no scans';
  const counts = `${counted(report.tickets, 'ticket')} and ${counted(report.scans, 'scan')}`;
  const backup = `The backup has ${counts}, with ${until}.${centreWarning(sites)}`;
  if (place.isEmpty) return `${backup} It becomes the store ${place.path}.`;
  return (
    `${backup} ${usesForgotten(forgotten)} Tickets, keys and accounts are as they were then; ` +
    `check for keys that were deleted and tickets that were cancelled since. The old store stays as ${keptAs}.`
  );
}

/** A centre does not know what it gave away since. */
function centreWarning(sites: number): string {
  if (sites === 0) return '';
  return ` ${asksSites('It', sites)} A site that was made after the backup is not known to it: stop its server first.`;
}

function timeInWords(time: number, zone: string): string {
  return inZone(shownTime(time, zone), zone);
}

function usesForgotten(count: number | undefined): string {
  const again = 'those tickets would be admitted again.';
  if (count === 0) return 'No later use is forgotten.';
  if (count === 1) return `1 later use is forgotten: ${again}`;
  if (count !== undefined) return `${count} later uses are forgotten: ${again}`;
  const why = 'the old store is damaged, or is not the one of the backup';
  return `All later uses are forgotten (how many cannot be told: ${why}): ${again}`;
}

function show(
  { io, options, backup, engine }: Restore,
  { tickets, scans }: VerifyReport,
  path: string,
  restored: {
    forgottenUses: number | null;
    replaced: string | null;
    keyring: KeyringPlan;
    files: string[];
  },
): void {
  const { replaced, keyring, files } = restored;
  if (options.json) {
    io.out(JSON.stringify({ store: `${engine}:${path}`, backup, tickets, scans, ...restored }));
    return;
  }
  const counts = `${counted(tickets, 'ticket')}, ${counted(scans, 'scan')}`;
  io.out(`${path}: restored from ${backup}, ${counts}; sound.`);
  for (const file of files) io.out(`${file}: restored.`);
  if (keyring.keptAs !== null)
    note(io, `The old keyring is ${keyring.keptAs}. Keep it for its codes.`);
  if (replaced !== null)
    note(io, `The old store is ${engine}:${replaced}. Remove it when you are sure.`);
}
