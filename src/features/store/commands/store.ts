import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { systemClock } from '../../../config/system-clock.ts';
import { isoTime } from '../../../core/clock.ts';
import { refuse, TicketscanError } from '../../../core/errors.ts';
import { machineZone } from '../../../core/machine-zone.ts';
import { describeStoreUrl, openCopyTarget, parseStoreUrl } from '../../../stores/open-store.ts';
import type { Store, StoreInfo } from '../../../stores/store.ts';
import { type CopyReport, copyStore } from '../../../stores/transfer/copy-store.ts';
import { SECTIONS } from '../../../stores/transfer/records.ts';
import { commandGroup, plainCommand } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { readSettings } from '../../../terminal/options.ts';
import { Progress, withElapsed } from '../../../terminal/progress.ts';
import { showTable } from '../../../terminal/results.ts';
import { type StoreAccess, withStore } from '../../data-access.ts';
import { asksSites, sitesToAsk } from '../../sites/asked-events.ts';
import { zoneOf } from '../../time-zone.ts';
import {
  adviceOnOpenFiles,
  headOfInfo,
  keyringPath,
  openExistingStore,
  openOrMakeStore,
  requireExistingStore,
  STORE_SETTINGS,
  tellNotice,
} from '../opening.ts';
import { backupCommand } from './backup.ts';
import { restoreCommand } from './restore.ts';

const EXAMPLES = `
Examples:
  ticketscan store info
  ticketscan store backup /backup/gate.db
  ticketscan store restore /backup/gate.db
  ticketscan store copy sqlite:./ticketscan.db postgres://gate@db.example/gate
  ticketscan store migrate
`;

/** `ticketscan store`: shows, copies, backs up, restores and migrates a store. */
export function command(io: CliIo) {
  return commandGroup(io, 'store', {
    summary: 'Describe, copy, back up, restore and migrate stores.',
    help: EXAMPLES,
    commands: [infoCommand, copyCommand, backupCommand, restoreCommand, migrateCommand],
  });
}

/** `ticketscan store info`: shows what a store is and contains. */
const infoCommand = plainCommand({
  name: 'info',
  summary: 'Show kind, format, size, counts and the last scan of a store.',
  json: 'a JSON object',
  settings: STORE_SETTINGS,
  run: async (io, options) => {
    const url = readSettings(STORE_SETTINGS, options, io).store;
    requireExistingStore(url);
    const show = async ({ local: { store } }: StoreAccess) => {
      const found = await store.info();
      if (options.json) io.out(JSON.stringify(asJson(found), null, 2));
      // A store of an older format is shown as well as it can be read.
      else showTable(io, ['', ''], asRows(found, await zoneOf(store).catch(machineZone)));
      const open = adviceOnOpenFiles(url);
      if (open) io.err(`${open.finding} ${open.advice}`);
    };
    await withStore(io, options, show, { keepFormat: true });
  },
});

function asJson(info: StoreInfo): Record<string, unknown> {
  const { format, lastScanAt, ...others } = info;
  return { ...others, formatVersion: format.version, lastScanAt: isoTime(lastScanAt) };
}

function asRows(info: StoreInfo, zone: string): string[][] {
  const { engine, counts, details } = info;
  return [
    ['engine', engine],
    ...headOfInfo(info, zone),
    ...SECTIONS.map((section) => [inWords(section), counts[section].toLocaleString('en')]),
    ...Object.entries(details).map(([name, value]) => [inWords(name), String(value)]),
  ];
}

/** `walBytes` is for machines, `wal bytes` for people. */
function inWords(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}

const COPY_HELP = `
Examples:
  ticketscan store copy sqlite:./ticketscan.db postgres://gate@db.example.org/tickets
  ticketscan store copy sqlite:./ticketscan.db json:./ticketscan.json

It copies everything: organisations, events, keys, tickets with their uses, the log, quotas, devices, accounts. The target must be
empty. If it was interrupted, run it again: it resumes where it stopped, if the source has not changed since. A server
can be running on the source, but the copy lacks what it admits meanwhile: stop it before you switch to the copy.`;

