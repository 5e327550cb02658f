import { isAccountId } from '../../core/administrative-records.ts';
import { minuteOf } from '../../core/clock.ts';
import type { Direction } from '../../core/direction.ts';
import { DEVICE_FORGOTTEN_AFTER_MS, DEVICES_PER_KEY_MAX } from '../../core/limits.ts';
import type { DeviceRecord } from '../../core/records.ts';
import type {
  DeviceContact,
  KeyState,
  NewLogEntry,
  ScanState,
  StoredAnswer,
} from '../../core/scan-batch.ts';
import type { CountedBy } from '../../core/scan-count.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { KeyLookup, KeyOfHash, KeyUse } from '../record-store.ts';
import { CountedSerials, ScanTally } from '../scan-tally.ts';
import { deviceThatScans } from '../scanned-devices.ts';
import type { MemoryState } from './memory-state.ts';

const NOBODY = { entered: 0, exited: 0, resetAt: null };

/** The state of a batch on plain maps. Nothing can fail half-way, so writes go straight in. */
export class MemoryScanState implements ScanState {
  readonly #state: MemoryState;
  readonly #tally = new ScanTally();
  readonly #serials = new CountedSerials();
  /** Goes round and round; a map's iterator sees what is added and removed meanwhile. */
  #sweep: MapIterator<[string, StoredAnswer]>;

  constructor(state: MemoryState) {
    this.#state = state;
    this.#sweep = state.answers.entries();
  }

  key(keyId: string): KeyState | undefined {
    const key = this.#state.keys.get(keyId);
    if (!key) return undefined;
    const { record } = key;
    const events = record.events === 'all' ? 'all' : new Set(record.events);
    const { limits } = this.#state.organisation(record.organisationId);
    return { ...record, events, quotaPerMonth: limits.quotaPerMonth, rate: limits };
  }

  organisationOf(eventId: string): string | undefined {
    return this.#state.events.get(eventId)?.organisationId;
  }

  ticket(ticketId: string): Ticket | undefined {
    return this.#state.tickets.get(ticketId);
  }

