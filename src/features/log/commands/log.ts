import { type Command, Option } from '@commander-js/extra-typings';
import type { TicketscanError } from '../../../core/errors.ts';
import { NO_DEVICE_NAMES } from '../../../core/gate-name.ts';
import { type LogEntry, logEntryToJson, ticketFromView } from '../../../core/records.ts';
import type { RecordKind } from '../../../stores/record-store.ts';
import { type OptionsOf, withSubcommand } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { COUNT_MAX, wholeNumberFor } from '../../../terminal/options.ts';
import { type Names, namesOf, showTable } from '../../../terminal/results.ts';
import { allPages, type DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { namesOfDevices } from '../../devices/device-names.ts';
import { explanationLines } from '../../explain/commands.ts';
import { type EntryStore, explainLogEntry } from '../../explain/explain-scan.ts';
import type { Explanation } from '../../explain/explanation.ts';
import { listScanners } from '../../scans/operations.ts';
import { allSites } from '../../sites/commands.ts';
import { findTickets } from '../../tickets/commands/find-tickets.ts';
import { zoneOf } from '../../time-zone.ts';
import { type ReaderGap, settledNumber } from '../log-reader.ts';
import { readRefusals } from '../operations.ts';
import { addConditionOptions, conditionsFrom, isAnyScan, timesFrom } from './conditions.ts';
import { chosenRefusals, logCells, logHeads, showRefusals } from './log-text.ts';
import { pruneCommand } from './prune.ts';
import { followLog, pagesOf, type ReadPage, readEntries } from './read-log.ts';

const EXAMPLES = `
Examples:
  ticketscan log                      the latest 50 scans, oldest first
  ticketscan log --follow             and every new one
  ticketscan log prune --before 2026-01-01
  ticketscan log --ticket tkt_ab12cd_0123456789abcdefghij --json
  ticketscan log --explain            explains each answer, rule by rule
  ticketscan log --denied --since 1h  who was not let in during the last hour
  ticketscan log --key "Gate 1" --from 2026-07-01T08:00 --to 2026-07-01T12:00
  ticketscan log --refused            connections and requests that were refused, by device and address

The log has every scan, also denied scans and forged codes. Of a forged code it has only the beginning. Order entries by their
number, not by their time: a clock can be set back. --follow continues when the server or database restarts, and says so if
entries were pruned before it could show them. Times are in the time zone of the organisation, else of this machine; --json has UTC.
The log does not have requests that were refused before a scan (broken TLS or HTTP, a wrong path, a wrong key, a limit). --refused counts them for 30 days,
without the key, and says what to do.`;

const SHOWN = 50;

function logOptions(command: Command) {
  return addConditionOptions(command)
    .option('--follow', 'keep showing new entries until Ctrl-C')
    .option('--after <number>', 'only entries after this number', wholeNumberFor('--after', 0))
    .option(
      '--limit <number>',
      'maximum number of entries; shows the latest',
      wholeNumberFor('--limit', 1, COUNT_MAX),
      SHOWN,
    )
    .option('--explain', 'explain each answer')
    .addOption(
      new Option(
        '--refused',
        'count the refused connections and requests, and say what to do',
      ).conflicts(['follow', 'after', 'explain', 'ticket', 'outcome', 'denied', 'event']),
    );
}

type LogOptions = OptionsOf<typeof logOptions>;

/** The options for showing entries. */
type LogView = LogOptions & { readonly zone: string };

const logCommand = dataCommand({
  name: 'log',
  summary: 'Show the scan log.',
  options: logOptions,
  json: 'one JSON object a line',
  help: EXAMPLES,
  run: (access, options) =>
    options.refused ? showRefused(access, options) : showLog(access, options),
});

/** `ticketscan log`: reads the scan log. */
export function command(io: CliIo) {
  return withSubcommand(logCommand(io), pruneCommand(io));
}

async function showRefused(access: DataAccess, options: LogOptions): Promise<void> {
  const { io } = access;
  const names = namesOf(await access.list('key'));
  const zone = await zoneOf(access);
  const times = timesFrom(options, access.clock, zone);
  const { items: rows, ...seen } = await access.call(readRefusals, {});
  const counts = chosenRefusals({ rows, ...seen }, { ...options, names, times });
  showRefusals(io, counts, { names, zone, json: options.json === true });
  if (!counts.unknownKeys) {
    note(
      io,
      'Unknown and mistyped keys, and what was refused before a key was looked at, are not among them. The operator of the server sees those: ticketscan log --refused --store URL',
    );
  }
}

async function showLog(access: DataAccess, options: LogOptions): Promise<void> {
  const { limit, after } = options;
  const { conditions, zone } = await conditionsFrom(access, options);
  const view = { ...options, zone };
  const read = pagesOf(access.call, conditions);
  if (options.follow) return showFollowed(access, view, read);
  const start = after === undefined ? {} : { afterSequence: after };
  const { entries, gap } = await readEntries(read, start, limit);
  if (gap) access.io.err(gapText(gap));
  await show(access, entries, view);
}

/** The latest entries, unless a number is given to begin after, and every later one. */
async function showFollowed(access: DataAccess, options: LogView, read: ReadPage): Promise<void> {
  const { io } = access;
  if (!options.json) noteZone(io, options);
  const after = options.after ?? (await settledNumber(pagesOf(access.call, {})));
  if (options.after === undefined) {
    const latest = await readEntries(read, { beforeSequence: after + 1 }, options.limit);
    await showEach(access, latest.entries, options);
  }
  const follower = {
    printer: () => printerOf(access, options),
    gap: (gap: ReaderGap) => io.err(gapText(gap)),
    away: ({ message }: TicketscanError) =>
      io.err(`${message}\nTrying again until it answers; Ctrl-C ends this.`),
  };
  await followLog(read, after, follower, io.stopSignal());
}

function gapText({ fromSequence, toSequence, reason, goOnAfter }: ReaderGap): string {
  if (reason === 'log_replaced') {
    return (
      `The log is another one now, as after a restored backup: it ends at number ${goOnAfter}. Its entries up to there are ` +
      'not shown, also those that came since: read them with ticketscan log.'
    );
  }
  return `Entries ${fromSequence} to ${toSequence} are no longer in the log: they were pruned.`;
}

async function show(
  access: DataAccess,
  entries: readonly LogEntry[],
  options: LogView,
): Promise<void> {
  const { io } = access;
  if (options.json) return showEach(access, entries, options);
  if (entries.length === 0) {
    note(io, isAnyScan(options) ? 'No scans yet.' : 'No scans match.');
    note(io, 'Connections and requests that were refused: ticketscan log --refused');
  }
  if (options.explain) {
    if (entries.length > 0) noteZone(io, options);
    return showEach(access, entries, options);
  }
  const [names, devices] = [await callerNames(access), await namesOfDevices(access)];
  showTable(
    io,
    logHeads(options.zone),
    entries.map((entry) => logCells(entry, names, options.zone, devices)),
  );
}

/** The names of keys, of accounts that scan, and of sites. */
async function callerNames({ list, call }: DataAccess): Promise<Names> {
  const items = await allPages((page) => call(listScanners, page));
  return namesOf([...(await list('key')), ...items, ...(await allSites({ call }))]);
}

function noteZone(io: CliIo, { zone }: LogView): void {
  note(io, `Times are in ${zone}.`);
}

async function showEach(
  access: DataAccess,
  entries: readonly LogEntry[],
  options: LogView,
): Promise<void> {
  if (entries.length === 0) return;
  const print = await printerOf(access, options);
  for (const entry of entries) await print(entry);
}

async function printerOf(
  access: DataAccess,
  { json, explain, zone }: LogView,
): Promise<(entry: LogEntry) => Promise<void>> {
  const names = json ? undefined : await callerNames(access);
  const devices = json ? NO_DEVICE_NAMES : await namesOfDevices(access);
  const store = entryStoreOf(access);
  return async (entry) => {
    const explanation = explain
      ? await explainLogEntry(store, entry, json ? undefined : zone)
      : undefined;
    const lines = names
      ? linesOf(logCells(entry, names, zone, devices), explanation)
      : [jsonOf(entry, explanation)];
    for (const line of lines) access.io.out(line);
  };
}

/** The source from which the explanation of an entry reads, on a store or at a server. */
function entryStoreOf({ call, list }: DataAccess): EntryStore {
  const lists = async (kind: RecordKind) => {
    if (kind !== 'scanner') return list(kind);
    const items = await allPages((page) => call(listScanners, page));
    return items.map((one) => ({ ...one, organisationId: '', createdAt: 0 }));
  };
  return {
    list: lists as EntryStore['list'],
    findTicket: async (id) => {
      const [ticket] = await findTickets({ call }, [id]);
      return ticket && ticketFromView(ticket);
    },
  };
}

function linesOf(cells: readonly string[], explanation: Explanation | undefined): string[] {
  const steps = explanation ? explanationLines(explanation) : [];
  return [cells.join('  '), ...steps.map((line) => `    ${line}`)];
}

function jsonOf(entry: LogEntry, explanation?: Explanation): string {
  return JSON.stringify({ ...logEntryToJson(entry), explanation });
}
