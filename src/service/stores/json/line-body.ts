import type { LogPlace } from './log-lines.ts';
import type { Change } from './recorded-state.ts';

/** What a line of the log says. */
export interface LineBody {
  readonly changes?: readonly Change[];
  /** Written when a program ended cleanly, as its last line. */
  readonly closed?: true;
  /** Ends the beginning of a shortened log: the next line is the one after this place of the log as it was. */
  readonly continues?: LogPlace;
}
