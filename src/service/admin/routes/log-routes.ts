import { LogEntryJson, logEntryToJson, logEntryView } from '../../../core/codecs/log-entry.ts';
import type { LogEntry as LogRecord } from '../../../core/records.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import { administrationOf } from '../../../features/tickets/operations.ts';
import { csvLine, EXCEL_CSV, SHEET_CSV } from '../../../kit/csv/text.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { scopeOf } from '../../../operations/route.ts';
import { allEntries, readLogPage } from '../../manage/log-reader.ts';
import { type SheetWords, sheetWords } from '../../manage/sheet-words.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { dayOf, sendFile } from '../files/send-file.ts';
import { conditionsFrom } from '../views/log-conditions.ts';
import { EntryNumber, LogExportQuery, LogList, LogQuery, Undo } from '../wire/log.ts';

const tags = ['Scan log'];

/** Every scan, also the denied and the forged. */
export function logRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/log',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'readLog',
        summary: 'Read the scan log',
        description:
          'Newest first; with `after`, oldest first. One answer examines a limited number of entries: a page can be short, even empty, and still have a `next`. Send it as `before` (or `after`) of the next request. With `after` nothing is missed: what was pruned before it could be read is told as `gap`.',
        querystring: LogQuery,
        response: { 200: LogList },
      },
    },
    async (request) => {
      const { organisationId } = scopeOf(request, context);
      const { before, after, limit, ...given } = request.query;
      const conditions = {
        ...conditionsFrom(given, organisationId),
        ...(before !== undefined && { beforeSequence: before }),
        ...(after !== undefined && { afterSequence: after }),
      };
      const page = await readLogPage(context.store, conditions, limit);
      const { entries, searchedTo, ended, gap } = page;
      const list = { items: entries.map(logEntryView), next: ended ? null : searchedTo };
      return { ...list, searchedBackTo: searchedTo, ...(gap && { gap }) };
    },
  );

  undoRoute(app, context);
  exportRoute(app, context);
}

function exportRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/log/export',
    {
      config: { access: 'viewer', share: 'exports' },
      schema: {
        tags,
        operationId: 'exportLog',
        summary: 'The scan log as a file, oldest first',
        produces: ['text/csv', 'application/x-ndjson'],
        querystring: LogExportQuery,
      },
    },
    (request, reply) => {
      const { organisationId } = scopeOf(request, context);
      const { format, language, timeZone, after, ...given } = request.query;
      const conditions = conditionsFrom(given, organisationId);
      const entries = allEntries(context.store, {
        ...conditions,
        ...(after !== undefined && { afterSequence: after }),
      });
      const words = sheetWords({ language, timeZone: checkTimeZone(timeZone) });
      const lines = {
        csv: () => asCsv(entries),
        excel: () => asCsv(entries, words),
        jsonl: () => asLines(entries),
      }[format]();
      return sendFile(reply, `scan-log-${dayOf(context)}`, format, lines);
    },
  );
}

/** Takes back a use that was taken by mistake. */
function undoRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/log/:sequence/undo',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'undoUse',
        summary: 'Take back the use of a log entry',
        description:
          'The ticket has one use more, the log gets an entry `undone`, and a repeat of the request is a new scan. Once for each entry: afterwards, and for an entry that took no use, 409.',
        params: EntryNumber,
        body: Undo,
        response: { 200: LogEntryJson },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const tickets = administrationOf({ ...context, scope });
      const { sequence } = request.params;
      const { reason } = request.body;
      return logEntryView(await tickets.undo(sequence, reason));
    },
  );
}

const COLUMNS = [
  'sequence',
  'at',
  'operation',
  'outcome',
  'reason',
  'ticketId',
  'usesConsumed',
  'keyId',
  'serial',
  'reader',
  'excerpt',
  'replayed',
  'undoneBy',
  'undoes',
  'undoBy',
  'undoReason',
  'direction',
  'done',
] as const;

async function* asCsv(
  entries: AsyncIterable<LogRecord>,
  words?: SheetWords,
): AsyncGenerator<string> {
  const dialect = words ? EXCEL_CSV : SHEET_CSV;
  const { heading = String, cell = <Cell>(_: string, value: Cell) => value } = words ?? {};
  yield (dialect.mark ? '\ufeff' : '') + csvLine(COLUMNS.map(heading), dialect);
  for await (const entry of entries) {
    const { undo, ...view } = logEntryToJson(entry);
    const flat = { ...view, undoes: undo?.sequence, undoBy: undo?.by, undoReason: undo?.reason };
    const cells = COLUMNS.map((name) => cell(name, cellOf(flat[name] ?? null)));
    yield csvLine(cells, dialect);
  }
}

/** Serials, readers and the beginnings of forged codes are untrusted texts. JSON Lines has them unchanged. */
function cellOf(value: string | number | boolean | null): string | number | null {
  if (typeof value === 'string') return sanitizeForTerminal(value);
  return typeof value === 'boolean' ? String(value) : value;
}

async function* asLines(entries: AsyncIterable<LogRecord>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(logEntryToJson(entry))}\n`;
}
