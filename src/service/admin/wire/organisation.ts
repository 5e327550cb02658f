import * as z from 'zod';
import { EventJson } from '../../../core/codecs/records.ts';
import { TimeOrNull } from '../../../core/codecs/time.ts';
import { Name, wholeList } from './common.ts';

/** People inside: those who went in, less those who went out, since the reset. */
const Inside = z
  .object({
    people: z.number().int(),
    entered: z.number().int(),
    exited: z.number().int(),
    resetAt: TimeOrNull,
  })
  .meta({ id: 'Inside' });

export const Event = EventJson.extend({
  tickets: z.object({ total: z.number().int() }),
  inside: Inside,
}).meta({ id: 'Event' });
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
  .strictObject({ name: Name.optional(), timeZone: z.string().min(1).max(100).nullish() })
  .refine(({ name, timeZone }) => name !== undefined || timeZone !== undefined, {
    error: 'name or timeZone is missing',
  });
