import * as z from 'zod';
import { dateAfter, daysIn } from '../../core/calendar-days.ts';
import type { GatePlace } from '../../core/gate-name.ts';
import { isOnline, STATISTICS_MINUTES_MAX } from '../../core/limits.ts';
import { Time } from '../../core/records.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import { type OperationContext, operation, serverOf } from '../context.ts';
import { gateNamesOf } from '../devices/rules.ts';
import { insideNow } from '../events/inside-now.ts';
import { Inside } from '../events/operations.ts';
import { insideRuleOf } from '../organisations/inside-from.ts';
import { type ClosingRequest, closingOf, ScanClosing } from './closing.ts';
import type { MinuteCounts } from './minute-statistics.ts';
import { statisticsPeriod } from './rules.ts';
import {
  Day,
  figuresOfToday,
  ScanStatistics,
  ScanStatisticsQuery,
  scanStatistics,
} from './scan-statistics.ts';

const tag = 'Statistics';

const Counts = { admitted: z.number().int(), denied: z.number().int() };

/** Consume operations only: a validate lets nobody in, and a way out that counted nobody refused nobody. Repeated answers are not counted. */
export const Statistics = z
  .object({
    /** One for each minute, oldest first; the last is the current one. */
    minutes: z.array(z.object({ at: Time, ...Counts })),
    /** The gates of those minutes. Each is called by the name of its device; without one by that of the key or account, with the serial. */
    byGate: z.array(
      z.object({ gate: z.string(), keyId: z.string(), serial: z.string().nullable(), ...Counts }),
    ),
    byReason: z.array(z.object({ reason: z.string(), count: z.number().int() })),
    /** The figures since midnight UTC. */
    today: z.object(Counts),
    /** The devices that send heartbeats. It is unknown whether others are connected. */
    devices: z.object({ online: z.number().int(), total: z.number().int() }),
    /** The people in each event that is not archived, where somebody is counted out or could be. */
    inside: z.array(Inside.extend({ event: z.string(), name: z.string() })),
    /** False while the log of these minutes is still being counted: their numbers are then too small. */
    complete: z.boolean(),
  })
  .meta({ id: 'Statistics' });
type Statistics = z.output<typeof Statistics>;

export const getStatistics = operation({
  id: 'getStatistics',
  http: 'GET /statistics',
  tag,
  role: 'viewer',
  summary: 'Admitted and denied, by minute, gate and reason, and who is there',
  description: 'All figures of one answer are of one moment.',
  query: z.object({
    minutes: z.coerce
      .number<number | string>()
      .int()
      .min(1)
      .max(STATISTICS_MINUTES_MAX)
      .default(60),
  }),
  answer: Statistics,
  run: async (context, { minutes }) => {
    const { id } = await context.scope.onlyOne();
    const { counts, complete } = await serverOf(context).minuteStatistics.of(id);
    const now = context.clock.now();
    const [today, devices, inside, gateName] = await Promise.all([
      figuresOfToday(context.store, id, now),
      devicesOf(context, id, now),
      peopleInside(context, id, now),
      gateNamesOf(context.store, id),
    ]);
    return lastMinutes({ counts, complete, today, devices, inside, gateName }, minutes, now);
  },
});

async function devicesOf(
  { store }: OperationContext,
  organisationId: string,
  now: number,
): Promise<Statistics['devices']> {
  const heard = (await store.listDevices(organisationId)).filter(
    ({ lastContactAt }) => lastContactAt !== null,
  );
  const online = heard.filter(({ lastContactAt }) => isOnline(lastContactAt, now));
  return { online: online.length, total: heard.length };
}

/** Events that nobody is counted out of, for want of a reader that points out, are left out: their number would only grow. */
async function peopleInside(
  { store }: OperationContext,
  organisationId: string,
  now: number,
): Promise<Statistics['inside']> {
  const [events, keys] = await Promise.all([
    store.list('event', { organisationId, withoutArchived: true }),
    store.list('key', { organisationId }),
  ]);
  const inside = await insideNow(store, events, now);
  const hasExits = keys.some(({ readers = {} }) => Object.values(readers).includes('out'));
  return events.flatMap(({ id, name }) => {
    const { isCountedOut, ...counted } = inside(id);
    return hasExits || isCountedOut ? [{ event: id, name, ...counted }] : [];
  });
}

interface CountedMinutes {
  readonly counts: MinuteCounts;
  readonly complete: boolean;
  readonly today: Statistics['today'];
  readonly devices: Statistics['devices'];
  readonly inside: Statistics['inside'];
  readonly gateName: (place: GatePlace) => string;
}

