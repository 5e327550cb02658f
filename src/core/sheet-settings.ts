/** The languages of printed tickets. */
export const SHEET_LANGUAGES = ['en', 'de'] as const;
export type SheetLanguage = (typeof SHEET_LANGUAGES)[number];

/** What an organisation prints on its tickets. */
export interface SheetSettings {
  /** Null where none was chosen: then it is English. */
  readonly language: SheetLanguage | null;
  /** Printed below the ticket's own texts. */
  readonly lines: readonly string[];
  /** A PNG in Base64. */
  readonly logo: string | null;
}

export const NO_SHEET_SETTINGS: SheetSettings = { language: null, lines: [], logo: null };

export const SHEET_LINES_MAX = 4;
export const SHEET_LINE_CHARACTERS_MAX = 100;
/** A logo is printed 10 mm high: more pixels than these do not show. */
export const LOGO_SIDE_PIXELS_MAX = 1000;
export const LOGO_BYTES_MAX = 100 * 1024;
