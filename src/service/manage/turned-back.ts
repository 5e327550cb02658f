import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { LogStore, RecordStore } from '../stores/store.ts';
import { TicketAdministration } from './ticket-administration.ts';

type TurnedBackStore = RecordStore & Pick<LogStore, 'searchLog'>;

/** A later report belongs to another passage. */
const TURN_BACK_WITHIN_MS = 30_000;
const ENTRIES_MAX = 50;
const SEARCH_MAX = 10_000;
const REASON = 'the device reported that nobody passed';

/**
 * Makes what takes back the use of a device's newest grant (ADR 0112): of the same key and serial, at most 30 seconds old, and once.
 * The newest grant alone is meant: when it took no use, none is given back.
 */
export function takeBackOn(
  store: TurnedBackStore,
  clock: Pick<Clock, 'now'>,
): (keyId: string, serial: string) => Promise<void> {
  return async (keyId, serial) => {
    const { entries } = await store.searchLog({
      keyId,
      serial,
      fromAt: clock.now() - TURN_BACK_WITHIN_MS,
      limit: ENTRIES_MAX,
      searchMax: SEARCH_MAX,
    });
    const newest = entries.find(isGrant);
    if (newest?.status !== 'consumed' || newest.undoneBy !== undefined) return;
    const actor = { accountId: null, by: `device ${serial}` };
    const tickets = new TicketAdministration(store, clock, randomBytes, actor);
    await tickets.undo(null, newest.sequence, REASON).catch((error: unknown) => {
      // Another report, or a person, was faster.
      if (!(error instanceof TicketscanError && error.code === 'conflict')) throw error;
    });
  };
}

/** A repeated answer is no new grant. */
function isGrant({ status, replayed }: LogEntry): boolean {
  return !replayed && (status === 'consumed' || status === 'validated');
}
