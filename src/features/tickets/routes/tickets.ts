import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { TICKET_STATES } from '../../../core/decision.ts';
import { SHEET_LANGUAGES } from '../../../core/records.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { makeTicketCode } from '../../../core/ticket-code.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import { EXCEL_CSV, SHEET_CSV } from '../../../kit/csv.ts';
import { defined } from '../../../kit/defined.ts';
import { MINUTE_MS } from '../../../kit/durations.ts';
import { FileWriting, Id } from '../../../operations/fields.ts';
import { dayOf, sendFile } from '../../../operations/http/answers.ts';
import type { AdminApp } from '../../../operations/http/route.ts';
import type { TicketSearch } from '../../../stores/record-store.ts';
import { renderQr } from '../../../tickets/codes/render-qr.ts';
import { JobThread } from '../../../tickets/job-thread.ts';
import type { ExportedTicket } from '../../../tickets/lists/write-lists.ts';
import { exportAsCsv, exportAsJsonLines } from '../../../tickets/lists/write-lists.ts';
import type { PrintedTicket } from '../../../tickets/sheets/printed-ticket.ts';
import { type AdminContext, scopeOf } from '../../context.ts';
import { SheetAdministration } from '../../organisations/sheet-settings.ts';
import type { AccountScope } from '../../scope.ts';
import { sheetWords } from '../../sheet-words.ts';
import { Reference } from '../operations.ts';
import { CODES_FROM, SEARCH_CHARACTERS_MAX } from '../rules.ts';
import { importRoutes } from './import.ts';

const tags = ['Tickets'];
const QR_SCALE = 8;
const PAGE_TICKETS = 500;

const ExportQuery = z.object({
  ...FileWriting,
  event: z.string().optional(),
  /** What a scan would answer now. */
  state: z.enum(TICKET_STATES).optional(),
  /** The search of the list: what is exported is what it shows. */
  search: z.string().max(SEARCH_CHARACTERS_MAX).optional(),
  batch: z.string().optional(),
  /** The whole reference, letter for letter. */
  reference: Reference.optional(),
});

const SHEET_TICKETS_MAX = 1000;
/** Fonts and the drawing library take some 60 MB. */
const SHEET_IDLE_MS = MINUTE_MS;
const SheetQuery = z.object({
  /** One of the layouts of `ticketscan mint --sheet`. */
  layout: z.string().default('a4'),
  /** The zone in which the times of the window are printed. */
  timeZone: z.string().default('UTC'),
  /** The language; when it is left out, the organisation's or, where none is chosen, English. */
  language: z.enum(SHEET_LANGUAGES).optional(),
});
/** The tickets of a file to print, in their order. */
const SheetOf = SheetQuery.extend({
  ids: z.array(z.string()).min(1).max(SHEET_TICKETS_MAX),
}).strict();

/** Tickets as files: lists that come in and go out, QR codes, and pages to print. */
export function ticketRoutes(app: AdminApp, context: AdminContext): void {
  importRoutes(app, context);
  exportRoute(app, context);
  qrRoute(app, context);
  sheetRoutes(app, context);
}

function exportRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/tickets/export',
    {
      config: { access: 'viewer', share: 'exports' },
      schema: {
        tags,
        operationId: 'exportTickets',
        summary: 'Tickets as a file, never with their codes',
        produces: ['text/csv', 'application/x-ndjson'],
        querystring: ExportQuery,
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const { format, event, state, language, timeZone, ...others } = request.query;
      const events = event === undefined ? await scope.events() : [await scope.event(event)];
      const names = new Map(events.map(({ id, name }) => [id, name]));
      const now = context.clock.now();
      const { search, batch, reference } = others;
      const asked = defined({ state: state && { is: state, now }, search, batch, reference });
      const tickets = named(everyTicket(context, [...names.keys()], asked), names, now);
      const words = sheetWords({ language, timeZone: checkTimeZone(timeZone) });
      const lines = {
        csv: () => exportAsCsv(tickets, SHEET_CSV),
        excel: () => exportAsCsv(tickets, EXCEL_CSV, words),
        jsonl: () => exportAsJsonLines(tickets),
      }[format]();
      return sendFile(reply, `tickets-${dayOf(context)}`, format, lines);
    },
  );
}

