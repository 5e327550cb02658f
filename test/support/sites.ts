import type { Clock } from '../../src/core/clock.ts';
import type { Held, Home, SentRow, StoredHome } from '../../src/core/event-home.ts';
import type { LogEntry } from '../../src/core/records.ts';
import type { NewLogEntry, RelayedRequest } from '../../src/core/scan-requests.ts';
import type { Store } from '../../src/stores/store.ts';
import type { TestStore } from './stores.ts';

/** The name of a site with its incarnation. */
export const SITE = 'st_north.0123456789abcdef';

async function writeHome(store: Store, eventId: string, value: StoredHome): Promise<void> {
  const revision = (await store.read('event-home', eventId))?.revision ?? 0;
  await store.write({
    administrative: [{ kind: 'event-home', id: eventId, revision, value }],
    audit: [],
  });
}

/** Writes where a centre has an event. */
export function putHome(gate: TestStore, home: Home, eventId = gate.eventId): Promise<void> {
  const elsewhere = home.at === 'centre' ? null : 'the site "North"';
  return writeHome(gate.store, eventId, { elsewhere, home });
}

/** Makes a store that of a site, with what it has of its event. */
export async function makeSite(gate: TestStore, held?: Held): Promise<void> {
  const value = {
    url: 'https://centre.example',
    siteId: 'st_north',
    name: 'North',
    incarnation: '0123456789abcdef',
    startsAfter: 0,
  };
  const administrative = [{ kind: 'site-of', id: 'centre', revision: 0, value } as const];
  await gate.store.write({ administrative, audit: [] });
  if (!held) return;
  const elsewhere = held.isOpen ? null : 'the centre of this site';
  await writeHome(gate.store, gate.eventId, { elsewhere, held });
}

/** The first stay of an event at the site. */
export const AWAY = { at: 'away', epoch: 1, site: SITE } as const;

/** A row of the site that follows on the one before it. */
export function rowOf(number: number, changes: Partial<SentRow> = {}): SentRow {
  return { site: SITE, after: number - 1, number, epoch: 1, ...changes };
}

/** A use that the site let a ticket take. */
export function useOf(
  gate: { readonly keyId: string; readonly clock: Pick<Clock, 'now'> },
  ticketId: string | null,
  changes: Partial<NewLogEntry> = {},
): NewLogEntry {
  return {
    at: gate.clock.now(),
    keyId: gate.keyId,
    serial: null,
    reader: null,
    operation: 'consume',
    status: 'consumed',
    reason: null,
    ticketId,
    excerpt: null,
    usesConsumed: 1,
    replayed: false,
    ...changes,
  };
}

export function relayed(gate: TestStore, row: SentRow, entry: NewLogEntry): RelayedRequest {
  return { kind: 'relayed', keyId: entry.keyId, now: gate.clock.now(), row, entry };
}

/** A use of a site that somebody took back there. @param use the number of the row that took it */
export function undoOf(gate: TestStore, ticketId: string, use: number): Omit<LogEntry, 'sequence'> {
  const undo = { sequence: use, by: 'Anna', reason: 'gate did not turn' };
  const { status: _, operation: __, ...rest } = useOf(gate, ticketId, { usesConsumed: 0 });
  return { ...rest, operation: 'undo', status: 'undone', undo };
}
