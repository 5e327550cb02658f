import type {
  AdministrativeDocument,
  AuditLogEntry,
  DocumentKind,
  NewAuditLogEntry,
} from '../../core/administrative-records.ts';
import type {
  ApiKeyRecord,
  DeviceRecord,
  EventRecord,
  LogEntry,
  Occupancy,
  Organisation,
} from '../../core/records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import { type CountedBy, countedBy, type ScanCount } from '../../core/scan-count.ts';
import type { Ticket } from '../../core/ticket.ts';
import { LOG_ENDS, type LogEnds } from '../deletion.ts';
import { indexFrom } from '../log-search.ts';
import type { AuditFilter } from '../record-store.ts';
import { countName } from '../scan-tally.ts';
import { notFound } from '../store-errors.ts';
import type { CopyCheckpoint, StoredKey } from '../transfer/records.ts';

export function documentName(kind: DocumentKind, id: string): string {
  return `${kind} ${id}`;
}

const LOG_ENDS_NAME = documentName(LOG_ENDS.kind, LOG_ENDS.id);

/** A key that is not deleted. */
export interface HeldKey {
  readonly record: ApiKeyRecord;
  readonly hash: string;
  /** Of the value before the last rotation; absent when there is none. */
  readonly previousHash?: string;
}

/** A change of the log, the audit log, or the checkpoint of a copy. Entries that are replaced keep their numbers. */
export type ListChange =
  | readonly ['scan', LogEntry]
  | readonly ['rewrite', LogEntry]
  | readonly ['act', AuditLogEntry]
  | readonly ['retell', AuditLogEntry]
  /** The number of oldest entries that are removed. */
  | readonly ['forget', number]
  /** The numbers of entries that are removed, wherever they are. */
  | readonly ['drop', readonly number[]]
  | readonly ['copy', CopyCheckpoint | null];

/** Everything a store keeps, as maps in the order of creation, and two logs. */
export class MemoryState {
  readonly organisations = new Map<string, Organisation>();
  readonly events = new Map<string, EventRecord>();
  /** Keys that are not deleted. */
  readonly keys = new Map<string, HeldKey>();
  /** Deleted keys, which the log may name. */
  readonly deletedKeys = new Map<string, StoredKey>();
  readonly tickets = new Map<string, Ticket>();
  /** By ticket: the uses that the log does not hold, because they came from another store or were pruned. */
  readonly importedUses = new Map<string, number>();
  /** By kind and id. */
  readonly documents = new Map<string, AdministrativeDocument>();
  /** By month and key. */
  readonly requests = new Map<string, number>();
  /** By month and key: the minute of the latest request. */
  readonly lastUses = new Map<string, number>();
  /** By event. */
  readonly occupancy = new Map<string, Occupancy>();
  /** By key and name. */
  readonly answers = new Map<string, StoredAnswer>();
  /** By `countName`. */
  readonly counts = new Map<string, ScanCount>();
  /** By key and serial. */
  readonly devices = new Map<string, DeviceRecord>();
  revision = 1;
  #log: LogEntry[] = [];
  /** By entry: the number of the entry that took its use back. Follows from the log. */
  readonly #undoneBy = new Map<number, number>();
  readonly #auditLog: AuditLogEntry[] = [];
  #copyCheckpoint: CopyCheckpoint | undefined;

  /** The scans, oldest first. */
  get log(): readonly LogEntry[] {
    return this.#log;
  }

  get auditLog(): readonly AuditLogEntry[] {
    return this.#auditLog;
  }

  /** How far the copy that is being made here has come. */
  get copyCheckpoint(): CopyCheckpoint | undefined {
    return this.#copyCheckpoint;
  }

