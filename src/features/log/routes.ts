import { messageOf } from '../../core/errors.ts';
import type { GatePlace } from '../../core/gate-name.ts';
import { type LogEntry, logEntryToJson } from '../../core/records.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { FileWriting } from '../../operations/fields.ts';
import { dayOf, sendFile } from '../../operations/http/answers.ts';
import type { AdminApp } from '../../operations/http/route.ts';
import { stillAdmitted } from '../accounts/guard.ts';
import { type AdminContext, scopeOf } from '../context.ts';
import { gateNamesOf } from '../devices/rules.ts';
import { csvWriter, LATE, type SheetWords, sheetWords } from '../sheet-words.ts';
import { namesOfSites, siteOfEntry } from '../sites/event-homes.ts';
import { EventStream, showLive } from './live.ts';
import { allEntries } from './log-reader.ts';
import { conditionsFrom, LogConditions, Sequence } from './operations.ts';

const tags = ['Scan log'];

/** The scan log as a file and as a live view. */
export function logRoutes(app: AdminApp, context: AdminContext): void {
  exportRoute(app, context);
  liveRoute(app, context);
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
        querystring: LogConditions.extend({ ...FileWriting, after: Sequence.optional() }),
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const { organisationId } = scope;
      const { format, language, timeZone, after, ...given } = request.query;
      const conditions = conditionsFrom(given, organisationId);
      const entries = allEntries(context.store, { ...conditions, afterSequence: after });
      const words = sheetWords({ language, timeZone: checkTimeZone(timeZone) });
      const names = {
        gateName: await gateNamesOf(context.store, organisationId),
        sites: await namesOfSites(context.store),
      };
      const lines = {
        csv: () => asCsv(entries, names),
        excel: () => asCsv(entries, names, words),
        jsonl: () => asLines(entries),
      }[format]();
      return sendFile(reply, `scan-log-${dayOf(context)}`, format, lines);
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
  'gate',
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
  'byHand',
  'site',
  'late',
] as const;

interface NamesInLog {
  readonly gateName: (place: GatePlace) => string;
  readonly sites: ReadonlyMap<string, string>;
}

async function* asCsv(
  entries: AsyncIterable<LogEntry>,
  { gateName, sites }: NamesInLog,
  words?: SheetWords,
): AsyncGenerator<string> {
  const { head, line } = csvWriter(COLUMNS, words);
  yield head;
  for await (const entry of entries) {
    const { undo, site, ...view } = logEntryToJson(entry);
    const gate = gateName(entry);
    yield line({
      ...view,
      gate,
      site: site && siteOfEntry(site, sites),
      late: site?.late ? LATE : undefined,
      undoes: undo?.sequence,
      undoBy: undo?.by,
      undoReason: undo?.reason,
    });
  }
}

/** JSON Lines has untrusted texts unchanged. */
async function* asLines(entries: AsyncIterable<LogEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(logEntryToJson(entry))}\n`;
}

/** The live view. */
function liveRoute(app: AdminApp, context: AdminContext): void {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  app.get(
    '/log/live',
    {
      config: { access: 'viewer', share: 'live' },
      schema: {
        tags,
        operationId: 'streamLog',
        summary: 'New entries as server-sent events',
        description:
          'Without `after` it begins with an event `latest`: the newest 200 entries that meet the conditions, newest first. It comes again, in place of everything sent before, when the log begins anew, as after a restored backup. An event `scan` has an entry, with its number as id; each entry has its `ticket` with `holder` and `kind`, or null: after a lost connection the browser sends it as `Last-Event-ID` and misses nothing. An event `skipped` means that the entries after number `after` up to number `upTo` were not sent, because the client reads too slowly.',
        produces: ['text/event-stream'],
        querystring: LogConditions.extend({
          /** The same as the header `Last-Event-ID`, for clients that cannot set it. */
          after: Sequence.optional(),
        }),
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      if (request.method === 'HEAD') return reply.type('text/event-stream').send();
      const { after, ...given } = request.query;
      const headers = reply.getHeaders();
      reply.hijack();
      // The server answers clients that have ended their side; this answer has no end of its own.
      request.raw.socket.once('end', () => reply.raw.destroy());
      try {
        const viewer = {
          stream: new EventStream(reply.raw, headers),
          conditions: conditionsFrom(given, scope.organisationId),
          ownTickets: (ids: readonly string[]) => scope.ownTickets(ids),
          afterSequence: lastEventId(request.headers['last-event-id']) ?? after,
          mayGoOn: () => stillAdmitted(context.access, request),
        };
        await showLive(context.store, viewer, stopping.signal);
      } catch (error) {
        context.log.error({ error: messageOf(error) }, 'a live view ended');
        reply.raw.destroy();
      }
      return reply;
    },
  );
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