/** The last `minutes` minutes, the current one included. */
function lastMinutes(
  { counts, complete, today, devices, inside, gateName }: CountedMinutes,
  minutes: number,
  now: number,
): Statistics {
  const current = Math.floor(now / MINUTE_MS);
  const first = current - minutes + 1;
  return {
    minutes: Array.from({ length: minutes }, (_, index) => {
      const minute = first + index;
      return { at: minute * MINUTE_MS, ...counts.at(minute) };
    }),
    byGate: counts.byGate(first, current).map((gate) => ({ gate: gateName(gate), ...gate })),
    byReason: counts.byReason(first, current),
    today: { admitted: today.admitted, denied: today.denied },
    devices,
    inside,
    complete,
  };
}

export const getScanStatistics = operation({
  id: 'getScanStatistics',
  http: 'GET /statistics/scans',
  tag,
  role: 'viewer',
  share: 'statistics',
  summary: 'Scans of a period, by day, hour, event, gate or ticket type, or by two of them',
  query: ScanStatisticsQuery,
  answer: ScanStatistics,
  run: statisticsOf,
});

/** Reads the statistics of a period, for an answer or a file. @throws TicketscanError `not_found`, `usage` for a period that cannot be */
export async function statisticsOf(
  { scope, store, clock }: Pick<OperationContext, 'scope' | 'store' | 'clock'>,
  query: z.output<typeof ScanStatisticsQuery>,
) {
  const { event, organisationId, timeZone } = await countedFor(scope, query);
  const request = { ...query, organisationId, event: event?.id, timeZone };
  return scanStatistics(store, request, clock.now());
}

/** Whose scans a question counts, and in which time zone. @throws TicketscanError `not_found`, `usage` */
async function countedFor(
  scope: OperationContext['scope'],
  query: { readonly event?: string | undefined; readonly timeZone: string },
) {
  const event = query.event === undefined ? undefined : await scope.event(query.event);
  const organisationId = event?.organisationId ?? (await scope.onlyOne()).id;
  return { event, organisationId, timeZone: checkTimeZone(query.timeZone) };
}

export const ScanClosingQuery = z.object({
  /** The first day; `to` by default. */
  from: Day.optional(),
  /** The last day, included; `from` by default, else today. */
  to: Day.optional(),
  timeZone: ScanStatisticsQuery.shape.timeZone,
  /** Scans of this event only. */
  event: z.string().max(100).optional(),
  /** The first day of what stands beside it; that of the period by default, where another event does. */
  otherFrom: Day.optional(),
  /** Its last day; as many days as the period has by default. */
  otherTo: Day.optional(),
  /** The event that stands beside it; the same one by default. */
  otherEvent: z.string().max(100).optional(),
});

export const getScanClosing = operation({
  id: 'getScanClosing',
  http: 'GET /statistics/closing',
  tag,
  role: 'viewer',
  share: 'statistics',
  summary: 'Close a day or several, by event, gate, ticket type and hour',
  description:
    'Who was admitted, with a first or a further use, counted out, denied and why, and when most people were inside. With `otherFrom` or `otherEvent` the figures of other days or of another event stand beside each row as `other`.',
  query: ScanClosingQuery,
  answer: ScanClosing,
  run: closingFor,
});

/** Closes the days of a request, for an answer or a file. @throws TicketscanError `not_found`, `usage` for days that cannot be */
export async function closingFor(
  { scope, store, clock }: Pick<OperationContext, 'scope' | 'store' | 'clock'>,
  query: z.output<typeof ScanClosingQuery>,
): Promise<ScanClosing> {
  const { event, organisationId, timeZone } = await countedFor(scope, query);
  const organisation = await store.read('organisation', organisationId);
  const now = clock.now();
  const one = query.from ?? query.to;
  const days = statisticsPeriod(
    { from: one ?? query.to, to: query.to ?? query.from, timeZone },
    now,
    { byHour: true },
  );
  const own: ClosingRequest = {
    organisationId,
    timeZone,
    from: one === undefined ? days.to : days.from,
    to: days.to,
    event: event ? { id: event.id, name: event.name } : null,
    inside: await insideRuleOf(store, organisation ?? { id: organisationId }),
  };
  const { otherFrom, otherTo, otherEvent } = query;
  const isBeside = [otherFrom, otherTo, otherEvent].some((value) => value !== undefined);
  if (!isBeside) return closingOf(store, own, undefined, now);
  const other = otherEvent === undefined ? own.event : await scope.event(otherEvent);
  const from = otherFrom ?? otherTo ?? own.from;
  const first = statisticsPeriod({ from, to: from, timeZone }, now, { byHour: true }).from;
  const beside: ClosingRequest = {
    ...own,
    event: other ? { id: other.id, name: other.name } : null,
    from: first,
    to: otherTo ?? dateAfter(first, daysIn(own) - 1),
  };
  return closingOf(store, own, beside, now);
}