/** `ticketscan store copy`: everything from one store into another. */
function copyCommand(io: CliIo): Command {
  return new Command('copy')
    .description('Copy everything into an empty store of any kind, and compare the two.')
    .argument('<from>', 'URL of a store')
    .argument('<to>', 'URL of an empty store, or of an interrupted copy')
    .option('--json', 'a JSON object with counts and checksums')
    .addHelpText('after', COPY_HELP)
    .action(async (from: string, to: string, options: { json?: boolean }) => {
      refuseSamePlace(from, to);
      const source = await openExistingStore(from);
      tellNotice(io, source);
      try {
        await refuseCentreIn(to, source);
        const target = await openOrMakeStore(io, to, openCopyTarget);
        try {
          const report = await copyWithProgress(io, source, target, from);
          show(io, report, from, to, options.json === true);
          const sites = await sitesToAsk(target);
          if (sites > 0) note(io, asksSites('The copy', sites));
        } finally {
          await target.close();
        }
      } finally {
        await source.close();
      }
    });
}

/** @throws TicketscanError `conflict` for the store of a centre that would become one in which no centre can be */
async function refuseCentreIn(to: string, source: Store): Promise<void> {
  const { engine } = parseStoreUrl(to);
  if (engine !== 'json') return;
  if ((await source.list('site', { limit: 1 })).length > 0)
    throw refuse('centre_engine', {}, { detail: 'Name a store of one of these as the target.' });
}

function refuseSamePlace(from: string, to: string): void {
  if (parseStoreUrl(to).engine === 'memory') {
    throw new TicketscanError('usage', 'A copy in memory would be lost when this command ends.');
  }
  if (identityOfStore(from) === identityOfStore(to)) {
    throw new TicketscanError('usage', 'Source and target are the same store.');
  }
}

/** The same for two URLs of the same store; without user and password, but with options, which may name a schema. */
function identityOfStore(url: string): string {
  const address = parseStoreUrl(url);
  return 'path' in address ? `${address.engine}:${address.path}` : url.replace(/:\/\/.*@/su, '://');
}

async function copyWithProgress(
  io: CliIo,
  source: Store,
  target: Store,
  from: string,
): Promise<CopyReport> {
  const { counts } = await source.info();
  const total = SECTIONS.reduce((sum, section) => sum + counts[section], 0);
  const progress = new Progress(io, systemClock.monotonicMs);
  const stop = io.stopSignal();
  let phase = '';
  try {
    return await copyStore(source, target, {
      source: hash('sha256', identityOfStore(from)),
      onPage(what, _section, records) {
        if (stop.aborted) throw stoppedCopy();
        if (what !== phase) progress.begin(what, total);
        phase = what;
        progress.update(records);
      },
    });
  } finally {
    progress.clear();
  }
}

function stoppedCopy(): TicketscanError {
  return new TicketscanError(
    'conflict',
    'Stopped. Run the same command again to resume; until then no other command opens the target.',
  );
}

function show(io: CliIo, report: CopyReport, from: string, to: string, json: boolean): void {
  const { resumed, sections } = report;
  if (json) {
    const stores = { from: describeStoreUrl(from), to: describeStoreUrl(to) };
    io.out(JSON.stringify({ ...stores, resumed, equal: true, sections }, null, 2));
  } else {
    const rows = SECTIONS.map((section) => {
      const { records, checksum } = sections[section];
      return [inWords(section), String(records), checksum.slice(0, 16)];
    });
    showTable(io, ['section', 'records', 'checksum'], rows);
    note(io, 'Verified: both stores have the same data.');
  }
  const [keyring, wanted] = [keyringPath(from, undefined), keyringPath(to, undefined)];
  if (keyring && wanted && keyring !== wanted && existsSync(keyring) && !existsSync(wanted)) {
    note(
      io,
      `The signing keys are in no store. Copy ${keyring} to ${wanted}, or name it with --keyring.`,
    );
  }
}

const MIGRATE_HELP = `
Every server and every command but "store info" and "doctor" migrates the store that it opens, in one transaction. This command does
only that, in advance. Stores from before the first release are refused. A SQLite store is first copied to FILE.format-N, N being the
earlier format: an older program can open this copy, but not the new format. Back up a PostgreSQL database before.`;

/** `ticketscan store migrate`: brings the format of a store up to date. */
const migrateCommand = plainCommand({
  name: 'migrate',
  summary: 'Migrate a store to the current format, and print the old and new version.',
  json: '{"from", "to"}',
  help: MIGRATE_HELP,
  settings: STORE_SETTINGS,
  run: async (io, options) => {
    requireExistingStore(readSettings(STORE_SETTINGS, options, io).store);
    // Opening the store migrates it.
    const { version, versionFound } = await withElapsed(io, 'migrating', () =>
      withStore(io, options, async ({ local: { store } }) => (await store.info()).format),
    );
    if (options.json) io.out(JSON.stringify({ from: versionFound, to: version }));
    else if (version === versionFound) io.out(`Format ${version} is up to date.`);
    else io.out(`Migrated from format ${versionFound} to ${version}.`);
  },
});
