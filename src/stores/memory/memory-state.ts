import type { AdministrativeDocument, TrailEntry } from '../../core/administrative-records.ts';
import type {
  ApiKeyRecord,
  DeviceRecord,
  EventRecord,
  LogEntry,
  Organisation,
} from '../../core/records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import { notFound } from '../store-errors.ts';

/** Everything a store keeps, as maps in the order of creation. */
export class MemoryState {
  readonly organisations = new Map<string, Organisation>();
  readonly events = new Map<string, EventRecord>();
  /** Keys that are not deleted. */
  readonly keys = new Map<string, { readonly record: ApiKeyRecord; readonly hash: string }>();
  readonly tickets = new Map<string, Ticket>();
  /** By ticket: the uses that it had when it came from another store, whose log is not here. */
  readonly importedUses = new Map<string, number>();
  readonly log: LogEntry[] = [];
  /** By key, also a deleted one: whose it is. */
  readonly keyOwners = new Map<string, string>();
  /** By kind and id. */
  readonly documents = new Map<string, AdministrativeDocument>();
  readonly trail: TrailEntry[] = [];
  /** By month and key. */
  readonly requests = new Map<string, number>();
  /** By key and name. */
  readonly answers = new Map<string, StoredAnswer>();
  /** By key and serial. */
  readonly devices = new Map<string, DeviceRecord>();
  revision = 1;

  organisation(id: string): Organisation {
    const organisation = this.organisations.get(id);
    if (!organisation) throw notFound('organisation', id);
    return organisation;
  }
}
