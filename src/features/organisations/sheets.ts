import * as z from 'zod';
import {
  LOGO_BYTES_MAX,
  SHEET_LANGUAGES,
  SHEET_LINE_CHARACTERS_MAX,
  SHEET_LINES_MAX,
} from '../../core/sheet-settings.ts';

const LOGO_CHARACTERS_MAX = Math.ceil((LOGO_BYTES_MAX * 4) / 3) + 4;
/** Of changes with a logo. */
export const LOGO_BODY_BYTES_MAX = LOGO_CHARACTERS_MAX + 4096;

/** What is printed on the organisation's tickets. */
export const SheetSettingsJson = z
  .object({
    /** Null where none was chosen: English. */
    language: z.enum(SHEET_LANGUAGES).nullable(),
    /** Below the texts of each ticket. */
    lines: z.array(z.string()),
    /** Whether there is a logo: see `/organisation/logo.png`. */
    logo: z.boolean(),
  })
  .meta({ id: 'SheetSettings' });
export type SheetSettingsJson = z.output<typeof SheetSettingsJson>;

export const SheetSettingsChanges = z.object({
  language: z.enum(SHEET_LANGUAGES).nullable().optional(),
  lines: z.array(z.string().max(SHEET_LINE_CHARACTERS_MAX)).max(SHEET_LINES_MAX).optional(),
  /** A PNG in Base64; null removes it. */
  logo: z.base64().max(LOGO_CHARACTERS_MAX).nullable().optional(),
});

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
