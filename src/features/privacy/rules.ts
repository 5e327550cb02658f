import type { Clock } from '../../core/clock.ts';
import { endOfTicket } from '../../core/end-of-ticket.ts';
import { TicketscanError } from '../../core/errors.ts';
import { hasPersonalTexts } from '../../core/personal-texts.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { Store } from '../../stores/store.ts';
import { auditEntryOf } from '../actor.ts';

/** Some 50 ms of a store's only writer. */
const ENTRIES_PER_STEP = 5000;
const TICKETS_PER_STEP = 1000;
const RETENTION = { accountId: null, by: 'retention' };

export const RETENTION_SETTINGS = ['keepLogDays', 'keepHoldersDays'] as const;

/** How long data is kept, in days; without a number for ever. */
export interface Retention {
  readonly keepLogDays?: number | undefined;
  readonly keepHoldersDays?: number | undefined;
}

export interface Retained {
  /** Log entries that were removed. */
  readonly entries: number;
  /** Tickets whose holder was erased. */
  readonly holders: number;
  /** False when bytes of what was erased may still be in the files. */
  readonly purged: boolean;
}

export type RetainingStore = Pick<
  Store,
  'verify' | 'pruneLog' | 'listTickets' | 'eraseHolders' | 'purgeErased'
>;

/**
 * Removes log entries, and holders of tickets that admit nobody any more, when they are older than they are to be kept.
 * @param isPatient as for `Store.purgeErased`
 * @throws TicketscanError `store_damaged` when the store does not pass its audit; then nothing is removed
 */
export async function applyRetention(
  store: RetainingStore,
  clock: Pick<Clock, 'now'>,
  { keepLogDays, keepHoldersDays }: Retention,
  isPatient: boolean,
): Promise<Retained> {
  const now = clock.now();
  const [problem] = (await store.verify()).problems;
  if (problem !== undefined) {
    throw new TicketscanError(
      'store_damaged',
      `The store is NOT sound: ${problem} Nothing was removed. See ticketscan audit.`,
    );
  }
  const entries = keepLogDays === undefined ? 0 : await prune(store, now - keepLogDays * DAY_MS);
  const holders =
    keepHoldersDays === undefined ? 0 : await erase(store, clock, now - keepHoldersDays * DAY_MS);
  const purged = entries + holders === 0 || (await store.purgeErased(isPatient));
  return { entries, holders, purged };
}

async function prune(store: RetainingStore, before: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const step = await store.pruneLog(before, ENTRIES_PER_STEP);
    if (step === 0) return removed;
    removed += step;
  }
}

async function erase(
  store: RetainingStore,
  clock: Pick<Clock, 'now'>,
  before: number,
): Promise<number> {
  let erased = 0;
  let afterId: string | undefined;
  for (;;) {
    const page = await store.listTickets({ limit: TICKETS_PER_STEP, ...(afterId && { afterId }) });
    const ended = page.filter(
      (one) => hasPersonalTexts(one) && (endOfTicket(one) ?? before) < before,
    );
    if (ended.length > 0) {
      const change = { act: 'ticket.erase', subject: '', organisationId: null };
      const ids = ended.map(({ id }) => id);
      erased += await store.eraseHolders(ids, auditEntryOf(RETENTION, clock, change));
    }
    afterId = page.at(-1)?.id;
    if (page.length < TICKETS_PER_STEP || afterId === undefined) return erased;
  }
}
