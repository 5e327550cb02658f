import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { decide } from '../../core/decision.ts';
import type { Deletion } from '../../stores/deletion.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore, StoreUpkeep } from '../../stores/store.ts';

const TICKETS_AT_ONCE = 1000;
const ENTRIES_AT_ONCE = 10_000;

/** The facts that somebody should know before an event is deleted with its tickets. */
export interface DeletionFacts {
  readonly tickets: number;
  /** How many tickets a scan would still admit, now or later. */
  readonly valid: number;
  /** Milliseconds since 1970 UTC; null when the log holds no scan of it. */
  readonly lastScanAt: number | null;
}

/** A deletion that has begun and has not ended. */
export interface UnfinishedDeletion extends Pick<Deletion, 'what' | 'name'> {
  readonly id: string;
}

export async function deletionFacts(
  store: Pick<RecordStore, 'listTickets'> & Pick<LogStore, 'searchLog'>,
  clock: Pick<Clock, 'now'>,
  eventId: string,
): Promise<DeletionFacts> {
  let [tickets, valid] = [0, 0];
  let afterId: string | undefined;
  for (;;) {
    const filter = { eventId, limit: TICKETS_AT_ONCE, ...(afterId && { afterId }) };
    const page = await store.listTickets(filter);
    tickets += page.length;
    for (const ticket of page) {
      const decision = decide(ticket, 'validate', clock.now());
      const isEarly = decision.status === 'rejected' && decision.reason === 'not_yet_valid';
      if (decision.status === 'validated' || isEarly) valid += 1;
    }
    afterId = page.at(-1)?.id;
    if (page.length < TICKETS_AT_ONCE) break;
    await setImmediate();
  }
  return { tickets, valid, lastScanAt: await lastScanOf(store, eventId) };
}

async function lastScanOf(
  store: Pick<LogStore, 'searchLog'>,
  eventId: string,
): Promise<number | null> {
  const search = { eventId, limit: 1, searchMax: ENTRIES_AT_ONCE };
  let page = await store.searchLog(search);
  while (page.entries.length === 0 && !page.ended) {
    await setImmediate();
    page = await store.searchLog({ ...search, beforeSequence: page.searchedTo });
  }
  return page.entries[0]?.at ?? null;
}

/** Lists unfinished deletions, those of events first: an organisation is removed when nothing is left of its events. */
export async function unfinishedDeletions(
  store: Pick<RecordStore, 'list'>,
): Promise<UnfinishedDeletion[]> {
  const all = (await store.list('deletion')).map(({ id, value }) => {
    const { what, name } = value as Deletion;
    return { id, what, name };
  });
  return all.sort((a, b) => Number(a.what === 'organisation') - Number(b.what === 'organisation'));
}

/** Removes in short transactions what is left of everything that is being deleted. @returns how many deletions ended */
export async function finishDeletions(
  store: Pick<RecordStore, 'list' | 'continueDeletion'> & Pick<StoreUpkeep, 'purgeErased'>,
  clock: Pick<Clock, 'now'>,
): Promise<number> {
  const deletions = await unfinishedDeletions(store);
  for (const { id } of deletions) {
    while (await store.continueDeletion(id, clock.now())) await setImmediate();
  }
  if (deletions.length > 0) await store.purgeErased(false);
  return deletions.length;
}
