import { minuteOf } from '../../../src/core/clock.ts';
import { DEVICE_FORGOTTEN_AFTER_MS, DEVICES_PER_KEY_MAX } from '../../../src/core/limits.ts';
import type {
  ApiKeyRecord,
  DeviceRecord,
  EventRecord,
  LogEntry,
  Organisation,
} from '../../../src/core/records.ts';
import { answerInBatch } from '../../../src/core/rows-of-sites.ts';
import type { KeyState, ScanState } from '../../../src/core/scan-batch.ts';
import type {
  BatchRequest,
  DeviceContact,
  NewLogEntry,
  ScanOutcome,
  StoredAnswer,
} from '../../../src/core/scan-requests.ts';
import {
  type NewTicket,
  type SkippedTickets,
  type Ticket,
  UNUSED,
} from '../../../src/core/ticket.ts';
import { TICKET_FIELDS } from '../../../src/core/ticket-fields.ts';
import { eventOfTicketId } from '../../../src/core/ticket-id.ts';
import { checkBefore } from '../../../src/stores/record-rules.ts';
import type {
  Change,
  InsertOptions,
  RecordChange,
  Stored,
} from '../../../src/stores/record-store.ts';
import type { DeviceScan } from '../../../src/stores/scanned-devices.ts';
import {
  misnamedTicket,
  noSuchEventThere,
  notFound,
  taken,
  tooManyKeys,
} from '../../../src/stores/store-errors.ts';

type KeyChange = Extract<RecordChange, { kind: 'key' }>;

/**
 * What a store has to answer, on plain maps and without a line of SQL: the engines are held against it. It can do what `engines-agree` asks
 * for, and nothing else.
 */
export class ReferenceStore {
  readonly #organisations = new Map<string, Organisation>();
  readonly #events = new Map<string, EventRecord>();
  readonly #keys = new Map<string, ApiKeyRecord>();
  readonly #deletedKeys = new Map<string, ApiKeyRecord>();
  readonly #tickets = new Map<string, Ticket>();
  readonly #log: LogEntry[] = [];
  /** The requests are named by month and key. */
  readonly #requests = new Map<string, number>();
  /** The answers are named by key and name. */
  readonly #answers = new Map<string, StoredAnswer>();
  /** The devices are named by key and serial. */
  readonly #devices = new Map<string, DeviceRecord>();

  async commitScans(
    requests: readonly BatchRequest[],
  ): Promise<{ outcomes: readonly ScanOutcome[] }> {
    const state = this.#scanState();
    const logged = this.#log.length;
    const outcomes = requests.map((request) => answerInBatch(request, state));
    // A store notes at the end of a batch when each of its devices scanned last.
    const scanned = new Map<string, DeviceScan>();
    for (const { keyId, serial, at } of this.#log.slice(logged))
      if (serial !== null) scanned.set(`${keyId} ${serial}`, { keyId, serial, at: minuteOf(at) });
    for (const [name, scan] of scanned) this.#noteScan(name, scan);
    return { outcomes };
  }

  #scanState(): ScanState {
    return {
      key: (id) => this.#keyState(id),
      organisationOf: (eventId) => this.#events.get(eventId)?.organisationId,
      // Homes of events have a proof of their own.
      homeOf: () => undefined,
      isSite: () => false,
      rowsOf: () => 0,
      saveRowsOf: () => undefined,
      ticket: (id) => scanned(this.#tickets.get(id)),
      requestsInMonth: (keyId, month) => this.#requestsIn(keyId, month),
      countRequest: (keyId, month) => {
        this.#requests.set(`${month} ${keyId}`, this.#requestsIn(keyId, month) + 1);
      },
      storedAnswer: (keyId, name) => this.#answers.get(`${keyId} ${name}`),
      storeAnswer: (keyId, name, answer) => {
        this.#answers.set(`${keyId} ${name}`, answer);
      },
      saveUse: (ticket) => {
        this.#tickets.set(ticket.id, { ...this.#tickets.get(ticket.id), ...ticket });
      },
      appendLog: (entry) => this.#append(entry),
      saveContact: (keyId, contact, at) => this.#saveContact(keyId, contact, at),
      // Statistics and people inside are compared with the log by the engines' own audits.
      countScan: () => undefined,
      countPassage: () => undefined,
    };
  }

  #keyState(id: string): KeyState | undefined {
    const record = this.#keys.get(id);
    if (!record) return undefined;
    const events = record.events === 'all' ? 'all' : new Set(record.events);
    const { limits } = this.#organisation(record.organisationId);
    return { ...record, events, quotaPerMonth: limits.quotaPerMonth, rate: limits };
  }

