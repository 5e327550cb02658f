import * as z from 'zod';
import { EventJson } from '../../../core/codecs/records.ts';
import { Name, wholeList } from './common.ts';

export const Event = EventJson.extend({ tickets: z.object({ total: z.number().int() }) }).meta({
  id: 'Event',
});
export type Event = z.output<typeof Event>;
export const EventList = wholeList(Event);
export const NewEvent = z.object({ name: Name });
export const EventQuery = z.object({
  archived: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'With archived events.' }),
});
export const EventChanges = z.object({ name: Name });
export const OrganisationChanges = z
  .strictObject({ name: Name.optional(), timeZone: z.string().min(1).max(100).optional() })
  .refine(({ name, timeZone }) => name !== undefined || timeZone !== undefined, {
    error: 'name or timeZone is missing',
  });
