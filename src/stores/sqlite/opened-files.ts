import { statSync } from 'node:fs';
import { TicketscanError } from '../../core/errors.ts';

/**
 * The files of an open database. SQLite goes on writing to a file that was deleted, moved or replaced; what it writes then
 * is found by nobody, and must not be acknowledged (ADR 0071).
 */
export class OpenedFiles {
  readonly #path: string;
  readonly #database: string | undefined;
  #log: string | undefined;

  /** @param path of the open database, or `:memory:` */
  constructor(path: string) {
    this.#path = path;
    this.#database = identityOf(path);
    this.#log = identityOf(`${path}-wal`);
  }

  /** To be called after a change and before anyone hears of it. @throws TicketscanError `store_unavailable` */
  mustBeThere(): void {
    // Opened in memory: there is no file to lose.
    if (this.#database === undefined) return;
    const log = identityOf(`${this.#path}-wal`);
    this.#log ??= log;
    if (identityOf(this.#path) === this.#database && log === this.#log) return;
    throw new TicketscanError(
      'store_unavailable',
      `${this.#path} was deleted, moved or replaced while it was open, so nothing is acknowledged any more. ` +
        'Put the right files in its place, then start again.',
    );
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
