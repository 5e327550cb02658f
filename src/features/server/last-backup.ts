import { DAY_MS } from '../../kit/durations.ts';
import type { StoreAddress } from '../../stores/open-store.ts';
import type { RecordStore } from '../../stores/record-store.ts';

const LAST = { kind: 'backup', id: 'last' } as const;
const OVERDUE_AFTER_MS = 7 * DAY_MS;
/** With fewer, somebody is still trying things out. */
const TICKETS_WORTH_A_BACKUP = 100;

/** The last `store backup` that succeeded. */
export interface LastBackup {
  /** The moment that it shows, in milliseconds since 1970 UTC; null without one. */
  readonly at: number | null;
  /** True when somebody should make a new one. */
  readonly isOverdue: boolean;
}

/** Remembers a backup in the store that it was made of. @param at the moment that it shows */
export async function noteBackup(
  store: Pick<RecordStore, 'read' | 'write'>,
  at: number,
): Promise<void> {
  const found = await store.read(LAST.kind, LAST.id);
  await store.write({
    documents: [{ ...LAST, revision: found?.revision ?? 0, value: { at } }],
    audit: [],
  });
}

/**
 * Only a SQLite store can be overdue: the tools of PostgreSQL, and copies of the files of a JSON store, leave no note.
 * @param now milliseconds since 1970 UTC
 */
export async function lastBackup(
  store: Pick<RecordStore, 'read' | 'listTickets'>,
  engine: StoreAddress['engine'],
  now: number,
): Promise<LastBackup> {
  const found = await store.read(LAST.kind, LAST.id);
  const at = found ? (found.value as { readonly at: number }).at : null;
  if (engine !== 'sqlite') return { at, isOverdue: false };
  if (at !== null) return { at, isOverdue: now - at > OVERDUE_AFTER_MS };
  const tickets = await store.listTickets({ limit: TICKETS_WORTH_A_BACKUP });
  return { at, isOverdue: tickets.length === TICKETS_WORTH_A_BACKUP };
}
