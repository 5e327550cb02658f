import { hash } from 'node:crypto';
import { TicketscanError } from '../core/errors.ts';

/** What opening a store does if its format is an earlier one. */
export interface FormatOptions {
  /** True to refuse the store instead of migrating it: for commands that only read. */
  readonly keepFormat?: boolean;
  /** True for a further connection of a program that has the store open already: a second name that the file got since is no reason to fail. */
  readonly isOpenAlready?: boolean;
}

/** How a store is opened. */
export interface OpenOptions extends FormatOptions {
  /**
   * True to keep the database in the thread that opens it. A command with a few calls waits for each of them anyway, and a
   * separate thread would take longer to start than the calls take. No effect on PostgreSQL.
   */
  readonly inThisThread?: boolean;
}

/** The format that a database has. */
export interface FoundFormat {
  readonly version: number;
  /** The fingerprint of the migrations that made it; undefined in a database older than fingerprints. */
  readonly fingerprint: string | undefined;
}

const FINGERPRINT_CHARACTERS = 16;

/** The fingerprint that distinguishes formats with the same number: before a release the baseline itself is changed. */
export function fingerprintOf(migrations: readonly string[]): string {
  const text = migrations.join(' ').replace(/\s+/g, ' ');
  return hash('sha256', text, 'hex').slice(0, FINGERPRINT_CHARACTERS);
}

/**
 * Refuses a format that these migrations did not make. The current format and earlier ones are accepted.
 * @param what the store, for messages
 * @throws TicketscanError `store_newer`; `store_damaged` for a format that was never released; `store_busy` if the format would have to change
 */
export function refuseOtherFormat(
  what: string,
  { version, fingerprint }: FoundFormat,
  migrations: readonly string[],
  { keepFormat = false }: FormatOptions = {},
): void {
  const known = migrations.length;
  if (version > known && fingerprint !== undefined) throw newerStore(what, version, known);
  if (fingerprint !== fingerprintOf(migrations.slice(0, version))) throw unreleasedStore(what);
  if (keepFormat && version < known) throw olderStore(what, version, known);
}

/** A later version of the program has written the store. @param format the format of the store */
export function newerStore(what: string, format: number, known: number): TicketscanError {
  return new TicketscanError(
    'store_newer',
    `${what} was written by a newer ticketscan (its format is ${format}, this program supports ${known}). ` +
      'Run that version or a later one. Nothing was changed.',
  );
}

/** The store has a format between two releases, whose meaning is unknown. */
export function unreleasedStore(what: string): TicketscanError {
  return new TicketscanError(
    'store_damaged',
    `${what} was written by a version of ticketscan that was never released, and this program cannot read it. Name another store ` +
      'with --store, or move this one away and begin a new one. The program that wrote it can export its tickets, and ' +
      'ticketscan tickets import takes them. Nothing was changed.',
  );
}

function olderStore(what: string, format: number, known: number): TicketscanError {
  return new TicketscanError(
    'store_unavailable',
    `${what} has the earlier format ${format}; this program uses format ${known}. Bring it up to date: ticketscan store migrate. ` +
      'Nothing was changed.',
  );
}
