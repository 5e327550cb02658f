import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { JobThread } from '../job-thread.ts';
import { UNPACKED_BYTES_MAX, WORKBOOK_BYTES_MAX, WORKBOOK_READ_MS } from './workbook-bounds.ts';
import type { ReadWorksheet, SheetFacts } from './worksheet.ts';

const CHUNK_BYTES = 8 * 1024;

/** Workbooks are read one after the other: each may take much memory. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a sheet of a workbook in a thread of its own.
 * @param chunks of the whole file
 * @param worksheet the name of a sheet; the first that is not hidden without it
 * @throws TicketscanError `usage` for another zip file, one that is too large or damaged, and a sheet that it does not have
 */
export async function readWorkbook(
  chunks: AsyncIterable<Buffer>,
  worksheet?: string,
): Promise<ReadWorksheet> {
  const bytes = await wholeFile(chunks);
  const read = last.then(() => inThread(bytes, worksheet));
  last = read.catch(() => undefined);
  return read;
}

async function wholeFile(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const taken: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > WORKBOOK_BYTES_MAX) throw tooLarge(WORKBOOK_BYTES_MAX);
    taken.push(chunk);
  }
  return Buffer.concat(taken);
}

async function inThread(bytes: Buffer, worksheet: string | undefined): Promise<ReadWorksheet> {
  const thread = new JobThread('workbook');
  const stop = new AbortController();
  const late = wait(WORKBOOK_READ_MS, undefined, { signal: stop.signal, ref: false }).then(() => {
    throw tooLarge(UNPACKED_BYTES_MAX);
  });
  try {
    return await Promise.race([thread.run({ bytes, worksheet }), late]);
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    // The thread had no memory left.
    throw refuse('list_workbook_too_large', inMegabytes(UNPACKED_BYTES_MAX), { cause: error });
  } finally {
    stop.abort();
    late.catch(() => undefined);
    await thread.close();
  }
}

function tooLarge(max: number): TicketscanError {
  return refuse('list_workbook_too_large', inMegabytes(max));
}

function inMegabytes(bytes: number): { max: number } {
  return { max: bytes / 1024 / 1024 };
}

/** Which sheet of a workbook is read, and who hears what it is. */
export interface SheetReading {
  /** The first that is not hidden without it. */
  readonly worksheet?: string | undefined;
  readonly onSheet?: ((facts: SheetFacts) => void) | undefined;
}

/** The sheet as a list in CSV: other work is done between two pieces. */
export async function* csvOfWorkbook(
  chunks: AsyncIterable<Buffer>,
  { worksheet, onSheet }: SheetReading,
): AsyncGenerator<Buffer> {
  const { csv, ...facts } = await readWorkbook(chunks, worksheet);
  onSheet?.(facts);
  const bytes = Buffer.from(csv);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES);
    await nextTurn();
  }
}
