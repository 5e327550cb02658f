import * as z from 'zod';
import type { AdministrativeDocument } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import { withoutUnset } from '../../core/key-terms.ts';
import type { EventRecord } from '../../core/records.ts';
import { type Ticket, UNUSED, windowFrom } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { usesIn } from '../../core/undo.ts';
import type { HeldKey } from '../memory/memory-state.ts';
import { documentName } from '../memory/memory-state.ts';
import type { Issue, LogPosition, StoreContent } from './document.ts';
import {
  DOCUMENT_FORMAT,
  DOCUMENT_RECORDS,
  invalid,
  issuesIn,
  parseDocumentText,
} from './document.ts';
import { type LogContent, readLog } from './log-format.ts';
import { type Change, isOfTheLog, RecordedState } from './recorded-state.ts';

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
 * @throws TicketscanError `store_damaged` with the place and what to do, `store_newer`
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
  for (const { body } of flushed) state.replay((body.changes ?? []).filter(isOfTheLog));
  // A copy that is under way has brought tickets whose scans are still to come.
  if (!state.copyCheckpoint) refuseOtherCounters(files, content, state);
  for (const { body } of later) state.replay(body.changes ?? []);
  if (content.log.line < log.last.line) refuseIssues(files, state, content);
  state.takeChanges();
  state.revision = log.last.line + 1;
  return { state, log, content };
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
  for (const organisation of content.organisations) {
    state.organisations.set(organisation.id, organisation);
  }
  for (const event of content.events)
    state.events.set(event.id, { ...event, archivedAt: event.archivedAt ?? null });
  for (const { hash, previousHash, ...record } of content.keys) {
    state.keys.set(record.id, {
      record: withoutUnset(record),
      hash,
      ...(previousHash && { previousHash }),
    });
  }
  for (const document of content.documents ?? []) {
    state.documents.set(documentName(document.kind, document.id), document);
  }
  for (const { importedUses, ...record } of content.tickets) {
    state.tickets.set(record.id, ticketFrom(record));
    if (importedUses !== undefined) state.importedUses.set(record.id, importedUses);
  }
  state.takeChanges();
  return state;
}

/** The document omits members that are null. */
function ticketFrom(record: Omit<StoreContent['tickets'][number], 'importedUses'>): Ticket {
  const absent = { holder: null, ...windowFrom({}, Number), ...UNUSED };
  return { ...absent, ...record, eventId: eventOfTicketId(record.id) ?? '' } as Ticket;
}

/** The document of a state, in the order in which its records were created. @param schema kept as people gave it */
export function contentOf(
  state: RecordedState,
  log: LogPosition,
  schema: string | undefined,
): StoreContent {
  return {
    ...(schema !== undefined && { $schema: schema }),
    format: DOCUMENT_FORMAT,
    log,
    organisations: [...state.organisations.values()],
    events: [...state.events.values()].map(eventRecordOf),
    keys: [...state.keys.values()].map(keyRecordOf),
    documents:
      state.documents.size > 0 ? [...state.documents.values()].map(documentRecordOf) : undefined,
    tickets: [...state.tickets.values()].map((ticket) => ({
      ...ticketRecordOf(ticket),
      importedUses: state.importedUses.get(ticket.id),
    })),
  };
}

function eventRecordOf({ archivedAt, ...event }: EventRecord): StoreContent['events'][number] {
  return archivedAt === null ? event : { ...event, archivedAt };
}

function keyRecordOf({ record, hash, previousHash }: HeldKey): StoreContent['keys'][number] {
  const events = record.events === 'all' ? 'all' : [...record.events];
  return { ...record, events, hash, ...(previousHash && { previousHash }) };
}

function ticketRecordOf({ eventId: _, ...ticket }: Ticket): StoreContent['tickets'][number] {
  const given = Object.entries(ticket).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as StoreContent['tickets'][number];
}

/** Its value as JSON has it: without members that are undefined. */
function documentRecordOf(
  document: AdministrativeDocument,
): NonNullable<StoreContent['documents']>[number] {
  return { ...document, value: JSON.parse(JSON.stringify(document.value ?? null)) };
}

type DocumentList = keyof typeof DOCUMENT_RECORDS;

const TO_RECORD: Readonly<Record<DocumentList, (value: never) => unknown>> = {
  organisations: (value: unknown) => value,
  events: (value: EventRecord) => eventRecordOf(value),
  keys: keyRecordOf,
  documents: (value: AdministrativeDocument) => documentRecordOf(value),
  tickets: (value: Ticket) => ticketRecordOf(value),
};

/**
 * What is wrong with a new or changed record that the document could not hold; undefined when it can hold all.
 * @param state after the changes
 */
export function unwritableIn(changes: readonly Change[], state: RecordedState): string | undefined {
  for (const [kind, list, key] of changes) {
    if ((kind !== 'set' && kind !== 'edit') || !isDocumentList(list)) continue;
    const value = state[list].get(key);
    const issue = value && issueIn(list, value);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function isDocumentList(name: string): name is DocumentList {
  return name in DOCUMENT_RECORDS;
}

function issueIn(list: DocumentList, value: unknown): string | undefined {
  const record = TO_RECORD[list](value as never);
  try {
    const { error } = z.safeEncode(DOCUMENT_RECORDS[list] as z.ZodType, record);
    const issue = error?.issues[0];
    return issue && `${list}: ${issue.path.join('.')} ${issue.message}`;
  } catch (error) {
    // A time that no calendar has cannot even be written.
    if (error instanceof RangeError) return `${list}: ${error.message}`;
    throw error;
  }
}