  /** Every change of what is no map. */
  change(change: ListChange): void {
    switch (change[0]) {
      case 'scan':
        this.#log.push(change[1]);
        if (change[1].undo) this.#undoneBy.set(change[1].undo.sequence, change[1].sequence);
        break;
      case 'rewrite':
        this.#log[indexFrom(this.#log, change[1].sequence)] = change[1];
        break;
      case 'forget':
        this.#forgetUndone(this.#log.splice(0, change[1]));
        break;
      case 'drop': {
        const dropped = new Set(change[1]);
        this.#forgetUndone(this.#log.filter(({ sequence }) => dropped.has(sequence)));
        this.#log = this.#log.filter(({ sequence }) => !dropped.has(sequence));
        break;
      }
      case 'act':
        this.#auditLog.push(change[1]);
        break;
      case 'retell':
        this.#auditLog[indexFrom(this.#auditLog, change[1].sequence)] = change[1];
        break;
      default:
        this.#copyCheckpoint = change[1] ?? undefined;
    }
  }

  #forgetUndone(dropped: readonly LogEntry[]): void {
    for (const { undo } of dropped) if (undo) this.#undoneBy.delete(undo.sequence);
  }

  /** The last number that an entry had; 0 in an empty log. */
  get newest(): number {
    return Math.max(this.#log.at(-1)?.sequence ?? 0, this.#ends?.removedTo ?? 0);
  }

  /** The first number that was not pruned. */
  get oldest(): number {
    return this.#ends ? this.#ends.prunedTo + 1 : (this.#log[0]?.sequence ?? 1);
  }

  /** Undefined until a deletion takes entries out of the log. */
  get #ends(): LogEnds | undefined {
    return this.documents.get(LOG_ENDS_NAME)?.value as LogEnds | undefined;
  }

  /** Entries up to this number were pruned. */
  prunedUpTo(sequence: number): void {
    const ends = this.#ends;
    if (ends && sequence > ends.prunedTo) this.setEnds({ ...ends, prunedTo: sequence });
  }

  setEnds(value: LogEnds): void {
    this.documents.set(LOG_ENDS_NAME, { ...LOG_ENDS, revision: 1, value });
  }

  /** The number of the entry that took back the use of this one. */
  undoneBy(sequence: number): number | undefined {
    return this.#undoneBy.get(sequence);
  }

  /** An entry as it is read: with the number of the entry that took its use back. */
  linked(entry: LogEntry): LogEntry {
    const undoneBy = this.#undoneBy.get(entry.sequence);
    return undoneBy === undefined ? entry : { ...entry, undoneBy };
  }

  /** Adds scans with one counter key to the statistics. @param pruned the number of further ones that are no longer in the log */
  addCount(scan: CountedBy, scans: number, pruned: number): void {
    const { quarter, keyId, eventId, kind, serial, operation, outcome, direction } = scan;
    const name = countName(scan);
    const before = this.counts.get(name);
    this.counts.set(name, {
      ...{ quarter, keyId, eventId, kind, serial, operation, outcome, direction },
      scans: (before?.scans ?? 0) + scans,
      pruned: (before?.pruned ?? 0) + pruned,
    });
  }

  /** Where a log entry is counted. */
  countedAs(entry: LogEntry): CountedBy {
    return countedBy(entry, this.tickets.get(entry.ticketId ?? ''));
  }

  /** Whose a key is, also a deleted one. */
  ownerOfKey(keyId: string): string | undefined {
    const key = this.keys.get(keyId) ?? this.deletedKeys.get(keyId);
    return key?.record.organisationId;
  }

  organisation(id: string): Organisation {
    const organisation = this.organisations.get(id);
    if (!organisation) throw notFound('organisation', id);
    return organisation;
  }
}

/** Adds an audit entry with the next number; nothing for null. */
export function writeAuditEntry(state: MemoryState, auditEntry: NewAuditLogEntry | null): void {
  if (!auditEntry) return;
  const sequence = (state.auditLog.at(-1)?.sequence ?? 0) + 1;
  state.change(['act', { ...auditEntry, sequence }]);
}

/** An event of which tickets may be left. */
export function isBeingDeleted({ documents }: MemoryState, eventId: string): boolean {
  return documents.has(documentName('deletion', eventId));
}

export function readAuditLog({ auditLog }: MemoryState, filter: AuditFilter): AuditLogEntry[] {
  const { organisationId, beforeSequence = Number.POSITIVE_INFINITY, limit } = filter;
  return auditLog
    .filter(
      (entry) =>
        entry.sequence < beforeSequence &&
        (organisationId === undefined || entry.organisationId === organisationId),
    )
    .reverse()
    .slice(0, limit);
}
