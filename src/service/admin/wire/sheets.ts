import * as z from 'zod';
import { SHEET_LANGUAGES } from '../../../core/sheet-settings.ts';

const SHEET_TICKETS_MAX = 1000;
export const SheetQuery = z.object({
  /** One of the layouts of `ticketscan mint --sheet`. */
  layout: z.string().default('a4'),
  /** In which the times of the window are printed. */
  timeZone: z.string().default('UTC'),
  /** Without it, the organisation's; where none is chosen, English. */
  language: z.enum(SHEET_LANGUAGES).optional(),
});
/** The tickets of a file to print, in their order. */
export const SheetOf = SheetQuery.extend({
  ids: z.array(z.string()).min(1).max(SHEET_TICKETS_MAX),
});
