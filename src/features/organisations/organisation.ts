import * as z from 'zod';
import { OrganisationJson } from '../../core/codecs/records.ts';
import { Name } from '../../operations/fields.ts';
import { SheetSettingsChanges } from './sheets.ts';

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
