import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import { usesIn } from '../../core/undo.ts';
import { documentName, type ListChange, MemoryState } from '../memory/memory-state.ts';
import {
  DOCUMENT_FORMAT,
  DOCUMENT_RECORDS,
  type Issue,
  invalid,
  issuesIn,
  type LogPosition,
  parseDocumentText,
  type StoreContent,
} from './document.ts';
import { type LogContent, readLog } from './log-file.ts';

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
  | readonly ['rewrite', RecordedScan]
  | Exclude<ListChange, readonly ['scan' | 'rewrite', unknown]>;

/** True for a change that the document does not contain. */
function isOfTheLog([kind, name]: Change): boolean {
  const isOfCollection = kind === 'set' || kind === 'edit' || kind === 'delete';
  return !isOfCollection || COLLECTIONS[name as CollectionName] === 'log';
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

  override change(change: ListChange): void {
    super.change(change);
    this.#note(asStored(change));
    if (change[0] === 'forget' || change[0] === 'drop') this.#hasPruned = true;
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
    const changes: Change[] = this.log.map((entry) => asStored(['scan', entry]));
    for (const auditEntry of this.auditLog) changes.push(['act', auditEntry]);
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
      case 'set':
        this.#collection(change[1]).set(change[2], change[3]);
        break;
      case 'edit': {
        const map = this.#collection(change[1]);
        map.set(change[2], { ...(map.get(change[2]) as object), ...change[3] });
        break;
      }
      case 'delete':
        this[change[1]].delete(change[2]);
        break;
      case 'scan':
      case 'rewrite': {
        const { action, ...others } = change[1];
        this.change([change[0], { ...others, operation: action }]);
        break;
      }
      default:
        this.change(change);
    }
  }

  #note(change: Change): void {
    if (this.#isRecording) this.#changes.push(change);
  }

  #collection(name: CollectionName): Map<string, unknown> {
    return this[name] as Map<string, unknown>;
  }

  /** Instance methods instead of a subclass of Map: reading stays as fast as it is. */
  #record(name: CollectionName): void {
    const map = this.#collection(name);
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

