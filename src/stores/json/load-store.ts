import { TicketscanError } from '../../core/errors.ts';
import { contentOf, stateFrom } from './content-state.ts';
import type { StoreContent } from './document.ts';
import { type Mistake, mistakesIn } from './document-mistakes.ts';
import { mistaken, parseDocumentText } from './document-text.ts';
import { type LogContent, readLog } from './read-log.ts';
import type { Change, RecordedState } from './recorded-state.ts';

/** A line that was written when a program ended cleanly, as its last one. */
export interface LineBody {
  readonly changes?: readonly Change[];
  readonly closed?: true;
}

export interface StoreFiles {
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
export function loadStore(files: StoreFiles): LoadedStore {
  const content = parseDocumentText(files.document, files.path);
  const log = readLog(files.log, files.logPath);
  refuseOtherLog(files, content, log);
  refuseCutLog(files, content, log);
  const state = stateFrom(content);
  const bodies = log.bodies as readonly LineBody[];
  const folded = content.log.line + 1;
  // What the document holds already is in the log only; of the rest, everything is.
  for (const { changes = [] } of bodies.slice(0, folded)) state.replay(changes.filter(isOfTheLog));
  refuseOtherCounters(files, content, state);
  for (const { changes = [] } of bodies.slice(folded)) state.replay(changes);
  if (content.log.line < log.last.line) refuseMistakes(files, state, content);
  forgetExpiredAnswers(state);
  state.revision = log.last.line + 1;
  return { state, log, content };
}

/** Scans, quotas, stored answers and devices are in no document: people do not edit them. */
function isOfTheLog(change: Change): boolean {
  return change[0] === 'scan' || ['requests', 'answers', 'devices'].includes(change[1]);
}

function refuseOtherLog(
  { path, logPath }: StoreFiles,
  content: StoreContent,
  log: LogContent,
): void {
  if (log.last.line < content.log.line) {
    const found = log.last.line < 0 ? 'is missing or empty' : `ends in line ${log.last.line + 1}`;
    throw damaged(
      `${path} holds what the log had up to line ${content.log.line + 1}, but ${logPath} ${found}`,
    );
  }
  if (log.checks[content.log.line] !== content.log.check) {
    throw damaged(`${logPath} is not the log of ${path}`);
  }
}

/**
 * Behind the last line a writer keeps filler; a program that ends cleanly removes it when the document, or a last line
 * that says so, proves the end.
 */
function refuseCutLog({ path, logPath }: StoreFiles, content: StoreContent, log: LogContent): void {
  if (log.filled) return;
  const isProvenByDocument = !content.log.open && content.log.line === log.last.line;
  const lastBody = log.bodies.at(-1) as LineBody | undefined;
  const isProvenByLog = !content.log.open && lastBody?.closed === true;
  if (isProvenByDocument || isProvenByLog) return;
  throw damaged(
    `${logPath} was cut off behind line ${log.last.line + 1}, after ${path} was opened`,
  );
}

/** The log is the truth about uses: a counter in the document that is another was damaged, or edited. */
function refuseOtherCounters(files: StoreFiles, content: StoreContent, state: RecordedState): void {
  const uses = new Map<string, number>();
  for (const { status, replayed, ticketId } of state.log) {
    if (status !== 'consumed' || replayed || ticketId === null) continue;
    uses.set(ticketId, (uses.get(ticketId) ?? 0) + 1);
  }
  const mistakes: Mistake[] = [];
  for (const [index, { id, usesConsumed, importedUses = 0 }] of content.tickets.entries()) {
    const counted = importedUses + (uses.get(id) ?? 0);
    uses.delete(id);
    if (usesConsumed === counted) continue;
    const message = `the log has ${counted}, not ${usesConsumed}; uses cannot be edited`;
    mistakes.push({ path: ['tickets', index, 'usesConsumed'], message });
  }
  for (const id of uses.keys()) {
    const message = `${id} was used, and is missing; a ticket that was used can be cancelled, not removed`;
    mistakes.push({ path: ['tickets'], message });
  }
  if (mistakes.length > 0) throw mistaken(files.path, files.document, mistakes);
}

/** Changes of the log on top of a document that was edited meanwhile may not fit. */
function refuseMistakes(files: StoreFiles, state: RecordedState, content: StoreContent): void {
  const mistakes = mistakesIn(contentOf(state, content.log, content.$schema));
  if (mistakes.length > 0) throw mistaken(files.path, files.document, mistakes);
}

function forgetExpiredAnswers(state: RecordedState): void {
  const latest = state.log.reduce((last, { at }) => Math.max(last, at), 0);
  for (const [name, { expiresAt }] of state.answers) {
    if (expiresAt <= latest) state.answers.delete(name);
  }
  state.takeChanges();
}

function damaged(what: string): TicketscanError {
  return new TicketscanError(
    'store_damaged',
    `${what}: uses that were acknowledged may be missing. Restore both files from the same backup; nothing was changed.`,
  );
}
