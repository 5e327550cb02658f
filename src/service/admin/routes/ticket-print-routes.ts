import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { makeTicketCode } from '../../../core/ticket-code.ts';
import { SheetAdministration } from '../../../features/organisations/sheet-settings.ts';
import { Id } from '../../../operations/fields.ts';
import { type AccountScope, scopeOf } from '../../../operations/route.ts';
import { renderQr } from '../../../tickets/codes/render-qr.ts';
import type { PrintedTicket } from '../../../tickets/sheets/printed-ticket.ts';
import { SheetThread } from '../../../tickets/sheets/sheet-thread.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { SheetOf, SheetQuery } from '../wire/sheets.ts';

const tags = ['Tickets'];
const QR_SCALE = 8;

/** A ticket as it is handed out: its QR code, and a page to print. */
export function ticketPrintRoutes(app: AdminApp, context: AdminContext): void {
  qrRoute(app, context);
  sheetRoutes(app, context);
}

function qrRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/tickets/:id/qr.svg',
    {
      config: { access: 'viewer', share: 'short' },
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
      config: { access: 'viewer', share: 'sheets' },
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
      config: { access: 'viewer', share: 'sheets' },
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
  const sheets = new SheetThread();
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
      ...{ timeZone, lines: chosen.lines, language: language ?? chosen.language ?? 'en' },
      logo: chosen.logo === null ? undefined : Buffer.from(chosen.logo, 'base64'),
    };
    const title = tickets[0]?.eventName ?? '';
    const pages = await sheets.draw({ tickets, layout, content, title });
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
  const [tickets, events] = await Promise.all([scope.tickets(ids), scope.events()]);
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
