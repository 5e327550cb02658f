import type { AuditLogEntry } from '../../core/administrative-records.ts';
import type { LogEntry } from '../../core/records.ts';
import { MemoryState } from '../memory/memory-state.ts';
import type { CopyCheckpoint } from '../transfer/records.ts';

type CollectionName = {
  [Name in keyof MemoryState]: MemoryState[Name] extends Map<string, unknown> ? Name : never;
}[keyof MemoryState];

/**
 * Where each collection is stored: what people may edit in the document, the rest in the log alone. A collection that is
 * missing here does not compile: its changes would not be on the disk.
 */
const COLLECTIONS: Readonly<Record<CollectionName, 'document' | 'log'>> = {
  organisations: 'document',
  events: 'document',
  keys: 'document',
  deletedKeys: 'log',
  documents: 'document',
  tickets: 'document',
  importedUses: 'document',
  requests: 'log',
  lastUses: 'log',
  occupancy: 'log',
  answers: 'log',
  devices: 'log',
  counts: 'log',
};
const COLLECTION_NAMES = Object.keys(COLLECTIONS) as CollectionName[];

/** In files an entry's operation is called `action`. */
type RecordedScan = Omit<LogEntry, 'operation'> & { readonly action: LogEntry['operation'] };

/** A change as a line of the log stores it. */
export type Change =
  | readonly ['set', CollectionName, string, unknown]
  /** Only the members that are different now. */
  | readonly ['edit', CollectionName, string, Readonly<Record<string, unknown>>]
  | readonly ['delete', CollectionName, string]
  | readonly ['scan', RecordedScan]
  /** The number of oldest scans removed. */
  | readonly ['forget', number]
  /** The sequences of removed scans. */
  | readonly ['drop', readonly number[]]
  | readonly ['act', AuditLogEntry]
  /** Replaces the scan with the same sequence. */
  | readonly ['rewrite', RecordedScan]
  /** Replaces the audit entry with the same sequence. */
  | readonly ['retell', AuditLogEntry]
  | readonly ['copy', CopyCheckpoint | null];

/** True for a change that the document does not contain. */
export function isOfTheLog(change: Change): boolean {
  const [kind] = change;
  if (kind === 'set' || kind === 'edit' || kind === 'delete')
    return COLLECTIONS[change[1]] === 'log';
  return true;
}

/** A state that records every change, so that the rules of the store in memory serve a store on the disk. */
export class RecordedState extends MemoryState {
  #changes: Change[] = [];
  #isRecording = true;
  #hasPruned = false;

  constructor() {
    super();
    for (const name of COLLECTION_NAMES) this.#record(name);
  }

  override append(entry: LogEntry): void {
    super.append(entry);
    this.#note(scanOf(entry));
  }

  override replaceEntry(entry: LogEntry): void {
    super.replaceEntry(entry);
    this.#note(['rewrite', scanOf(entry)[1]]);
  }

  override appendAuditEntry(auditEntry: AuditLogEntry): void {
    super.appendAuditEntry(auditEntry);
    this.#note(['act', auditEntry]);
  }

  override replaceAuditEntry(auditEntry: AuditLogEntry): void {
    super.replaceAuditEntry(auditEntry);
    this.#note(['retell', auditEntry]);
  }

  override dropOldest(length: number): LogEntry[] {
    if (length > 0) {
      this.#note(['forget', length]);
      this.#hasPruned = true;
    }
    return super.dropOldest(length);
  }

  override dropEntries(sequences: readonly number[]): void {
    if (sequences.length === 0) return;
    this.#note(['drop', sequences]);
    this.#hasPruned = true;
    super.dropEntries(sequences);
  }

  override setCopyCheckpoint(note: CopyCheckpoint | undefined): void {
    super.setCopyCheckpoint(note);
    this.#note(['copy', note ?? null]);
  }

  /** True when the log on the disk may hold scans that are no longer kept. */
  get hasPruned(): boolean {
    return this.#hasPruned;
  }

  /** The changes since the last call. */
  takeChanges(): readonly Change[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  /** Everything that the document does not contain, as the changes that lead to it. */
  changesOfTheLog(): Change[] {
    const changes: Change[] = this.log.map(scanOf);
    for (const auditEntry of this.trail) changes.push(['act', auditEntry]);
    for (const name of COLLECTION_NAMES) {
      if (COLLECTIONS[name] === 'document') continue;
      for (const [key, value] of this[name]) changes.push(['set', name, key, value]);
    }
    if (this.copyCheckpoint) changes.push(['copy', this.copyCheckpoint]);
    return changes;
  }

  /** Applies changes that are in the log already. */
  replay(changes: readonly Change[]): void {
    this.#isRecording = false;
    for (const change of changes) this.#replayOne(change);
    this.#isRecording = true;
  }

  #replayOne(change: Change): void {
    switch (change[0]) {
      case 'scan':
        this.append(entryOf(change[1]));
        break;
      case 'rewrite':
        this.replaceEntry(entryOf(change[1]));
        break;
      case 'act':
        this.appendAuditEntry(change[1]);
        break;
      case 'retell':
        this.replaceAuditEntry(change[1]);
        break;
      case 'forget':
        this.dropOldest(change[1]);
        break;
      case 'drop':
        this.dropEntries(change[1]);
        break;
      case 'copy':
        this.setCopyCheckpoint(change[1] ?? undefined);
        break;
      case 'delete':
        this[change[1]].delete(change[2]);
        break;
      default:
        this.#replayValue(change);
    }
  }

  #replayValue([kind, name, key, value]: Extract<Change, readonly ['set' | 'edit', ...unknown[]]>) {
    const map = this[name] as Map<string, unknown>;
    map.set(key, kind === 'set' ? value : { ...(map.get(key) as object), ...(value as object) });
  }

  #note(change: Change): void {
    if (this.#isRecording) this.#changes.push(change);
  }

  /** Instance methods instead of a subclass of Map: reading stays as fast as it is. */
  #record(name: CollectionName): void {
    const map = this[name] as Map<string, unknown>;
    const set = map.set.bind(map);
    const remove = map.delete.bind(map);
    map.set = (key, value) => {
      const change = setOrEdit(name, key, map.get(key), value);
      if (change) this.#note(change);
      return set(key, value);
    };
    map.delete = (key) => {
      this.#note(['delete', name, key]);
      return remove(key);
    };
    map.clear = () => {
      for (const key of [...map.keys()]) map.delete(key);
    };
  }
}

function scanOf({ operation, ...others }: LogEntry): readonly ['scan', RecordedScan] {
  return ['scan', { ...others, action: operation }];
}

function entryOf({ action, ...others }: RecordedScan): LogEntry {
  return { ...others, operation: action };
}

/** Undefined when nothing is different. */
function setOrEdit(
  name: CollectionName,
  key: string,
  before: unknown,
  value: unknown,
): Change | undefined {
  const [old, fresh] = [membersOf(before), membersOf(value)];
  const sameMembers =
    old && fresh && Object.keys(old).every((member) => fresh[member] !== undefined);
  if (!sameMembers) return ['set', name, key, value];
  const different = Object.entries(fresh).filter(([member, now]) => now !== old[member]);
  return different.length > 0 ? ['edit', name, key, Object.fromEntries(different)] : undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
