import type { DatabaseSync } from 'node:sqlite';
import type { Direction } from '../../core/direction.ts';
import type { StoredHome } from '../../core/event-home.ts';
import { DEVICE_FORGOTTEN_AFTER_MS, DEVICES_PER_KEY_MAX } from '../../core/limits.ts';
import { expiredForAll, type KeyState, type ScanState } from '../../core/scan-batch.ts';
import type { CountedBy } from '../../core/scan-count.ts';
import type { DeviceContact, NewLogEntry, StoredAnswer } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { CountedSerials, ScanTally } from '../scan-tally.ts';
import { ScannedDevices, type ScannedEntry } from '../scanned-devices.ts';
import { keyStateFrom } from '../sql/records.ts';
import { siteText } from '../sql/tables.ts';
import { type TicketColumns, ticketFromColumns } from '../ticket-row.ts';
import { TEXTS } from './log-values.ts';
import { PendingUses, type Use } from './pending-uses.ts';
import { prepareScanStatements, type ScanStatements } from './scan-statements.ts';

interface CachedKey extends KeyState {
  readonly row: number;
  /** Rows of sites may name a key that was deleted since. */
  readonly isDeleted: boolean;
}

interface CachedEvent {
  readonly organisationId: string | undefined;
  readonly home: StoredHome | undefined;
}

/** The columns of a ticket without its uses, the last two of `TicketColumns`. */
type TicketRow = readonly [ordinal: number, ...WithoutUses<TicketColumns>];
type WithoutUses<Columns> = Columns extends readonly [...infer Head, unknown, unknown]
  ? Head
  : never;
type UseRow = readonly [usesConsumed: number, lastConsumedAt: number | null];

interface Passages {
  entered: number;
  exited: number;
}

interface MonthCount {
  readonly keyRow: number;
  readonly month: number;
  before: number;
  added: number;
  lastUsedAt: number;
}

/**
 * The state of a batch inside an open write transaction. Keys and events are kept between batches until the database's
 * revision says that some process changed them; tickets are always read.
 */
export class SqliteScanState implements ScanState {
  readonly #statements: ScanStatements;
  readonly #keys = new Map<string, CachedKey | undefined>();
  readonly #events = new Map<string, CachedEvent>();
  #isSite = false;
  readonly #ticketRows = new Map<string, number>();
  readonly #months = new Map<string, MonthCount>();
  readonly #passages = new Map<string, Passages>();
  readonly #uses: PendingUses;
  readonly #serials = new CountedSerials();
  readonly #devices = new ScannedDevices();
  /** The entries of this batch that name a device. */
  #scanned: ScannedEntry[] = [];
  #tally = new ScanTally();
  #revision = -1;
  #nextSequence = 0;

  constructor(database: DatabaseSync) {
    this.#statements = prepareScanStatements(database);
    this.#statements.ticket.setReturnArrays(true);
    this.#statements.use.setReturnArrays(true);
    this.#uses = new PendingUses(database);
  }

  /** Begins a batch. Call it first in the transaction. Returns the revision of keys, events and limits. */
  begin(): number {
    const state = this.#statements.state.get();
    const revision = state?.['revision'] as number;
    if (revision !== this.#revision) {
      this.#keys.clear();
      this.#events.clear();
      this.#isSite = this.#statements.siteOf.get() !== undefined;
      this.#revision = revision;
    }
    this.#ticketRows.clear();
    this.#months.clear();
    this.#tally = new ScanTally();
    this.#passages.clear();
    this.#scanned = [];
    this.#nextSequence = this.#catchUp(state) + 1;
    return revision;
  }

