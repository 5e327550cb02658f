import type { KeyState } from './record.ts';

/** A store as it lies on the disk, read without the program that wrote it. */
export interface StoreFacts {
  readonly tickets: ReadonlyMap<string, TicketFact>;
  /** The entries in the order of the log. */
  readonly log: readonly LogFact[];
  readonly requests: readonly RequestsFact[];
  /** The keys by their public ids; a deleted one may be missing. */
  readonly keys: ReadonlyMap<string, KeyState>;
  /** What the file format's own check found wrong. */
  readonly damage: readonly string[];
}

export interface TicketFact {
  readonly usesAllowed: number;
  readonly usesConsumed: number;
  /** Uses that came with the ticket from another store, whose log is not here. */
  readonly usesBrought: number;
  readonly validFrom: number | null;
  readonly validUntil: number | null;
  readonly cancelled: boolean;
}

export interface LogFact {
  readonly sequence: number;
  readonly at: number;
  readonly key: string;
  readonly action: string;
  readonly status: string;
  readonly ticket: string | null;
  readonly usesConsumed: number | null;
  /** A stored answer was given again: no use. */
  readonly replayed: boolean;
}

/** Accepted requests of a key in a month such as 202611. */
export interface RequestsFact {
  readonly key: string;
  readonly month: number;
  readonly requests: number;
}

/** The log entry counts as a use. */
export function isUse(entry: LogFact): entry is LogFact & { ticket: string; usesConsumed: number } {
  return entry.status === 'consumed' && !entry.replayed && entry.ticket !== null;
}
