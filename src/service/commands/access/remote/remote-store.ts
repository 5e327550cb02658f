import { logEntryFromView } from '../../../../core/codecs/log-entry.ts';
import { OrganisationJson } from '../../../../core/codecs/records.ts';
import { ticketFromView } from '../../../../core/codecs/ticket.ts';
import { TicketscanError } from '../../../../core/errors.ts';
import type { ApiKeyRecord, LogEntry, Occupancy, ScannerRecord } from '../../../../core/records.ts';
import type { Ticket } from '../../../../core/ticket.ts';
import { listEvents } from '../../../../features/events/operations.ts';
import { findKeyByHash, listKeys } from '../../../../features/keys/operations.ts';
import { readLog } from '../../../../features/log/operations.ts';
import { listScanners } from '../../../../features/scans/operations.ts';
import { findTickets } from '../../../../features/tickets/find-tickets.ts';
import type { AdminClient } from '../../../../operations/admin-client.ts';
import { PAGE_ITEMS_MAX } from '../../../../operations/fields.ts';
import type { AnswerOf, Call } from '../../../../operations/operation.ts';
import type { RecordKind, RecordLists, RecordOf } from '../../../stores/record-store.ts';
import type { LogFilter, Store } from '../../../stores/store.ts';
import { eventFrom, keyFrom } from './remote-records.ts';

/** What commands read; a store has it, and so has a server. */
export type DataStore = Pick<
  Store,
  'requestsInMonth' | 'keyLastUsedAt' | 'listOccupancy' | 'findTicket' | 'readLog'
> &
  RecordLists & {
    findKeyByHash(hash: string): Promise<{ readonly key: ApiKeyRecord } | undefined>;
  };

/** What a server's store holds of the organisation that the token belongs to. */
export class RemoteStore implements DataStore {
  readonly #client: AdminClient;
  readonly #requests = new Map<string, number>();
  readonly #lastUses = new Map<string, number | null>();

  readonly #call: Call;

  constructor(client: AdminClient, call: Call) {
    this.#client = client;
    this.#call = call;
  }

  async list<Kind extends RecordKind>(kind: Kind): Promise<RecordOf[Kind][]> {
    const lists: { readonly [Name in RecordKind]: () => Promise<RecordOf[Name][]> } = {
      organisation: async () => [await this.#client.get('/organisation', OrganisationJson)],
      event: async () => (await this.#call(listEvents, { archived: 'true' })).items.map(eventFrom),
      key: () => this.#listKeys(),
      scanner: () => this.#listScanners(),
    };
    return lists[kind]();
  }

  async #listKeys(): Promise<ApiKeyRecord[]> {
    const { items } = await this.#call(listKeys, {});
    for (const { id, usage, lastUsedAt } of items) {
      this.#requests.set(id, usage.requestsThisMonth);
      this.#lastUses.set(id, lastUsedAt);
    }
    return items.map(keyFrom);
  }

  /** None of a server that is older than they are. */
  async #listScanners(): Promise<ScannerRecord[]> {
    const scanners = await unlessMissing(this.#call(listScanners, {}));
    return (scanners?.items ?? []).map((one) => ({ ...one, organisationId: '', createdAt: 0 }));
  }

  /** By the hash of its value: the value itself is not sent. */
  async findKeyByHash(hash: string): Promise<{ key: ApiKeyRecord } | undefined> {
    const key = await unlessMissing(this.#call(findKeyByHash, { hash }));
    return key && { key: keyFrom(key) };
  }

  /** Of the month that is current at the server, as the list of keys brought it. */
  async requestsInMonth(keyId: string): Promise<number> {
    if (!this.#requests.has(keyId)) await this.#listKeys();
    return this.#requests.get(keyId) ?? 0;
  }

  async keyLastUsedAt(keyId: string): Promise<number | null> {
    if (!this.#lastUses.has(keyId)) await this.#listKeys();
    return this.#lastUses.get(keyId) ?? null;
  }

  async listOccupancy(): Promise<Occupancy[]> {
    const { items } = await this.#call(listEvents, { archived: 'true' });
    return items.map(({ id, inside: { entered, exited, resetAt } }) => ({
      ...{ eventId: id, entered, exited },
      resetAt,
    }));
  }

  async findTicket(ticketId: string): Promise<Ticket | undefined> {
    const [ticket] = await findTickets({ call: this.#call }, [ticketId]);
    return ticket && ticketFromView(ticket);
  }

  async readLog({ afterSequence, ticketId, limit }: LogFilter): Promise<LogEntry[]> {
    const forward = afterSequence !== undefined;
    const entries: LogEntry[] = [];
    let cursor: number | null | undefined = afterSequence;
    while (cursor !== null && entries.length < limit) {
      const wanted = Math.min(limit - entries.length, PAGE_ITEMS_MAX);
      const place = forward ? { after: cursor } : { before: cursor };
      const page: AnswerOf<typeof readLog> = await this.#call(readLog, {
        ticket: ticketId,
        limit: wanted,
        ...place,
      });
      entries.push(...page.items.map(logEntryFromView));
      cursor = page.next;
    }
    return forward ? entries : entries.reverse();
  }
}

/** Absence is an answer, not an error. */
async function unlessMissing<Found>(answer: Promise<Found>): Promise<Found | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TicketscanError && error.code === 'not_found') return undefined;
    throw error;
  }
}
