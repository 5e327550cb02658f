import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { LogEntry } from '../../core/records.ts';
import type { Store } from '../../stores/store.ts';
import type { LastRow } from './wire.ts';

const OLDER =
  'This store is older than the scans that it has sent: its disk was set back, or it runs twice.';
const OTHERS =
  'The centre has other scans of this site than this store: another server runs with a copy of it, or its disk was set back.';

/** A row of the log of a site as its centre recognises it: by what no later change touches. */
export function lastRowOf(entry: LogEntry): LastRow {
  const { sequence: number, at, keyId, operation, status, ticketId, usesConsumed } = entry;
  const told = JSON.stringify([at, keyId, operation, status, ticketId, usesConsumed]);
  return { number, mark: hash('sha256', told, 'hex') };
}

/** @returns false where the log of this store has another row in its place; true where it has none there any more */
async function hasRow(store: Pick<Store, 'readLog'>, last: LastRow): Promise<boolean> {
  const [entry] = await store.readLog({ afterSequence: last.number - 1, limit: 1 });
  return entry?.sequence !== last.number || lastRowOf(entry).mark === last.mark;
}

/**
 * Watches whether a site has the scans that its centre has of it. A store that has others in their place is a copy, or was set back, and has
 * answered scans of its own since.
 */
export class OwnRows {
  readonly #store: Pick<Store, 'readLog'>;
  readonly #log: Pick<Logger, 'error'>;
  #areOthers = false;

  constructor({ store, log }: { store: Pick<Store, 'readLog'>; log: Pick<Logger, 'error'> }) {
    this.#store = store;
    this.#log = log;
  }

  /** Why the gates stand still, until the store is a site of its own; undefined while they need not. */
  get whyNot(): string | undefined {
    return this.#areOthers ? OTHERS : undefined;
  }

  /** Hears how the centre recognises a row of this store. @param startsAfter rows up to this one were there before it was this site */
  async hear(last: LastRow | null, startsAfter: number): Promise<void> {
    if (last === null || last.number <= startsAfter || this.#areOthers) return;
    this.#areOthers = !(await hasRow(this.#store, last));
    if (this.#areOthers) this.#log.error({ row: last.number }, OTHERS);
  }

  /** @param isOlder the centre has rows beyond all of this store @returns why this store is to be another site; undefined where it is not */
  whyAnother(isOlder: boolean): string | undefined {
    const why = isOlder ? OLDER : this.whyNot;
    if (why === undefined) return undefined;
    return `${why} It is a new site from now on, without events, until somebody moves them here again.`;
  }

  /** The store is another site. */
  beginAnew(): void {
    this.#areOthers = false;
  }
}
