import * as z from 'zod';
import { Name, Time, wholeList } from './common.ts';

const Limits = z
  .object({
    ratePerSecond: z.number().positive(),
    burst: z.number().int().min(1),
    quotaPerMonth: z.number().int().min(1),
    keysMax: z.number().int().min(1),
  })
  .meta({ id: 'Limits' });

export const Organisation = z
  .object({ id: z.string(), name: z.string(), limits: Limits, createdAt: Time })
  .meta({ id: 'Organisation' });
export type Organisation = z.output<typeof Organisation>;

export const Event = z
  .object({
    id: z.string(),
    organisationId: z.string(),
    name: z.string(),
    createdAt: Time,
    tickets: z.object({ total: z.number().int() }),
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof Event>;
export const EventList = wholeList(Event);
export const NewEvent = z.object({ name: Name });
export const EventChanges = z.object({ name: Name });
