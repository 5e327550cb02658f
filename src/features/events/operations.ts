import * as z from 'zod';
import { reaches } from '../../core/administrative-records.ts';
import { refuse } from '../../core/errors.ts';
import { EventJson, type EventRecord, TimeOrNull } from '../../core/records.ts';
import { asked, Done, Id, ListPage, Name, pagedList, pageOf } from '../../operations/fields.ts';
import type { Frozen } from '../../operations/operation.ts';
import { type OperationContext, operation } from '../context.ts';
import { EventHome, homesElsewhere } from '../sites/event-homes.ts';
import { finishDeletions } from './deletions.ts';
import { insideNow } from './inside-now.ts';

/** People inside: those who went in, less those who went out, since the count began. */
export const Inside = z
  .object({
    people: z.number().int(),
    entered: z.number().int(),
    exited: z.number().int(),
    /** The time of the last reset, daily or by hand; null where there was none. */
    resetAt: TimeOrNull,
  })
  .meta({ id: 'Inside' });

export const Event = EventJson.extend({
  tickets: z.object({ total: z.number().int() }),
  inside: Inside,
  /** Where its scans are decided; absent where that is here. */
  home: EventHome.exactOptional(),
}).meta({ id: 'Event' });
export type Event = Frozen<z.output<typeof Event>>;

const Flag = z.enum(['true', 'false']).default('false');

const tag = 'Events';

export const listEvents = operation({
  id: 'listEvents',
  http: 'GET /events',
  tag,
  role: 'viewer',
  summary: 'List events',
  query: z.object({
    archived: Flag.meta({ description: 'With archived events.' }),
    /** Part of the name. */
    search: z.string().max(200).optional(),
    ...ListPage,
  }),
  answer: pagedList(Event),
  run: async (context, { archived, search, after, limit }) => {
    const withoutArchived = archived !== 'true';
    const named = search !== undefined && { named: search };
    const filter = { ...asked({ after, limit }), ...named, withoutArchived };
    const { items, next } = pageOf(await context.scope.events(filter), limit);
    return { items: await allShown(items, context), next };
  },
});

export const createEvent = operation({
  id: 'createEvent',
  http: 'POST /events',
  tag,
  role: 'operator',
  summary: 'Create an event',
  body: z.object({ name: Name }),
  status: 201,
  answer: Event,
  run: async (context, { name }) => {
    const { administration, organisation } = context.scope;
    return shown(await administration.events.create(name, organisation?.id), context);
  },
});

export const renameEvent = operation({
  id: 'renameEvent',
  http: 'PATCH /events/:id',
  tag,
  role: 'operator',
  summary: 'Rename an event',
  params: Id,
  body: z.object({ name: Name }),
  answer: Event,
  run: async (context, { id, name }) => {
    const event = await context.scope.event(id);
    return shown(await context.scope.administration.events.rename(event, name), context);
  },
});

export const archiveEvent = operation({
  id: 'archiveEvent',
  http: 'POST /events/:id/archive',
  tag,
  role: 'operator',
  summary: 'Archive an event',
  description: 'Changes what lists and choices show. Its tickets scan as before.',
  params: Id,
  answer: Event,
  run: async (context, { id }) => {
    const event = await context.scope.event(id);
    return shown(await context.scope.administration.events.archive(event), context);
  },
});

export const unarchiveEvent = operation({
  id: 'unarchiveEvent',
  http: 'POST /events/:id/unarchive',
  tag,
  role: 'operator',
  summary: 'Show an archived event again',
  description: 'Changes what lists and choices show. Its tickets scan as before.',
  params: Id,
  answer: Event,
  run: async (context, { id }) => {
    const event = await context.scope.event(id);
    return shown(await context.scope.administration.events.unarchive(event), context);
  },
});

export const resetInside = operation({
  id: 'resetInside',
  http: 'POST /events/:id/reset-inside',
  tag,
  role: 'operator',
  summary: 'Set the people inside an event to 0',
  description: 'It is never negative: where more people were counted out than in, it is 0.',
  params: Id,
  answer: Event,
  run: async (context, { id }) => {
    const event = await context.scope.event(id);
    await context.scope.administration.events.resetInside(event);
    return shown(event, context);
  },
});

export const showEventDeletion = operation({
  id: 'showEventDeletion',
  http: 'GET /events/:id/deletion',
  tag,
  role: 'operator',
  share: 'changes',
  summary: 'What would be deleted with an event',
  description: 'To be shown before an event is deleted with its tickets.',
  params: Id,
  answer: z
    .object({
      tickets: z.number().int(),
      valid: z.number().int().meta({
        description: 'Those that a scan would still admit, now or when their time comes.',
      }),
      lastScanAt: TimeOrNull.meta({ description: 'Null when the log holds no scan of the event.' }),
    })
    .meta({ id: 'DeletionFacts' }),
  run: async ({ scope }, { id }) =>
    scope.administration.events.deletionFacts(await scope.event(id)),
});

export const deleteEvent = operation({
  id: 'deleteEvent',
  http: 'DELETE /events/:id',
  tag,
  role: 'operator',
  summary: 'Delete an event',
  description:
    'An event with tickets or log entries is not deleted (409), unless `withTickets` says so: once that is answered, no scan of its tickets is admitted, and tickets, holders and log entries are removed within minutes. Sums for the statistics stay, without names. Only an owner may do that. Keys for selected events are then no longer valid for it.',
  params: Id,
  query: z.object({
    withTickets: Flag.meta({
      description: 'With its tickets, their holders and its log entries.',
    }),
  }),
  answer: Done,
  run: async ({ scope, store, clock, afterwards }, { id, withTickets }) => {
    const event = await scope.event(id);
    if (withTickets !== 'true') {
      await scope.administration.events.delete(event);
      return {};
    }
    if (!reaches(scope.role, 'owner')) {
      const detail = 'Only an owner deletes an event with its tickets.';
      throw refuse('role_missing', {}, { detail });
    }
    await scope.administration.events.deleteWithTickets(event);
    afterwards(finishDeletions(store, clock), 'what is left of an event goes later');
    return {};
  },
});

async function shown(event: EventRecord, context: OperationContext): Promise<Event> {
  const [only] = await allShown([event], context);
  return only as Event;
}

async function allShown(
  events: readonly EventRecord[],
  { store, clock }: OperationContext,
): Promise<Event[]> {
  const [tickets, inside, homeOf] = await Promise.all([
    store.countTicketsOf(events.map(({ id }) => id)),
    insideNow(store, events, clock.now()),
    homesElsewhere(store),
  ]);
  return events.map((event) => {
    const { isCountedOut: _, ...counted } = inside(event.id);
    const home = homeOf(event.id);
    const shownEvent = { ...event, tickets: { total: tickets[event.id] ?? 0 }, inside: counted };
    return home ? { ...shownEvent, home } : shownEvent;
  });
}