  /** Writes what was summed up over the batch. Call it last, before the commit. @param now the time of the batch */
  finish(now: number): void {
    for (const { keyRow, month, added, lastUsedAt } of this.#months.values()) {
      if (added > 0) this.#statements.addRequests.run(keyRow, month, added, lastUsedAt);
    }
    for (const [eventId, { entered, exited }] of this.#passages) {
      this.#statements.addPassages.run(eventId, entered, exited);
    }
    for (const count of this.#tally.take(this.#serials)) {
      const { quarter, keyId, eventId, kind, serial, operation, outcome, direction, scans } = count;
      this.#statements.addScans.run(
        quarter,
        this.#keyRow(keyId),
        eventId,
        kind,
        serial,
        operation,
        outcome,
        direction,
        scans,
      );
    }
    this.#writeDevices(now);
    this.#statements.dropOldAnswers.run(expiredForAll(now));
    this.#uses.wrote(this.#nextSequence - 1);
  }

  /** Forgets what this object remembers. Call it when the transaction was rolled back. */
  forget(): void {
    this.#uses.forget();
    this.#devices.forget();
    this.#revision = -1;
  }

  /** The number of log entries that the counters do not include yet, as far as this process knows. */
  get pending(): number {
    return this.#uses.entries;
  }

  /** Whether `flushSome` has begun and is not done. */
  get isFlushing(): boolean {
    return this.#uses.isFlushing;
  }

  /** Writes at most `count` counters, inside a write transaction. Call it until `isFlushing` is false. */
  flushSome(count: number): void {
    this.begin();
    if (this.pending > 0) this.#uses.flushSome(count);
  }

  /** Reads, inside a transaction, what other processes have logged, for `usesAfter`. */
  catchUp(): void {
    this.#catchUp(this.#statements.state.get());
  }

  /** @returns the number of the last log entry */
  #catchUp(state: Record<string, unknown> | undefined): number {
    const last = state?.['last'] as number;
    this.#uses.catchUp(state?.['flushed_to'] as number, last);
    return last;
  }

  /** The uses of a ticket, by its row, if the counters do not include them yet. */
  usesAfter(ticketRow: number): Use | undefined {
    return this.#uses.of(ticketRow);
  }

  key(keyId: string): KeyState | undefined {
    const key = this.#key(keyId);
    return key?.isDeleted ? undefined : key;
  }

  organisationOf(eventId: string): string | undefined {
    return this.#event(eventId).organisationId;
  }

  homeOf(eventId: string): StoredHome | undefined {
    return this.#event(eventId).home;
  }

  isSite(): boolean {
    return this.#isSite;
  }

  rowsOf(site: string): number {
    return (this.#statements.rowsOf.get(site)?.['number'] as number | undefined) ?? 0;
  }

  saveRowsOf(site: string, number: number): void {
    this.#statements.saveRowsOf.run(site, JSON.stringify({ number }));
  }

  ticket(ticketId: string): Ticket | undefined {
    const found = this.#statements.ticket.get(ticketId) as unknown as TicketRow | undefined;
    if (!found) return undefined;
    const [row, ...columns] = found;
    // The counter in the file is on another page: among many tickets, reading it costs as much as finding the ticket.
    const use = this.#uses.of(row) ?? this.#useInFile(row);
    if (!use) return undefined;
    this.#ticketRows.set(ticketId, row);
    const { usesConsumed, lastConsumedAt } = use;
    const all: TicketColumns = [...columns, usesConsumed, lastConsumedAt];
    return ticketFromColumns(ticketId, eventOfTicketId(ticketId) ?? '', all);
  }

  requestsInMonth(keyId: string, month: number): number {
    const count = this.#month(keyId, month);
    return count.before + count.added;
  }

  countRequest(keyId: string, month: number, minute: number): void {
    const count = this.#month(keyId, month);
    count.added += 1;
    count.lastUsedAt = Math.max(count.lastUsedAt, minute);
  }

  countPassage(eventId: string, direction: Direction): void {
    const counted = this.#passages.get(eventId) ?? { entered: 0, exited: 0 };
    counted[direction === 'in' ? 'entered' : 'exited'] += 1;
    this.#passages.set(eventId, counted);
  }

  storedAnswer(keyId: string, name: string): StoredAnswer | undefined {
    const row = this.#statements.storedAnswer.get(this.#keyRow(keyId), name);
    if (!row) return undefined;
    return {
      bodyHash: row['body_hash'] as string,
      expiresAt: row['expires_at'] as number,
      decision: JSON.parse(row['decision'] as string) as StoredAnswer['decision'],
    };
  }

  storeAnswer(keyId: string, name: string, answer: StoredAnswer): void {
    const { bodyHash, decision, expiresAt } = answer;
    const text = JSON.stringify(decision);
    this.#statements.storeAnswer.run(this.#keyRow(keyId), name, bodyHash, text, expiresAt);
  }

  /** The log entry that follows is what makes the use durable. */
  saveUse({ id, usesConsumed, lastConsumedAt }: Ticket): void {
    const row = this.#ticketRows.get(id);
    if (row === undefined) throw new Error(`ticket ${id} was used before it was read`);
    this.#uses.add(row, { usesConsumed, lastConsumedAt });
  }

  appendLog(entry: NewLogEntry): void {
    const ticketRow =
      entry.ticketId === null ? null : (this.#ticketRows.get(entry.ticketId) ?? null);
    // The values are in the order of `ENTRY_COLUMNS`. They are written out, because every scan writes them.
    this.#statements.appendLog.run(
      this.#nextSequence,
      entry.at,
      this.#keyRow(entry.keyId),
      entry.serial,
      entry.reader,
      entry.operation,
      entry.status,
      entry.reason,
      ticketRow,
      ticketRow === null ? entry.ticketId : null,
      entry.excerpt,
      entry.usesConsumed,
      entry.replayed ? 1 : 0,
      entry.direction ?? null,
      entry.done ?? null,
      entry.byHand ? 1 : null,
      entry.site ? siteText(entry.site) : null,
    );
    this.#nextSequence += 1;
    if (entry.serial !== null) this.#scanned.push(entry);
  }

  countScan(scan: CountedBy): void {
    this.#tally.add(scan);
  }

  saveContact(keyId: string, contact: DeviceContact, at: number): void {
    const { serial, model, address, firmware, clock = null } = contact;
    const keyRow = this.#keyRow(keyId);
    const { changes } = this.#statements.renewContact.run(
      model,
      address,
      firmware,
      at,
      clock,
      keyRow,
      serial,
    );
    if (changes > 0 || !this.#hasRoomForContact(keyRow, at)) return;
    this.#statements.addContact.run(keyRow, serial, model, address, firmware, at, clock, at);
  }

  /** Whether the key has room for another device. If not, devices that were silent for long are removed first. */
  #hasRoomForContact(keyRow: number, at: number): boolean {
    const { devices } = this.#statements.countContacts.get(keyRow) as { devices: number };
    if (devices < DEVICES_PER_KEY_MAX) return true;
    return this.#statements.dropSilent.run(keyRow, at - DEVICE_FORGOTTEN_AFTER_MS).changes > 0;
  }

  /** Writes when each device last scanned. @param now the time of the batch */
  #writeDevices(now: number): void {
    const due = this.#devices.dueIn(this.#scanned);
    for (const { keyId, serial, at } of due) {
      const keyRow = this.#keyRow(keyId);
      if (this.#statements.renewScan.run(at, keyRow, serial).changes > 0) continue;
      if (this.#hasRoomForScan(keyRow, now)) this.#statements.addScan.run(keyRow, serial, at, at);
    }
    this.#devices.wrote(due);
  }

  #hasRoomForScan(keyRow: number, now: number): boolean {
    const { devices } = this.#statements.countScanning.get(keyRow) as { devices: number };
    if (devices < DEVICES_PER_KEY_MAX) return true;
    const silentSince = now - DEVICE_FORGOTTEN_AFTER_MS;
    return this.#statements.dropNotScanning.run(keyRow, silentSince).changes > 0;
  }

  #useInFile(ticketRow: number): Use | undefined {
    const found = this.#statements.use.get(ticketRow) as unknown as UseRow | undefined;
    return found && { usesConsumed: found[0], lastConsumedAt: found[1] };
  }

  #month(keyId: string, month: number): MonthCount {
    const name = `${month} ${keyId}`;
    let count = this.#months.get(name);
    if (!count) {
      const keyRow = this.#keyRow(keyId);
      const row = this.#statements.requestsInMonth.get(keyRow, month);
      const before = (row?.['requests'] as number | undefined) ?? 0;
      count = { keyRow, month, before, added: 0, lastUsedAt: 0 };
      this.#months.set(name, count);
    }
    return count;
  }

  #keyRow(keyId: string): number {
    const key = this.#key(keyId);
    if (!key) throw new Error(`key ${keyId} is not in the store`);
    return key.row;
  }

  #event(eventId: string): CachedEvent {
    const known = this.#events.get(eventId);
    if (known) return known;
    const row = this.#statements.event.get(eventId);
    const home = row?.['home'] as string | null | undefined;
    const event = {
      organisationId: row?.['organisation_id'] as string | undefined,
      home: home == null ? undefined : (JSON.parse(home) as StoredHome),
    };
    // An unknown event is not cached: forged ids must not fill the memory.
    if (row) this.#events.set(eventId, event);
    return event;
  }

  #key(keyId: string): CachedKey | undefined {
    if (!this.#keys.has(keyId)) this.#keys.set(keyId, this.#readKey(keyId));
    return this.#keys.get(keyId);
  }

  #readKey(keyId: string): CachedKey | undefined {
    const row = this.#statements.key.get(keyId);
    if (!row) return undefined;
    const isDeleted = row['deleted_at'] !== null;
    return { ...keyStateFrom(TEXTS, row), row: row['ordinal'] as number, isDeleted };
  }
}
