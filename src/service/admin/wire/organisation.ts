import * as z from 'zod';
import { EventJson, OrganisationJson } from '../../../core/codecs/records.ts';
import { TimeOrNull } from '../../../core/codecs/time.ts';
import { Name, wholeList } from './common.ts';
import { SheetSettingsChanges } from './sheets.ts';

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
export const EventDeletion = z.object({
  withTickets: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'With its tickets, their holders and its log entries.' }),
});
export const DeletionFacts = z
  .object({
    tickets: z.number().int(),
    valid: z
      .number()
      .int()
      .meta({ description: 'Those that a scan would still admit, now or when their time comes.' }),
    lastScanAt: TimeOrNull.meta({ description: 'Null when the log holds no scan of the event.' }),
  })
  .meta({ id: 'DeletionFacts' });
export type DeletionFacts = z.output<typeof DeletionFacts>;
export const EventChanges = z.object({ name: Name });
export const OrganisationChanges = z
  .strictObject({
    name: Name.optional(),
    timeZone: z.string().min(1).max(100).nullish(),
    /** At most `keysMaxTo` of the organisation. */
    keysMax: z.number().int().min(1).optional(),
    sheets: SheetSettingsChanges.optional(),
  })
  .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
    error: 'name, timeZone, keysMax or sheets is missing',
  });
export const OwnOrganisation = OrganisationJson.extend({
  /** To how many keys its owners may raise their number; null where only the operator may. */
  keysMaxTo: z.number().int().nullable(),
}).meta({ id: 'OwnOrganisation' });
export type OwnOrganisation = z.output<typeof OwnOrganisation>;
