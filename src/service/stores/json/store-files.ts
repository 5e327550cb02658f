import { readFile, stat } from 'node:fs/promises';
import { TicketscanError } from '../../../core/errors.ts';
import type { StoreInfo } from '../store-upkeep.ts';
import { contentOf } from './content-state.ts';
import { DOCUMENT_FORMAT, type StoreContent } from './document.ts';
import { fileVersion, readBytes, replaceFile } from './document-file.ts';
import { documentText } from './document-text.ts';
import type { LineBody } from './line-body.ts';
import { type LoadedStore, loadStore } from './load-store.ts';
import { LogFile } from './log-file.ts';
import { writeNewLog, writeShortenedLog } from './new-log.ts';
import { readLog } from './read-log.ts';
import type { Change, RecordedState } from './recorded-state.ts';

/**
 * A store's document and the log beside it, in the hands of their one writer.
 *
 * A change is one line of the log. Before the first one the document is marked as open, so that a log which was cut off
 * later cannot pass for whole. `fold` brings the document up to date when the program ends.
 */
export class StoreFiles {
  readonly #path: string;
  #log: LogFile;
  /** The document as it lies on the disk. */
  #document: StoreContent;
  /** Of the document as this program read or wrote it. */
  #version: string | undefined;
  #isTrimmed: boolean;
  readonly #isNew: boolean;

  private constructor(path: string, log: LogFile, loaded: LoadedFiles) {
    this.#path = path;
    this.#log = log;
    this.#document = loaded.content;
    this.#version = loaded.version;
    this.#isTrimmed = !loaded.log.filled;
    this.#isNew = loaded.isNew;
  }

  /** Opens the files at `path`, or makes them. @throws TicketscanError `store_damaged`, `store_newer` */
  static async open(path: string): Promise<{ files: StoreFiles; state: RecordedState }> {
    const loaded = await load(path);
    const log = await LogFile.open(logPathOf(path), loaded.log);
    return { files: new StoreFiles(path, log, loaded), state: loaded.state };
  }

  /** Resolves when the changes are durable. When it rejects, they may be or not: only `recover` can go on from there. */
  async append(changes: readonly Change[]): Promise<void> {
    await this.#markOpen();
    await this.#log.append({ changes } satisfies LineBody);
  }

  /** As `append`, without a change. */
  async checkWritable(): Promise<void> {
    await this.#markOpen();
    await this.#log.checkWritable();
  }

  /** After a failed write: makes certain what is on the disk, and returns that. Changes nothing when it rejects. */
  async recover(): Promise<RecordedState> {
    await this.#log.repair();
    const { state, content, version } = await load(this.#path);
    this.#document = content;
    this.#version = version;
    return state;
  }

  /** Writes the document anew, if it is not up to date, and ends the log: what a clean stop leaves behind. */
  async fold(state: RecordedState): Promise<void> {
    const { open, line } = this.#document.log;
    if (open || line !== this.#log.last.line) {
      await this.#markOpen();
      await this.#log.append({ closed: true } satisfies LineBody);
      await this.#writeDocument(contentOf(state, { ...this.#log.last, open: false }, this.#schema));
    }
    if (state.hasForgotten) {
      await writeShortenedLog(logPathOf(this.#path), this.#log.last, state);
    } else if (!this.#isTrimmed) await this.#log.trim();
  }

  /** Writes both files anew, from what the store holds now: earlier lines of the log name what was erased since. */
  async rewrite(state: RecordedState): Promise<void> {
    const logPath = logPathOf(this.#path);
    await this.#markOpen();
    await this.fold(state);
    await writeShortenedLog(logPath, this.#log.last, state);
    await this.#log.close();
    this.#log = await LogFile.open(logPath, readLog(await readFile(logPath), logPath));
    this.#isTrimmed = true;
  }

  async close(): Promise<void> {
    await this.#log.close();
  }

  /** What only the files tell. */
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

  get #schema(): string | undefined {
    return this.#document.$schema;
  }

  async #markOpen(): Promise<void> {
    this.#isTrimmed = false;
    if (this.#document.log.open) return;
    // The filler first: a log without it is refused beside a document that is marked as open.
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
  const document = await readBytes(path);
  const log = (await readBytes(logPath)) ?? Buffer.alloc(0);
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
  const log = { ...(await writeNewLog(logPathOf(path))), open: false };
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
