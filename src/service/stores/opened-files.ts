import { statSync } from 'node:fs';
import { TicketscanError } from '../../core/errors.ts';

/**
 * Files that a store has open. What is written to a file that was deleted, moved or replaced meanwhile is found by nobody,
 * and must not be acknowledged (ADR 0071).
 */
export class OpenedFiles {
  readonly #known = new Map<string, string | undefined>();

  /** @param paths of which the first is there, unless the store is one in memory; others may come later */
  constructor(...paths: readonly string[]) {
    for (const path of paths) this.#known.set(path, identityOf(path));
  }

  /** To be called after a change and before anyone hears of it. @throws TicketscanError `store_unavailable` */
  mustBeThere(): void {
    const [first] = this.#known.values();
    // Opened in memory: there is no file to lose.
    if (first === undefined) return;
    for (const [path, known] of this.#known) {
      const found = identityOf(path);
      if (known === undefined) this.#known.set(path, found);
      else if (found !== known) throw lostFile(path);
    }
  }
}

/** A file that is not what it was: it was deleted, moved or replaced. */
export function lostFile(path: string): TicketscanError {
  return new TicketscanError(
    'store_unavailable',
    `${path} was deleted, moved or replaced while it was open, so the store acknowledges nothing any more. ` +
      'Restore the right files, then start again.',
  );
}

function identityOf(path: string): string | undefined {
  // Numbers of files go beyond what a plain number holds.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
