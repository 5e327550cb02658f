import { TicketJson, ticketView } from '../../../core/codecs/ticket.ts';
import { lastUseOf } from '../../../features/log/last-use.ts';
import { Id } from '../../../operations/fields.ts';
import { type AccountScope, scopeOf } from '../../../operations/route.ts';
import { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { withCode, withCodes } from '../views/ticket-with-code.ts';
import { LastUseOfTicket } from '../wire/scans.ts';
import {
  BulkAct,
  BulkDone,
  CreatedTickets,
  Erased,
  Erasure,
  NewTickets,
  TicketList,
  TicketQuery,
  TicketWithCode,
} from '../wire/tickets.ts';

const tags = ['Tickets'];
/** Tickets examined per request: the store works on them for some 10 ms. */
const SEARCH_MAX = 20_000;

/** Tickets: list, create, cancel, erase. */
export function ticketRoutes(app: AdminApp, context: AdminContext): void {
  readingRoutes(app, context);
  lastUseRoute(app, context);
  creationRoute(app, context);
  changeRoutes(app, context);
  erasureRoute(app, context);
}

function readingRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/tickets',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listTickets',
        summary: 'List and search tickets, in the order of their ids',
        description:
          'One answer examines a limited number of tickets: a page can be short, even empty, and still have a `next`.',
        querystring: TicketQuery,
        response: { 200: TicketList },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const { event, state, search, batch, ids, after, limit } = request.query;
      const now = context.clock.now();
      if (ids !== undefined) {
        const found = await scope.ownTickets(ids.split(','));
        return { items: found.map((ticket) => ticketView(ticket, now)), next: null };
      }
      const events = event === undefined ? await scope.events() : [await scope.event(event)];
      const page = await context.store.searchTickets({
        eventIds: events.map(({ id }) => id),
        limit,
        searchMax: SEARCH_MAX,
        ...(state && { state: { is: state, now } }),
        ...(search && { search }),
        ...(batch !== undefined && { batch }),
        ...(after !== undefined && { afterId: after }),
      });
      return { items: page.tickets.map((ticket) => ticketView(ticket, now)), next: page.next };
    },
  );

  app.get(
    '/tickets/:id',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getTicket',
        summary: 'A ticket with its code',
        params: Id,
        response: { 200: TicketWithCode },
      },
    },
    async (request) => {
      const ticket = await scopeOf(request, context).ticket(request.params.id);
      return withCode(ticket, context);
    },
  );
}

function lastUseRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/tickets/:id/last-use',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getLastUse',
        summary: 'When and where a ticket was last used',
        description:
          '`lastUse` is null for a ticket that was never used; `gate` is null when the scan log does not have the use any more. The gate is the serial of the device, or the name of the key or account where the device says none.',
        params: Id,
        response: { 200: LastUseOfTicket },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      return { lastUse: await lastUseOf(await scope.ticket(request.params.id), scope) };
    },
  );
}

function creationRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/tickets',
    {
      config: { access: 'operator', share: 'changes' },
      schema: {
        tags,
        operationId: 'createTickets',
        summary: 'Create tickets, all or none',
        body: NewTickets,
        response: { 201: CreatedTickets },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const { event: eventId, type, count, holder, ...others } = request.body;
      const event = await scope.event(eventId);
      const options = { kind: type, ...holder, ...others };
      const made = await administrationOf(scope, context).create(event, options, count);
      const items = withCodes(made, context);
      return reply.code(201).send({ items });
    },
  );
}

function changeRoutes(app: AdminApp, context: AdminContext): void {
  for (const action of ['cancel', 'reinstate'] as const) {
    const holds = 'Applies to every scan that starts after the answer.';
    app.post(
      `/tickets/:id/${action}`,
      {
        config: { access: 'operator' },
        schema: {
          tags,
          operationId: `${action}Ticket`,
          summary: action === 'cancel' ? 'Cancel a ticket' : 'Reinstate a cancelled ticket',
          description: holds,
          params: Id,
          response: { 200: TicketJson },
        },
      },
      async (request) => {
        const scope = scopeOf(request, context);
        const { id } = await scope.ticket(request.params.id);
        const ticket = await administrationOf(scope, context)[action](scope.organisationId, id);
        return ticketView(ticket, context.clock.now());
      },
    );
  }

  app.post(
    '/tickets/bulk',
    {
      config: { access: 'operator', share: 'changes' },
      schema: {
        tags,
        operationId: 'cancelOrReinstateTickets',
        summary: 'Cancel or reinstate many tickets',
        description: 'Nothing is changed unless all of them exist.',
        body: BulkAct,
        response: { 200: BulkDone },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const { action, ids } = request.body;
      const administration = administrationOf(scope, context);
      await scope.tickets(ids);
      const changed = [];
      for (const id of ids) changed.push(await administration[action](scope.organisationId, id));
      const now = context.clock.now();
      return { items: changed.map((ticket) => ticketView(ticket, now)) };
    },
  );
}

function erasureRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/tickets/erase-holders',
    {
      config: { access: 'owner', share: 'changes' },
      schema: {
        tags,
        operationId: 'eraseHolders',
        summary: 'Erase the holders of tickets',
        description:
          'Permanently removes the names from the tickets, from stored answers and from the audit log, and the reasons of uses that were taken back. The ' +
          'tickets stay valid. Backups and printed tickets are not changed.',
        body: Erasure,
        response: { 200: Erased },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const { ids } = request.body;
      await scope.tickets(ids);
      const tickets = administrationOf(scope, context);
      const erased = await tickets.eraseHolders(scope.organisationId, ids);
      return { erased, isPurged: await context.store.purgeErased(false) };
    },
  );
}

function administrationOf(
  { actor }: AccountScope,
  { store, clock, random }: AdminContext,
): TicketAdministration {
  return new TicketAdministration(store, clock, random, actor);
}