function asStored(change: ListChange): Change {
  if (change[0] !== 'scan' && change[0] !== 'rewrite') return change;
  const { operation, ...others } = change[1];
  return [change[0], { ...others, action: operation }];
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

export interface StoreTexts {
  readonly path: string;
  readonly logPath: string;
  readonly document: string;
  readonly log: Buffer;
}

export interface LoadedStore {
  readonly state: RecordedState;
  readonly log: LogContent;
  readonly content: StoreContent;
}

/**
 * The state of a document and its log together: it has every acknowledged change.
 * @throws TicketscanError `store_damaged` with where and what to do, `store_newer`
 */
export function loadStore(files: StoreTexts): LoadedStore {
  const content = parseDocumentText(files.document, files.path);
  const log = readLog(files.log, files.logPath);
  refuseOtherLog(files, content, log);
  refuseCutLog(files, content, log);
  const state = stateFrom(content);
  const flushed = log.lines.filter(({ line }) => line <= content.log.line);
  const later = log.lines.filter(({ line }) => line > content.log.line);
  // Of these lines the document has everything but what is in the log alone.
  for (const line of flushed) state.replay(changesOf(line).filter(isOfTheLog));
  // A copy that is under way has brought tickets whose scans are still to come.
  if (!state.copyCheckpoint) refuseOtherCounters(files, content, state);
  for (const line of later) state.replay(changesOf(line));
  if (content.log.line < log.last.line) refuseIssues(files, state, content);
  state.takeChanges();
  state.revision = log.last.line + 1;
  return { state, log, content };
}

function changesOf({ body }: LogContent['lines'][number]): readonly Change[] {
  return (body.changes ?? []) as readonly Change[];
}

function refuseOtherLog(
  { path, logPath }: StoreTexts,
  content: StoreContent,
  log: LogContent,
): void {
  if (log.last.line < content.log.line) {
    const found = log.last.line < 0 ? 'is missing or empty' : `ends in line ${log.last.line + 1}`;
    throw damaged(
      `${path} contains the log up to line ${content.log.line + 1}, but ${logPath} ${found}`,
    );
  }
  const { line, check } = content.log;
  if (!log.lines.some((one) => one.line === line && one.check === check)) {
    throw damaged(`${logPath} is not the log of ${path}`);
  }
}

/**
 * Behind the last line a writer keeps padding; a program that ends cleanly removes it when the document, or a last line
 * that says so, proves the end.
 */
function refuseCutLog({ path, logPath }: StoreTexts, content: StoreContent, log: LogContent): void {
  if (log.padded) return;
  const isProvenByDocument = !content.log.open && content.log.line === log.last.line;
  const isProvenByLog = !content.log.open && log.lines.at(-1)?.body.closed === true;
  if (isProvenByDocument || isProvenByLog) return;
  throw damaged(`${logPath} was cut off after line ${log.last.line + 1}, after ${path} was opened`);
}

/** The log is the truth about uses: a counter in the document that is another was damaged, or edited. */
function refuseOtherCounters(files: StoreTexts, content: StoreContent, state: RecordedState): void {
  const uses = new Map<string, number>();
  for (const entry of state.log) {
    const change = usesIn(entry);
    if (change === 0 || entry.ticketId === null) continue;
    uses.set(entry.ticketId, (uses.get(entry.ticketId) ?? 0) + change);
  }
  const issues: Issue[] = [];
  for (const [index, { id, usesConsumed, importedUses = 0 }] of content.tickets.entries()) {
    const counted = importedUses + (uses.get(id) ?? 0);
    uses.delete(id);
    if (usesConsumed === counted) continue;
    const message = `the log has ${counted}, not ${usesConsumed}; uses cannot be edited`;
    issues.push({ path: ['tickets', index, 'usesConsumed'], message });
  }
  for (const id of uses.keys()) {
    const message = `${id} was used, but is missing; a used ticket can be cancelled, not removed`;
    issues.push({ path: ['tickets'], message });
  }
  if (issues.length > 0) throw invalid(files.path, files.document, issues);
}

/** Changes of the log on top of a document that was edited meanwhile may not fit. */
function refuseIssues(files: StoreTexts, state: RecordedState, content: StoreContent): void {
  const issues = issuesIn(contentOf(state, content.log, content.$schema));
  if (issues.length > 0) throw invalid(files.path, files.document, issues);
}

function damaged(what: string): TicketscanError {
  return new TicketscanError(
    'store_damaged',
    `${what}: uses that were acknowledged may be missing. Restore both files from the same backup; nothing was changed.`,
  );
}

/** The document as a state, without the changes of the log. */
function stateFrom(content: StoreContent): RecordedState {
  const state = new RecordedState();
  for (const organisation of content.organisations)
    state.organisations.set(organisation.id, organisation);
  for (const event of content.events) state.events.set(event.id, event);
  for (const key of content.keys) state.keys.set(key.record.id, key);
  for (const document of content.documents ?? [])
    state.documents.set(documentName(document.kind, document.id), document);
  for (const { importedUses, ...ticket } of content.tickets) {
    state.tickets.set(ticket.id, ticket);
    if (importedUses !== undefined) state.importedUses.set(ticket.id, importedUses);
  }
  state.takeChanges();
  return state;
}

/** The document of a state, in the order in which its records were created. @param schema kept as people gave it */
export function contentOf(
  state: RecordedState,
  log: LogPosition,
  schema: string | undefined,
): StoreContent {
  const { organisations, events, keys, documents, tickets, importedUses } = state;
  return {
    ...(schema !== undefined && { $schema: schema }),
    format: DOCUMENT_FORMAT,
    log,
    organisations: [...organisations.values()],
    events: [...events.values()],
    keys: [...keys.values()],
    documents: documents.size > 0 ? [...documents.values()] : undefined,
    tickets: Array.from(tickets.values(), (ticket) => {
      return { ...ticket, importedUses: importedUses.get(ticket.id) };
    }),
  };
}

type DocumentList = keyof typeof DOCUMENT_RECORDS;

/**
 * What is wrong with a new or changed record that the document could not hold; undefined when it can hold all.
 * @param state after the changes
 */
export function unwritableIn(changes: readonly Change[], state: RecordedState): string | undefined {
  for (const [kind, list, key] of changes) {
    if ((kind !== 'set' && kind !== 'edit') || !(list in DOCUMENT_RECORDS)) continue;
    const value = state[list as DocumentList].get(key);
    const issue = value && issueIn(list as DocumentList, value);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function issueIn(list: DocumentList, value: unknown): string | undefined {
  try {
    const { error } = z.safeEncode(DOCUMENT_RECORDS[list] as z.ZodType, value);
    const issue = error?.issues[0];
    return issue && `${list}: ${issue.path.join('.')} ${issue.message}`;
  } catch (error) {
    // A time that no calendar has cannot even be written.
    if (error instanceof RangeError) return `${list}: ${error.message}`;
    throw error;
  }
}