  requestsInMonth(keyId: string, month: number): number {
    return requestsInMonth(this.#state, keyId, month);
  }

  countRequest(keyId: string, month: number, minute: number): void {
    const name = `${month} ${keyId}`;
    this.#state.requests.set(name, this.requestsInMonth(keyId, month) + 1);
    if (minute > (this.#state.lastUses.get(name) ?? 0)) this.#state.lastUses.set(name, minute);
  }

  countPassage(eventId: string, direction: Direction): void {
    const before = this.#state.occupancy.get(eventId) ?? NOBODY;
    const { entered, exited } = before;
    const counted = direction === 'in' ? { entered: entered + 1 } : { exited: exited + 1 };
    this.#state.occupancy.set(eventId, { ...before, ...counted, eventId });
  }

  storedAnswer(keyId: string, name: string): StoredAnswer | undefined {
    return this.#state.answers.get(`${keyId} ${name}`);
  }

  storeAnswer(keyId: string, name: string, answer: StoredAnswer): void {
    this.#state.answers.set(`${keyId} ${name}`, answer);
  }

  /** Looks at the next `looks` stored answers and removes those that had expired by `until`. */
  forgetExpired(until: number, looks: number): void {
    for (let left = looks; left > 0; left -= 1) {
      const { done, value } = this.#sweep.next();
      if (done) {
        this.#sweep = this.#state.answers.entries();
        return;
      }
      const [name, { expiresAt }] = value;
      if (expiresAt <= until) this.#state.answers.delete(name);
    }
  }

  saveUse(ticket: Ticket): void {
    this.#state.tickets.set(ticket.id, ticket);
  }

  appendLog(entry: NewLogEntry): void {
    const sequence = this.#state.newest + 1;
    this.#state.change(['scan', { ...entry, sequence }]);
    if (entry.serial !== null) saveScan(this.#state, entry.keyId, entry.serial, minuteOf(entry.at));
  }

  countScan(scan: CountedBy): void {
    this.#tally.add(scan);
  }

  /** Called after the requests of a batch: each kind of scans is one change, however many there were. */
  writeCounts(): void {
    for (const count of this.#tally.take(this.#serials))
      this.#state.addCount(count, count.scans, 0);
  }

  saveContact(keyId: string, contact: DeviceContact, at: number): void {
    saveContact(this.#state, { clock: null, ...contact, keyId, lastContactAt: at });
  }
}

export function listDevices(state: MemoryState, organisationId: string): DeviceRecord[] {
  return [...state.devices.values()]
    .filter(({ keyId }) => state.keys.has(keyId) && state.ownerOfKey(keyId) === organisationId)
    .sort(
      (a, b) => (b.lastContactAt ?? b.lastScanAt ?? 0) - (a.lastContactAt ?? a.lastScanAt ?? 0),
    );
}

/** Remembers a contact, unless it is the first of its device and the key has too many already. */
function saveContact(
  state: MemoryState,
  device: Omit<DeviceRecord, 'lastScanAt' | 'lastContactAt'> & { readonly lastContactAt: number },
): void {
  const name = nameOf(device);
  const known = state.devices.get(name);
  const isKnown = known !== undefined && known.lastContactAt !== null;
  if (!isKnown && !hasRoomFor(state, device.keyId, 'lastContactAt', device.lastContactAt)) return;
  // What it replaces may have been forgotten just now.
  const lastScanAt = state.devices.get(name)?.lastScanAt ?? null;
  state.devices.set(name, { ...device, lastScanAt });
}

/** Remembers the minute of a scan, unless its device is new and the key has too many that only scan. */
function saveScan(state: MemoryState, keyId: string, serial: string, at: number): void {
  const name = nameOf({ keyId, serial });
  const known = state.devices.get(name);
  if (known?.lastScanAt === at) return;
  if (!known && !hasRoomFor(state, keyId, 'lastScanAt', at)) return;
  state.devices.set(name, { ...(known ?? deviceThatScans(keyId, serial)), lastScanAt: at });
}

/**
 * Whether another device has room among those that sent a heartbeat, or among those that only scan. Where there is none, those that were
 * silent for long are forgotten first.
 */
function hasRoomFor(
  state: MemoryState,
  keyId: string,
  kept: 'lastContactAt' | 'lastScanAt',
  now: number,
): boolean {
  const isHeard = kept === 'lastContactAt';
  const alike = [...state.devices.values()].filter(
    (one) => one.keyId === keyId && (one.lastContactAt !== null) === isHeard,
  );
  if (alike.length < DEVICES_PER_KEY_MAX) return true;
  const silentSince = now - DEVICE_FORGOTTEN_AFTER_MS;
  const silent = alike.filter((one) => (one[kept] ?? 0) < silentSince);
  for (const one of silent) state.devices.delete(nameOf(one));
  return silent.length > 0;
}

function nameOf({ keyId, serial }: Pick<DeviceRecord, 'keyId' | 'serial'>): string {
  return `${keyId} ${serial}`;
}

export function findKeyByHash(state: MemoryState, hash: string): KeyLookup | undefined {
  const found = [...state.keys.values()].find(
    (key) => key.hash === hash || key.previousHash === hash,
  );
  if (!found || isAccountId(found.record.id)) return undefined;
  const { limits, timeZone } = state.organisation(found.record.organisationId);
  const isPrevious = found.hash !== hash;
  const zone = timeZone === undefined ? {} : { timeZone };
  return { key: found.record, limits, ...zone, revision: state.revision, isPrevious };
}

export function findKeysByHash(state: MemoryState, hashes: readonly string[]): KeyOfHash[] {
  const wanted = new Set(hashes);
  return [...state.keys.values(), ...state.deletedKeys.values()]
    .filter(({ hash }) => wanted.has(hash))
    .map(({ record: { id, organisationId, type, active }, hash }) => {
      return { hash, id, organisationId, type, active, isDeleted: !state.keys.has(id) };
    });
}

export function requestsInMonth(state: MemoryState, keyId: string, month: number): number {
  return state.requests.get(`${month} ${keyId}`) ?? 0;
}

export function keyUses(state: MemoryState, keyIds: readonly string[], month: number): KeyUse[] {
  return keyIds.map((keyId) => ({
    keyId,
    requests: requestsInMonth(state, keyId, month),
    lastUsedAt: keyLastUsedAt(state, keyId),
  }));
}

export function keyLastUsedAt(state: MemoryState, keyId: string): number | null {
  const uses = [...state.lastUses].filter(([name]) => name.endsWith(` ${keyId}`));
  return uses.length === 0 ? null : Math.max(...uses.map(([, at]) => at));
}
