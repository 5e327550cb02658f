import { timesToJson } from '../../../core/codecs/time.ts';
import type { EventRecord, Occupancy } from '../../../core/records.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { insideView } from '../views/inside-view.ts';
import { Done, Id } from '../wire/common.ts';
import { Event, EventChanges, EventList, EventQuery, NewEvent } from '../wire/organisation.ts';

const tags = ['Events'];

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
  app.delete(
    '/events/:id',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        operationId: 'deleteEvent',
        summary: 'Delete an empty event',
        description:
          'An event with tickets or log entries is not deleted (409). Keys for selected events are then no longer valid for it.',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      await scope.administration.deleteEvent(await scope.event(request.params.id));
      return {};
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
  return { ...timesToJson(event), tickets: { total }, inside: insideView(counted) };
}
