import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { logEntryToJson } from '../../core/codecs/records.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import { table } from '../../terminal/table.ts';
import { explainLogEntry } from '../explain/explain-log-entry.ts';
import { DATA_SETTINGS, withData } from './access/data-access.ts';
import type { DataStore } from './access/remote/remote-store.ts';
import { explanationLines } from './explain/explanation-view.ts';
import { LOG_HEADS, logCells } from './log/log-view.ts';
import { pruneCommand } from './log/prune-command.ts';
import { ticketIdFrom } from './tickets/ticket-id-from.ts';
import { parseLimit } from './tickets.ts';

const EXAMPLES = `
Examples:
  ticketscan log                      the latest 50 scans, oldest first
  ticketscan log --follow             and every new one
  ticketscan log prune --before 2026-01-01
  ticketscan log --ticket tkt_ab12cd_0123456789abcdefghij --json
  ticketscan log --explain            explains each answer, rule by rule

Every scan is in the log, also denied ones and forged codes; of a forged code only the beginning. The numbers give the
order: clocks can be set back, numbers cannot.`;

const SHOWN = 50;
const PAGE = 1000;
const FOLLOW_MS = 300;

interface LogOptions {
  readonly follow?: boolean;
  readonly after?: number;
  readonly ticket?: string;
  readonly limit: number;
  readonly json?: boolean;
  readonly explain?: boolean;
}

/** `ticketscan log`: reads the scan log. */
export function command(io: CliIo): Command {
  const log = new Command('log')
    .description('Show the scan log.')
    // Else `log` would take the options behind `prune` for its own.
    .enablePositionalOptions()
    .hook('preSubcommand', refuseOptionsInFront)
    .option('--follow', 'keep showing new entries until Ctrl-C')
    .option('--after <number>', 'only entries after this number', parseSequence)
    .option('--ticket <ticket>', 'only scans of this ticket (id or code)')
    .option('--limit <number>', 'maximum number of entries, the latest', parseLimit, SHOWN)
    .option('--explain', 'explain each answer')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', EXAMPLES)
    .addCommand(pruneCommand(io))
    .action(async (options: LogOptions) => {
      await withData(io, { ...options }, ({ store }) => showLog(io, store, options));
    });
  return addSettings(log, DATA_SETTINGS);
}

/**
 * `log --store A prune` would prune another store than A: options before `prune` would bind to `log` and be ignored.
 * @throws TicketscanError `usage`
 */
function refuseOptionsInFront(log: Command, wanted: Command): void {
  const given = log.options.find(
    (option) => log.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (!given?.long) return;
  throw new TicketscanError(
    'usage',
    `${given.long} comes before "${wanted.name()}" and would be ignored. Put options after it: ticketscan log ${wanted.name()} --help`,
  );
}

/** @throws TicketscanError `usage` */
function parseSequence(text: string): number {
  const sequence = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(sequence) && sequence >= 0) return sequence;
  throw new TicketscanError('usage', `--after must be the number of an entry, not "${text}".`);
}

async function showLog(io: CliIo, store: DataStore, options: LogOptions): Promise<void> {
  const { limit, after, ticket } = options;
  const filter = ticket === undefined ? {} : { ticketId: ticketIdFrom(ticket, io) };
  const start = after === undefined ? {} : { afterSequence: after };
  const first = await store.readLog({ limit, ...filter, ...start });
  await show(io, store, first, options);
  if (!options.follow) return;
  const stop = io.stopSignal();
  let last = first.at(-1)?.sequence ?? after ?? 0;
  while (!stop.aborted) {
    const next = await store.readLog({ afterSequence: last, limit: PAGE, ...filter });
    for (const entry of next) await showOne(io, store, entry, options);
    last = next.at(-1)?.sequence ?? last;
    if (next.length < PAGE) await wait(FOLLOW_MS, undefined, { signal: stop }).catch(() => {});
  }
}

async function show(
  io: CliIo,
  store: DataStore,
  entries: readonly LogEntry[],
  options: LogOptions,
): Promise<void> {
  if (options.json || options.follow || options.explain) {
    for (const entry of entries) await showOne(io, store, entry, options);
    return;
  }
  if (entries.length === 0) io.err('No scans yet.');
  for (const line of table(LOG_HEADS, entries.map(logCells))) io.out(line);
}

async function showOne(
  io: CliIo,
  store: DataStore,
  entry: LogEntry,
  { json, explain }: LogOptions,
): Promise<void> {
  const explanation = explain ? await explainLogEntry(store, entry) : undefined;
  if (json) {
    io.out(JSON.stringify({ ...logEntryToJson(entry), ...(explanation && { explanation }) }));
    return;
  }
  io.out(logCells(entry).join('  '));
  for (const line of explanation ? explanationLines(explanation) : []) io.out(`    ${line}`);
}
