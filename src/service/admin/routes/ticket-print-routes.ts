import { RetryLater } from '../../../core/errors.ts';
import { makeTicketCode } from '../../../core/ticket-code.ts';
import { renderQr } from '../../../tickets/codes/render-qr.ts';
import { SheetThread } from '../../../tickets/sheets/sheet-thread.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { Shares } from '../shares.ts';
import { Id } from '../wire/common.ts';
import { SheetQuery } from '../wire/tickets.ts';

const tags = ['Tickets'];
const QR_SCALE = 8;
/** One takes about a tenth of a second, and they are drawn one after the other. */
const SHEETS_WAITING_MAX = 64;
const SHEETS_WAITING_OF_ONE_MAX = 8;

/** A ticket as it is handed out: its QR code, and a page to print. */
export function ticketPrintRoutes(app: AdminApp, context: AdminContext): void {
  qrRoute(app, context);
  sheetRoute(app, context);
}

function qrRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/tickets/:id/qr.svg',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getTicketQrCode',
        summary: 'Its QR code',
        produces: ['image/svg+xml'],
        params: Id,
      },
    },
    async (request, reply) => {
      const ticket = await new OrganisationScope(request, context).ticket(request.params.id);
      const code = makeTicketCode(ticket.id, context.keyring(), 'TS1');
      const svg = renderQr(code, { format: 'svg', scale: QR_SCALE });
      return reply.header('content-type', 'image/svg+xml; charset=utf-8').send(svg);
    },
  );
}

function sheetRoute(app: AdminApp, context: AdminContext): void {
  const sheets = new SheetThread();
  const waiting = new Shares(SHEETS_WAITING_MAX, SHEETS_WAITING_OF_ONE_MAX);
  app.addHook('onClose', () => sheets.close());

  app.get(
    '/tickets/:id/sheet.pdf',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getTicketSheet',
        summary: 'A page to print',
        produces: ['application/pdf'],
        params: Id,
        querystring: SheetQuery,
      },
    },
    async (request, reply) => {
      const scope = new OrganisationScope(request, context);
      const ticket = await scope.ticket(request.params.id);
      const event = await scope.event(ticket.eventId);
      const { layout, timeZone } = request.query;
      const code = makeTicketCode(ticket.id, context.keyring(), 'TS1');
      const leave = waiting.enter(scope.organisationId);
      if (!leave) {
        throw new RetryLater('busy', 3);
      }
      const page = await sheets
        .draw({
          ticket: { ...ticket, code, eventName: event.name },
          layout,
          timeZone,
          title: event.name,
        })
        .finally(leave);
      return reply
        .header('content-type', 'application/pdf')
        .header('content-disposition', `inline; filename="${ticket.id}.pdf"`)
        .send(Buffer.from(page));
    },
  );
}
