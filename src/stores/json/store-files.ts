import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { OWNER_ONLY, syncPath, takeOwnerOf } from '../../kit/files.ts';
import type { StoreInfo } from '../store.ts';
import { DOCUMENT_FORMAT, documentText, type StoreContent } from './document.ts';
import type { LineBody, LogLine, LogPosition } from './log-file.ts';
import { LOG_START, LogFile, nextLine, readLog } from './log-file.ts';
import {
  type Change,
  contentOf,
  type LoadedStore,
  loadStore,
  type RecordedState,
} from './recorded-state.ts';

/**
 * A store's document and the log beside it, for their one writer.
 *
 * A change is one line of the log. Before the first one the document is marked as open, so that a log which was cut off
 * later cannot pass for whole. `flush` brings the document up to date when the program ends.
 */
export class StoreFiles {
  readonly #path: string;
  #log: LogFile;
  /** The document as it is on the disk. */
  #document: StoreContent;
  /** The version of the document that this program read or wrote. */
  #version: string | undefined;
  #isTrimmed: boolean;
  readonly #isNew: boolean;

  private constructor(path: string, log: LogFile, loaded: LoadedFiles) {
    this.#path = path;
    this.#log = log;
    this.#document = loaded.content;
    this.#version = loaded.version;
    this.#isTrimmed = !loaded.log.padded;
    this.#isNew = loaded.isNew;
  }

  /** Opens the files at `path`, or makes them. @throws TicketscanError `store_damaged`, `store_newer` */
  static async open(path: string): Promise<{ files: StoreFiles; state: RecordedState }> {
    const loaded = await load(path);
    const log = await LogFile.open(logPathOf(path), loaded.log);
    return { files: new StoreFiles(path, log, loaded), state: loaded.state };
  }

  /** Resolves when the changes are durable. When it rejects, that is unknown: only `recover` may be called next. */
  async append(changes: readonly Change[]): Promise<void> {
    await this.#markOpen();
    await this.#log.append({ changes } satisfies LineBody);
  }

  /** As `append`, without a change. */
  async checkWritable(): Promise<void> {
    await this.#markOpen();
    await this.#log.checkWritable();
  }

