import type { SheetLanguage } from '../../core/sheet-settings.ts';

/** What is printed besides the tickets' own texts, and how those read. */
export interface SheetContent {
  readonly language: SheetLanguage;
  /** In which the times of the window are printed, for example `Europe/Athens`. */
  readonly timeZone: string;
  /** Below the texts of each ticket. */
  readonly lines: readonly string[];
  /** A PNG that `readLogo` accepted, above the texts of each ticket; low labels have no room for it. */
  readonly logo?: Buffer | undefined;
}
