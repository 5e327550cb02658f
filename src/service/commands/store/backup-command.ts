import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../../../config/system-clock.ts';
import { messageOf, TicketscanError } from '../../../core/errors.ts';
import { counted } from '../../../kit/counted.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { collected } from '../../../terminal/option-values.ts';
import { Progress } from '../../../terminal/progress.ts';
import { addSettings, readSettings } from '../../../terminal/setting-options.ts';
import { noteBackup } from '../../manage/last-backup.ts';
import { openStore, parseStoreUrl } from '../../stores/open-store.ts';
import { removeLeftBehind } from '../../stores/restore/found-files.ts';
import type { VerifyReport } from '../../stores/store.ts';
import { requireExistingStore } from '../access/existing-store.ts';
import { keyringPath, STORE_SETTINGS } from '../access/store-access.ts';
import type { SealOptions } from './backup/seal.ts';

const HELP = `
Examples:
  ticketscan store backup /backup/gate-$(date +%F).db
  ticketscan store backup /backup/gate-$(date +%F).age --encrypt --passphrase file:/etc/ticketscan/passphrase
  ticketscan store backup /backup/gate-$(date +%F).age --recipient age1…

Servers can be running: the backup is a snapshot of the store at the start, and is renamed to FILE only after an audit.
To restore, stop the server and run: ticketscan store restore FILE. The backup lacks later uses: tickets that were used since would
be admitted again.

An encrypted backup also has the signing keys and a self-signed certificate in it, and works for every kind of store; a PostgreSQL database
becomes a SQLite file. It is a tar archive in the format of age: without ticketscan, "age --decrypt FILE | tar -x" unpacks it. age-keygen makes a
recipient (age1…), which the machine at the gate may know, and an identity, which opens the backup: keep it elsewhere.`;

interface BackupOptions extends SealOptions {
  readonly json?: boolean;
}

/** `ticketscan store backup`: one file, from a store in use. */
export function backupCommand(io: CliIo): Command {
  const backup = new Command('backup')
    .description(
      'Back up a store, also one in use, into one file, and audit it. Plain: SQLite only.',
    )
    .argument('<file>', 'must not exist yet')
    .option('--encrypt', 'encrypt it, and put the signing keys in')
    .option(
      '--passphrase <place>',
      'encrypt with it: env:NAME or file:PATH; without it --encrypt asks',
    )
    .option(
      '--recipient <recipient>',
      'encrypt for an age recipient (age1…); may be repeated',
      collected,
    )
    .option('--json', '{"file", "bytes", "tickets", "scans", "encrypted", "files"}')
    .addHelpText('after', HELP)
    .action(async (file: string, options: BackupOptions) => {
      const settings = readSettings(STORE_SETTINGS, { ...options }, io);
      const target = newFile(file);
      requireExistingStore(settings.store);
      const { encrypt, passphrase, recipient } = options;
      // Who names a passphrase or recipient wants no plain file.
      const startedAt = systemClock.now();
      const isSealed = encrypt || passphrase !== undefined || recipient !== undefined;
      const keyring = keyringPath(settings.store, settings.keyring) as string;
      if (isSealed) await makeSealed(io, { url: settings.store, keyring, target }, options);
      else await makePlain(io, { url: settings.store, keyring, target }, options);
      await noteMade(io, settings.store, startedAt);
    });
  return addSettings(backup, STORE_SETTINGS);
}

interface ToBackUp {
  readonly url: string;
  readonly keyring: string;
  readonly target: string;
}

function newFile(file: string): string {
  const target = resolve(file);
  if (existsSync(target)) {
    throw new TicketscanError('conflict', `${target} already exists. Name a new file.`);
  }
  if (!existsSync(dirname(target))) {
    throw new TicketscanError('usage', `The folder ${dirname(target)} does not exist.`);
  }
  return target;
}

async function makeSealed(io: CliIo, backup: ToBackUp, options: BackupOptions): Promise<void> {
  const [{ encrypterFor }, { makeSealedBackup }] = await Promise.all([
    import('./backup/seal.ts'),
    import('./backup/make-sealed.ts'),
  ]);
  const encrypter = await encrypterFor(options, io);
  const { report, files } = await makeSealedBackup(io, backup, encrypter);
  show(io, backup.target, report, { encrypted: true, files }, options);
  if (options.json) return;
  note(io, `In it: ${files.join(', ')}.`);
  const secret = options.recipient ? 'the identity of a recipient' : 'the passphrase';
  note(
    io,
    `Only ${secret} opens it. Keep that in another place, and try: ticketscan store restore.`,
  );
}

async function makePlain(io: CliIo, backup: ToBackUp, options: BackupOptions): Promise<void> {
  const { url, keyring, target } = backup;
  const address = parseStoreUrl(url);
  if (address.engine !== 'sqlite') {
    throw new TicketscanError(
      'usage',
      `A plain backup works for SQLite only. Add --encrypt, which works for every store, or copy the ${address.engine} store: ticketscan store copy <url> sqlite:./backup.db.`,
    );
  }
  const { backupWithProgress } = await import('./backup/snapshot-sqlite.ts');
  removeLeftBehind(target);
  const progress = new Progress(io, systemClock.monotonicMs);
  const report = await backupWithProgress(progress, address.path, target);
  show(io, target, report, { encrypted: false, files: null }, options);
  note(io, `The signing keys are not in it. Keep a copy of ${keyring} as well, or add --encrypt.`);
}

/** For doctor and the dashboard. What was made is a backup also where the store takes no note of it. */
async function noteMade(io: CliIo, url: string, startedAt: number): Promise<void> {
  try {
    const store = await openStore(url, { keepFormat: true });
    try {
      await noteBackup(store, startedAt);
    } finally {
      await store.close();
    }
  } catch (error) {
    const why = messageOf(error);
    note(
      io,
      `doctor and the dashboard will not count this backup, because it could not be noted in the store: ${why}`,
    );
  }
}

function show(
  io: CliIo,
  file: string,
  { tickets, scans }: VerifyReport,
  what: { encrypted: boolean; files: readonly string[] | null },
  { json }: BackupOptions,
): void {
  const bytes = statSync(file).size;
  if (json) {
    io.out(JSON.stringify({ file, bytes, tickets, scans, ...what }));
    return;
  }
  const how = what.encrypted ? 'sound, encrypted' : 'sound';
  const counts = `${counted(tickets, 'ticket')}, ${counted(scans, 'scan')}`;
  io.out(`${file}: ${counts}, ${bytes} bytes; ${how}.`);
}