  /** After a failed write: finds out what is on the disk, and returns it. Changes nothing when it rejects. */
  async recover(): Promise<RecordedState> {
    await this.#log.repair();
    const { state, content, version } = await load(this.#path);
    this.#document = content;
    this.#version = version;
    return state;
  }

  /** Brings the document up to date and ends the log, for a clean stop. */
  async flush(state: RecordedState): Promise<void> {
    const { open, line } = this.#document.log;
    if (open || line !== this.#log.last.line) {
      await this.#markOpen();
      await this.#log.append({ closed: true } satisfies LineBody);
      const log = { ...this.#log.last, open: false };
      await this.#writeDocument(contentOf(state, log, this.#document.$schema));
    }
    if (state.hasPruned) {
      await writeShortenedLog(logPathOf(this.#path), this.#log.last, state);
    } else if (!this.#isTrimmed) await this.#log.trim();
  }

  /** Rewrites both files from the current state: earlier lines of the log contain what was erased since. */
  async rewrite(state: RecordedState): Promise<void> {
    const logPath = logPathOf(this.#path);
    await this.#markOpen();
    await this.flush(state);
    await writeShortenedLog(logPath, this.#log.last, state);
    await this.#log.close();
    this.#log = await LogFile.open(logPath, readLog(await readFile(logPath), logPath));
    this.#isTrimmed = true;
  }

  async close(): Promise<void> {
    await this.#log.close();
  }

  /** The part of the store's information that only the files have. */
  async info(): Promise<Pick<StoreInfo, 'engine' | 'format' | 'bytes' | 'details'>> {
    const { size: documentBytes } = await stat(this.#path);
    const logBytes = this.#log.bytes;
    const versionFound = this.#isNew ? 0 : DOCUMENT_FORMAT;
    return {
      engine: 'json',
      format: { version: DOCUMENT_FORMAT, versionFound },
      bytes: documentBytes + logBytes,
      details: {
        file: this.#path,
        documentBytes,
        logBytes,
        logLines: this.#log.last.line + 1,
        linesNotInDocument: this.#log.last.line - this.#document.log.line,
      },
    };
  }

  async #markOpen(): Promise<void> {
    this.#isTrimmed = false;
    if (this.#document.log.open) return;
    // The padding first: a log without it is refused beside a document that is marked as open.
    await this.#log.makeRoom();
    const log = { ...this.#document.log, open: true };
    await this.#writeDocument({ ...this.#document, log });
  }

  async #writeDocument(content: StoreContent): Promise<void> {
    const found = await fileVersion(this.#path);
    if (found !== undefined && found !== this.#version) throw editedMeanwhile(this.#path);
    await replaceFile(this.#path, documentText(content));
    this.#document = content;
    this.#version = await fileVersion(this.#path);
  }
}

function logPathOf(path: string): string {
  return `${path}.log`;
}

interface LoadedFiles extends LoadedStore {
  readonly isNew: boolean;
  readonly version: string | undefined;
}

async function load(path: string): Promise<LoadedFiles> {
  const logPath = logPathOf(path);
  const version = await fileVersion(path);
  const document = await ifThere(readFile(path));
  const log = (await ifThere(readFile(logPath))) ?? Buffer.alloc(0);
  if (document) {
    const text = textOf(document, path);
    return { ...loadStore({ path, logPath, document: text, log }), isNew: false, version };
  }
  if (readLog(log, logPath).last.line > 0) {
    throw new TicketscanError(
      'store_damaged',
      `${path} is missing, but its log ${logPath} exists. Restore the document from a backup: the log alone does not ` +
        'have the tickets of earlier days. Nothing was changed.',
    );
  }
  await create(path);
  return { ...(await load(path)), isNew: true };
}

function editedMeanwhile(path: string): TicketscanError {
  return new TicketscanError(
    'conflict',
    `${path} was edited while a program used it. The edit is kept, and the program's changes are in the log: the next ` +
      'start merges both, or reports conflicts.',
  );
}

/** The log first: a document without its log would be refused. */
async function create(path: string): Promise<void> {
  const { line, check, text } = firstLine();
  await replaceFile(logPathOf(path), text);
  const log = { line, check, open: false };
  const empty = { organisations: [], events: [], keys: [], tickets: [] };
  await replaceFile(path, documentText({ format: DOCUMENT_FORMAT, log, ...empty }));
}

function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new TicketscanError(
      'store_damaged',
      `${path} is not UTF-8 text. Save it as UTF-8, or restore it from a backup; nothing was changed.`,
      { cause: error },
    );
  }
}

/** Keeps lines to a size that is read fast. */
const CHANGES_PER_LINE = 1000;

/**
 * Rewrites the log without the removed scans. It continues from the same position as before, so the document fits the old and
 * the new log, and a crash between them does no harm.
 */
async function writeShortenedLog(
  path: string,
  last: LogPosition,
  state: RecordedState,
): Promise<void> {
  const lines = [firstLine()];
  const add = (body: LineBody) => {
    lines.push(nextLine(lines.at(-1) as LogLine, { ...body }));
  };
  const changes = state.changesOfTheLog();
  for (let from = 0; from < changes.length; from += CHANGES_PER_LINE) {
    add({ changes: changes.slice(from, from + CHANGES_PER_LINE) });
  }
  add({ continues: { line: last.line, check: last.check } });
  await replaceFile(path, lines.map(({ text }) => text).join(''));
}

/** No other log begins with it. */
function firstLine(): LogLine {
  const id = randomBytes(8).toString('hex');
  return nextLine(LOG_START, { log: 'ticketscan', format: DOCUMENT_FORMAT, id });
}

const PERMISSIONS = 0o777;

/** Undefined when there is no such file. */
async function ifThere<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** A text that changes whenever the file is changed or replaced; undefined when there is none. */
async function fileVersion(path: string): Promise<string | undefined> {
  const found = await ifThere(stat(path, { bigint: true }));
  return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

const TEMPORARY = /^(?:\.log)?\.[0-9a-f]{12}\.tmp$/;

/** Removes what a killed program left of files that it was about to replace; only their one writer may call it. */
export function removeUnfinished(path: string): void {
  for (const name of namesBeside(path)) {
    const end = name.startsWith(basename(path)) ? name.slice(basename(path).length) : '';
    if (TEMPORARY.test(end)) rmSync(join(dirname(path), name), { force: true });
  }
}

/** None where the folder may be used but not listed. */
function namesBeside(path: string): string[] {
  try {
    return readdirSync(dirname(path));
  } catch {
    return [];
  }
}

/** Replaces a file as a whole and keeps its permissions, for root also its owner; a crash leaves the old or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (found) => found.mode & PERMISSIONS,
    () => OWNER_ONLY,
  );
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      takeOwnerOf(file.fd, path, dirname(path));
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncPath(dirname(path));
}
