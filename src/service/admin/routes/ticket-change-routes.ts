import { TicketJson, ticketView } from '../../../core/codecs/ticket.ts';
import { boundsFrom, holderFrom } from '../../../core/ticket.ts';
import { Done, Id } from '../../../operations/fields.ts';
import { type AccountScope, scopeOf } from '../../../operations/route.ts';
import { type ManyAct, ManyTicketsAdministration, refuseBoth } from '../../manage/many-tickets.ts';
import { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { ManyDone, ManyTickets, TicketChanges } from '../wire/tickets.ts';

const tags = ['Tickets'];

/** Edits and deletes tickets, and cancels or deletes many. */
export function ticketChangeRoutes(app: AdminApp, context: AdminContext): void {
  oneTicketRoutes(app, context);
  manyRoute(app, context, 'cancel', {
    operationId: 'cancelManyTickets',
    summary: 'Cancel all tickets of an event or a batch',
    description: `Applies to every scan that starts after the answer. ${STEPS}`,
  });
  manyRoute(app, context, 'delete', {
    operationId: 'deleteManyTickets',
    summary: 'Delete the unused tickets of an event or a batch',
    description: `Tickets that were used, or that the scan log names, are kept. ${STEPS}`,
  });
}

const STEPS =
  'One request works on a limited number of tickets: send it again with `next` as `after` until `next` is null.';

function oneTicketRoutes(app: AdminApp, context: AdminContext): void {
  app.patch(
    '/tickets/:id',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'editTicket',
        summary: 'Change holder, validity or uses of a ticket',
        description:
          'Members that are not given keep their values. The kind of a ticket cannot change.',
        params: Id,
        body: TicketChanges,
        response: { 200: TicketJson },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const { id } = await scope.ticket(request.params.id);
      const { holder, uses, ...window } = request.body;
      const edits = {
        ...(holder !== undefined && { holder: holderFrom(holder?.firstName, holder?.lastName) }),
        ...(uses !== undefined && { usesAllowed: uses }),
        ...boundsFrom(window, (time) => time),
      };
      const administration = administrationOf(scope, context);
      const edited = await administration.edit(scope.organisationId, id, edits);
      return ticketView(edited, context.clock.now());
    },
  );

  app.delete(
    '/tickets/:id',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'deleteTicket',
        summary: 'Delete a ticket that was never used',
        description: 'A ticket that the scan log names cannot be deleted; cancel it instead.',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const { id } = await scope.ticket(request.params.id);
      await administrationOf(scope, context).deleteOne(scope.organisationId, id);
      return {};
    },
  );
}

function manyRoute(
  app: AdminApp,
  context: AdminContext,
  act: ManyAct,
  told: { operationId: string; summary: string; description: string },
): void {
  app.post(
    `/tickets/${act}`,
    {
      config: { access: 'operator', share: 'changes' },
      schema: { tags, ...told, body: ManyTickets, response: { 200: ManyDone } },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const { event, batch, after } = request.body;
      refuseBoth(event, batch);
      const events = event === undefined ? await scope.events() : [await scope.event(event)];
      const eventIds = events.map(({ id }) => id);
      const selected = { eventIds, ...(batch !== undefined && { batch }) };
      const many = new ManyTicketsAdministration(context.store, administrationOf(scope, context));
      return many.step(act, scope.organisationId, selected, after);
    },
  );
}

function administrationOf(
  { actor }: AccountScope,
  { store, clock, random }: AdminContext,
): TicketAdministration {
  return new TicketAdministration(store, clock, random, actor);
}
