import { reaches } from '../../../core/administrative-records.ts';
import { messageOf, TicketscanError } from '../../../core/errors.ts';
import type { EventRecord, Occupancy } from '../../../core/records.ts';
import { finishDeletions } from '../../manage/deletions.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { insideView } from '../views/inside-view.ts';
import { Done, Id } from '../wire/common.ts';
import {
  DeletionFacts,
  Event,
  EventChanges,
  EventDeletion,
  EventList,
  EventQuery,
  NewEvent,
} from '../wire/organisation.ts';

const tags = ['Events'];
const OWNERS_DELETE = 'Only an owner deletes an event with its tickets.';

/** Events, to which tickets belong. */
export function eventRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/events',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listEvents',
        summary: 'List events',
        querystring: EventQuery,
        response: { 200: EventList },
      },
    },
    async (request) => {
      const all = await new OrganisationScope(request, context).events();
      const { archived } = request.query;
      const events = all.filter(({ archivedAt }) => archived === 'true' || archivedAt === null);
      const counts = await context.store.listOccupancy();
      const items = await Promise.all(
        events.map((event) => eventView(event, context.store, counts)),
      );
      return { items, next: null };
    },
  );

  app.post(
    '/events',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'createEvent',
        summary: 'Create an event',
        body: NewEvent,
        response: { 201: Event },
      },
    },
    async (request, reply) => {
      const { administration, organisationId } = new OrganisationScope(request, context);
      const event = await administration.createEvent(request.body.name, organisationId);
      return reply.code(201).send(await eventView(event, context.store));
    },
  );
  changeRoutes(app, context);
  deletionRoutes(app, context);
  archiveRoutes(app, context);
}

function changeRoutes(app: AdminApp, context: AdminContext): void {
  app.patch(
    '/events/:id',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'renameEvent',
        summary: 'Rename an event',
        params: Id,
        body: EventChanges,
        response: { 200: Event },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const event = await scope.event(request.params.id);
      const renamed = await scope.administration.renameEvent(event, request.body.name);
      return eventView(renamed, context.store);
    },
  );

  resetRoute(app, context);
}

function deletionRoutes(app: AdminApp, context: AdminContext): void {
  app.delete(
    '/events/:id',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'deleteEvent',
        summary: 'Delete an event',
        description:
          'An event with tickets or log entries is not deleted (409), unless `withTickets` says so: once that is answered, no scan of its tickets is admitted, and tickets, holders and log entries are removed within minutes. Sums for the statistics stay, without names. Only an owner may do that. Keys for selected events are then no longer valid for it.',
        params: Id,
        querystring: EventDeletion,
        response: { 200: Done },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const event = await scope.event(request.params.id);
      if (request.query.withTickets !== 'true') {
        await scope.administration.deleteEvent(event);
        return {};
      }
      if (!reaches(scope.principal.role, 'owner'))
        throw new TicketscanError('not_allowed', OWNERS_DELETE, { reason: 'role_missing' });
      await scope.administration.deleteEventWithTickets(event);
      finishDeletions(context.store, context.clock).catch((error: unknown) => {
        request.log.warn({ error: messageOf(error) }, 'what is left of an event goes later');
      });
      return {};
    },
  );
  app.get(
    '/events/:id/deletion',
    {
      config: { access: 'operator', share: 'changes' },
      schema: {
        tags,
        operationId: 'showEventDeletion',
        summary: 'What would be deleted with an event',
        description: 'To be shown before an event is deleted with its tickets.',
        params: Id,
        response: { 200: DeletionFacts },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const event = await scope.event(request.params.id);
      return scope.administration.deletionFacts(event);
    },
  );
}

function archiveRoutes(app: AdminApp, context: AdminContext): void {
  for (const act of ['archive', 'unarchive'] as const) {
    app.post(
      `/events/:id/${act}`,
      {
        config: { access: 'operator' },
        schema: {
          tags,
          operationId: `${act}Event`,
          summary: act === 'archive' ? 'Archive an event' : 'Show an archived event again',
          description: 'Changes what lists and choices show. Its tickets scan as before.',
          params: Id,
          response: { 200: Event },
        },
      },
      async (request) => {
        const scope = new OrganisationScope(request, context);
        const event = await scope.event(request.params.id);
        return eventView(await scope.administration[`${act}Event`](event), context.store);
      },
    );
  }
}

function resetRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/events/:id/reset-inside',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'resetInside',
        summary: 'Set the people inside an event to 0',
        description: 'People who go out later without a new entry do not make it negative.',
        params: Id,
        response: { 200: Event },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const event = await scope.event(request.params.id);
      await scope.administration.resetInside(event);
      return eventView(event, context.store);
    },
  );
}

async function eventView(
  event: EventRecord,
  store: RecordStore,
  counts?: readonly Occupancy[],
): Promise<Event> {
  const total = await store.countTickets(event.id);
  const counted = (counts ?? (await store.listOccupancy())).find((one) => one.eventId === event.id);
  return { ...event, tickets: { total }, inside: insideView(counted) };
}