async function* everyTicket(
  { store }: AdminContext,
  eventIds: readonly string[],
  filter: Pick<TicketSearch, 'state' | 'search' | 'batch' | 'reference'>,
): AsyncGenerator<Ticket> {
  let next: string | null = '';
  while (next !== null) {
    const page = await store.searchTickets({
      eventIds,
      limit: PAGE_TICKETS,
      searchMax: PAGE_TICKETS,
      ...filter,
      ...(next !== '' && { afterId: next }),
    });
    yield* page.tickets;
    ({ next } = page);
  }
}

async function* named(
  tickets: AsyncIterable<Ticket>,
  names: ReadonlyMap<string, string>,
  now: number,
): AsyncGenerator<ExportedTicket> {
  for await (const ticket of tickets) {
    yield { ticket, eventName: names.get(ticket.eventId) ?? '', now };
  }
}

function qrRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/tickets/:id/qr.svg',
    {
      config: { access: CODES_FROM, share: 'short' },
      schema: {
        tags,
        operationId: 'getTicketQrCode',
        summary: 'The QR code of a ticket',
        produces: ['image/svg+xml'],
        params: Id,
      },
    },
    async (request, reply) => {
      const ticket = await scopeOf(request, context).ticket(request.params.id);
      const code = makeTicketCode(ticket.id, context.keyring(), 'TS1');
      const svg = renderQr(code, { format: 'svg', scale: QR_SCALE });
      return reply.header('content-type', 'image/svg+xml; charset=utf-8').send(svg);
    },
  );
}

function sheetRoutes(app: AdminApp, context: AdminContext): void {
  const draw = sheetDrawer(app, context);
  app.get(
    '/tickets/:id/sheet.pdf',
    {
      config: { access: CODES_FROM, share: 'sheets' },
      schema: {
        tags,
        operationId: 'getTicketSheet',
        summary: 'A page with a ticket to print',
        produces: ['application/pdf'],
        params: Id,
        querystring: SheetQuery,
      },
    },
    (request, reply) => draw(request, reply, [request.params.id], request.query),
  );
  app.post(
    '/tickets/sheet.pdf',
    {
      config: { access: CODES_FROM, share: 'sheets' },
      schema: {
        tags,
        operationId: 'getTicketsSheet',
        summary: 'Pages to print with many tickets, in the order of their ids in the request',
        produces: ['application/pdf'],
        body: SheetOf,
      },
    },
    (request, reply) => draw(request, reply, request.body.ids, request.body),
  );
}

/** Draws what a request asks for. */
function sheetDrawer(app: AdminApp, context: AdminContext) {
  const sheets = new JobThread('sheet', SHEET_IDLE_MS);
  app.addHook('onClose', () => sheets.close());
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    ids: readonly string[],
    { layout, timeZone, language }: z.output<typeof SheetQuery>,
  ) => {
    const scope = scopeOf(request, context);
    const tickets = await printed(scope, context, ids);
    const { store, clock } = context;
    const administration = new SheetAdministration(store, clock, scope.actor);
    const chosen = await administration.settingsOf(scope.organisationId);
    const content = {
      timeZone,
      lines: chosen.lines,
      language: language ?? chosen.language ?? 'en',
      logo: chosen.logo === null ? undefined : Buffer.from(chosen.logo, 'base64'),
    };
    const title = tickets[0]?.eventName ?? '';
    const pages = await sheets.run({ tickets, layout, content, title });
    const name = ids.length === 1 ? ids[0] : 'tickets';
    return reply
      .header('content-type', 'application/pdf')
      .header('content-disposition', `inline; filename="${name}.pdf"`)
      .send(Buffer.from(pages));
  };
}

/** @throws TicketscanError `not_found` when one of them does not exist */
async function printed(
  scope: AccountScope,
  context: AdminContext,
  ids: readonly string[],
): Promise<PrintedTicket[]> {
  const tickets = await scope.tickets(ids);
  const events = await scope.eventsOf(tickets.map(({ eventId }) => eventId));
  const names = new Map(events.map(({ id, name }) => [id, name]));
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  const keyring = context.keyring();
  return ids.flatMap((id) => {
    const ticket = byId.get(id);
    if (!ticket) return [];
    const code = makeTicketCode(id, keyring, 'TS1');
    return [{ ...ticket, code, eventName: names.get(ticket.eventId) ?? '' }];
  });
}
