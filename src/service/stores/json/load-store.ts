import { TicketscanError } from '../../../core/errors.ts';
import { usesIn } from '../../../core/undo.ts';
import { contentOf, stateFrom } from './content-state.ts';
import type { StoreContent } from './document.ts';
import { type Issue, mistakesIn } from './document-issues.ts';
import { mistaken, parseDocumentText } from './document-text.ts';
import { type LogContent, readLog } from './read-log.ts';
import { isOfTheLog, type RecordedState } from './recorded-state.ts';

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
 * The state that a document and its log hold together: every acknowledged change is in it.
 * @throws TicketscanError `store_damaged` with the place and what to do, `store_newer`
 */
export function loadStore(files: StoreTexts): LoadedStore {
  const content = parseDocumentText(files.document, files.path);
  const log = readLog(files.log, files.logPath);
  refuseOtherLog(files, content, log);
  refuseCutLog(files, content, log);
  const state = stateFrom(content);
  const folded = log.lines.filter(({ line }) => line <= content.log.line);
  const later = log.lines.filter(({ line }) => line > content.log.line);
  // What the document holds already is in the log only; of the rest, everything is.
  for (const { body } of folded) state.replay((body.changes ?? []).filter(isOfTheLog));
  // A copy that is under way has brought tickets whose scans are still to come.
  if (!state.copyCheckpoint) refuseOtherCounters(files, content, state);
  for (const { body } of later) state.replay(body.changes ?? []);
  if (content.log.line < log.last.line) refuseMistakes(files, state, content);
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
 * Behind the last line a writer keeps filler; a program that ends cleanly removes it when the document, or a last line
 * that says so, proves the end.
 */
function refuseCutLog({ path, logPath }: StoreTexts, content: StoreContent, log: LogContent): void {
  if (log.filled) return;
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
  if (issues.length > 0) throw mistaken(files.path, files.document, issues);
}

/** Changes of the log on top of a document that was edited meanwhile may not fit. */
function refuseMistakes(files: StoreTexts, state: RecordedState, content: StoreContent): void {
  const issues = mistakesIn(contentOf(state, content.log, content.$schema));
  if (issues.length > 0) throw mistaken(files.path, files.document, issues);
}

function damaged(what: string): TicketscanError {
  return new TicketscanError(
    'store_damaged',
    `${what}: uses that were acknowledged may be missing. Restore both files from the same backup; nothing was changed.`,
  );
}
