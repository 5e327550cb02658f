import * as z from 'zod';
import { EventJson } from '../../../core/codecs/records.ts';
import { Name, wholeList } from './common.ts';

export const Event = EventJson.extend({ tickets: z.object({ total: z.number().int() }) }).meta({
  id: 'Event',
});
export type Event = z.output<typeof Event>;
export const EventList = wholeList(Event);
export const NewEvent = z.object({ name: Name });
export const OrganisationChanges = z.strictObject({ timeZone: z.string().min(1).max(100) });
export const EventChanges = z.object({ name: Name });