  #organisation(id: string): Organisation {
    const organisation = this.#organisations.get(id);
    if (!organisation) throw notFound('organisation', id);
    return organisation;
  }

  #requestsIn(keyId: string, month: number): number {
    return this.#requests.get(`${month} ${keyId}`) ?? 0;
  }

  #append(entry: NewLogEntry): void {
    this.#log.push({ ...entry, sequence: this.#log.length + 1 });
  }

  #noteScan(name: string, { keyId, serial, at: lastScanAt }: DeviceScan): void {
    const known = this.#devices.get(name);
    if (known) this.#devices.set(name, { ...known, lastScanAt });
    else if (this.#hasRoom(keyId, 'lastScanAt', lastScanAt))
      this.#devices.set(name, { ...unheard(keyId, serial), lastScanAt, firstAt: lastScanAt });
  }

  #saveContact(keyId: string, contact: DeviceContact, at: number): void {
    const name = `${keyId} ${contact.serial}`;
    const isHeard = (this.#devices.get(name)?.lastContactAt ?? null) !== null;
    if (!isHeard && !this.#hasRoom(keyId, 'lastContactAt', at)) return;
    const { lastScanAt, firstAt } = this.#devices.get(name) ?? unheard(keyId, contact.serial);
    this.#devices.set(name, {
      clock: null,
      ...contact,
      keyId,
      lastContactAt: at,
      lastScanAt,
      firstAt: firstAt ?? at,
    });
  }

  /** Devices that sent a heartbeat have their own room; those that were silent for long make some. */
  #hasRoom(keyId: string, kept: 'lastContactAt' | 'lastScanAt', now: number): boolean {
    const alike = [...this.#devices].filter(
      ([, one]) =>
        one.keyId === keyId && (one.lastContactAt !== null) === (kept === 'lastContactAt'),
    );
    if (alike.length < DEVICES_PER_KEY_MAX) return true;
    const silent = alike.filter(([, one]) => (one[kept] ?? 0) < now - DEVICE_FORGOTTEN_AFTER_MS);
    for (const [name] of silent) this.#devices.delete(name);
    return silent.length > 0;
  }

  /** @returns how many were there before */
  async insertTickets(
    tickets: readonly NewTicket[],
    _audit: unknown,
    { existing = 'refuse', references }: Partial<InsertOptions> = {},
  ): Promise<SkippedTickets> {
    const fresh = new Map<string, NewTicket>();
    let known = 0;
    for (const ticket of tickets) {
      const { id, reference } = ticket;
      const event = this.#eventOf(ticket);
      if (references && this.#has(event, reference)) known += 1;
      else if (!this.#tickets.has(id) && !fresh.has(id)) fresh.set(id, ticket);
    }
    const skipped = tickets.length - known - fresh.size;
    if (skipped > 0 && existing === 'refuse') throw taken('A ticket');
    for (const ticket of fresh.values()) this.#tickets.set(ticket.id, { ...UNUSED, ...ticket });
    return { existing: skipped, known };
  }

  #eventOf({ id, eventId }: NewTicket): EventRecord {
    const event = this.#events.get(eventId);
    if (!event) throw notFound('event', eventId);
    if (eventOfTicketId(id) !== eventId) throw misnamedTicket(id, eventId);
    return event;
  }

  #has({ organisationId }: Pick<EventRecord, 'organisationId'>, reference?: string): boolean {
    return [...this.#tickets.values()].some(
      (one) =>
        reference !== undefined &&
        one.reference === reference &&
        this.#events.get(one.eventId)?.organisationId === organisationId,
    );
  }

  async knownReferences(organisationId: string, references: readonly string[]): Promise<string[]> {
    return [...new Set(references)].filter((one) => this.#has({ organisationId }, one));
  }

  /** @returns how many were not cancelled before */
  async cancelTickets(ids: readonly string[], cancelledAt: number | null): Promise<number> {
    const found = ids.map((id) => {
      const ticket = this.#tickets.get(id);
      if (!ticket) throw notFound('ticket', id);
      return ticket;
    });
    const others = found.filter((one) => (one.cancelledAt === null) !== (cancelledAt === null));
    for (const ticket of others) this.#tickets.set(ticket.id, { ...ticket, cancelledAt });
    return others.length;
  }

  async write({ records = [] }: Change): Promise<void> {
    for (const record of records) this.#check(record);
    for (const record of records) {
      const { kind, after } = record;
      if (kind === 'organisation' && after) this.#organisations.set(after.id, after);
      if (kind === 'event' && after) this.#events.set(after.id, after);
      if (kind === 'key') this.#writeKey(record);
    }
  }

  #writeKey({ before, after }: KeyChange): void {
    if (after) this.#keys.set(after.id, after);
    else if (before) {
      this.#keys.delete(before.id);
      this.#deletedKeys.set(before.id, before);
    }
  }

  #check(record: RecordChange): void {
    const { kind, before, after } = record;
    const stored = { organisation: this.#organisations, event: this.#events, key: this.#keys };
    if (kind === 'scanner') throw new Error('the reference has no accounts');
    checkBefore(kind, stored[kind].get((before ?? after)?.id ?? ''), before);
    if (record.kind === 'key' && record.after) this.#checkKey(record);
  }

  #checkKey({ before, after }: KeyChange): void {
    if (!after) return;
    const { id, organisationId, events } = after;
    const { keysMax } = this.#organisation(organisationId).limits;
    const siblings = [...this.#keys.values()].filter(
      (key) => key.organisationId === organisationId,
    );
    if (!before && siblings.length >= keysMax) throw tooManyKeys(keysMax);
    if (!before && this.#deletedKeys.has(id)) throw taken(`Key ${id}`);
    for (const eventId of events === 'all' ? [] : events) {
      if (this.#events.get(eventId)?.organisationId !== organisationId)
        throw noSuchEventThere(eventId);
    }
  }

  async read<Kind extends keyof Stored>(kind: Kind, id: string): Promise<Stored[Kind] | undefined> {
    return (await this.list(kind)).find((one) => one.id === id);
  }

  async list<Kind extends keyof Stored>(kind: Kind): Promise<Stored[Kind][]> {
    const records: Partial<Record<keyof Stored, ReadonlyMap<string, unknown>>> = {
      organisation: this.#organisations,
      event: this.#events,
      key: this.#keys,
    };
    return [...(records[kind]?.values() ?? [])] as Stored[Kind][];
  }

  async listTickets(): Promise<Ticket[]> {
    return [...this.#tickets.values()];
  }

  async readLog(): Promise<readonly LogEntry[]> {
    return this.#log;
  }

  async listDevices(organisationId: string): Promise<DeviceRecord[]> {
    return [...this.#devices.values()].filter(
      ({ keyId }) => this.#keys.get(keyId)?.organisationId === organisationId,
    );
  }

  async requestsInMonth(keyId: string, month: number): Promise<number> {
    return this.#requestsIn(keyId, month);
  }

  /** It has one counter for each ticket, and nothing that could contradict it. */
  async verify(): Promise<{ readonly problems: readonly string[] }> {
    return { problems: [] };
  }
}

function unheard(keyId: string, serial: string): DeviceRecord {
  const nothing = { model: '', address: '', firmware: '', clock: null };
  return { keyId, serial, ...nothing, lastContactAt: null, lastScanAt: null, firstAt: null };
}

/** No scan reads what people write on a ticket. */
function scanned(ticket: Ticket | undefined): Ticket | undefined {
  if (!ticket) return undefined;
  const read = Object.entries(ticket).filter(([name]) => !(name in TICKET_FIELDS));
  return Object.fromEntries(read) as unknown as Ticket;
}
