import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { JobThread } from '../job-thread.ts';
import {
  UNPACKED_BYTES_MAX,
  WORKBOOK_BYTES_MAX,
  WORKBOOK_PROCESSOR_MS,
  WORKBOOK_WAIT_MS,
} from './workbook-bounds.ts';
import type { ReadWorksheet, SheetFacts } from './worksheet.ts';

const CHUNK_BYTES = 8 * 1024;

/** Workbooks are read one after the other: each may take much memory. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a sheet of a workbook in a thread of its own.
 * @param chunks of the whole file
 * @param worksheet the name of a sheet; the first that is not hidden without it
 * @throws TicketscanError `usage` for another zip file, one that is too large or damaged, and a sheet that it does not have; `busy`
 *   where the machine has no time for it
 */
export async function readWorkbook(
  chunks: AsyncIterable<Buffer>,
  worksheet?: string,
  bounds: WorkbookBounds = BOUNDS,
): Promise<ReadWorksheet> {
  const bytes = await wholeFile(chunks);
  const read = last.then(() => inThread(bytes, worksheet, bounds));
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

/** How much of a thread one workbook may take. */
export interface WorkbookBounds {
  readonly processorMs: number;
  readonly waitMs: number;
  readonly checkEveryMs: number;
}

const BOUNDS: WorkbookBounds = {
  processorMs: WORKBOOK_PROCESSOR_MS,
  waitMs: WORKBOOK_WAIT_MS,
  checkEveryMs: 1000,
};

async function inThread(
  bytes: Buffer,
  worksheet: string | undefined,
  bounds: WorkbookBounds,
): Promise<ReadWorksheet> {
  const thread = new JobThread('workbook');
  const stop = new AbortController();
  const bounded = outOfBounds(thread, bounds, stop.signal).then((error) => {
    throw error;
  });
  try {
    return await Promise.race([thread.run({ bytes, worksheet }), bounded]);
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    // The thread had no memory left.
    throw refuse('list_workbook_too_large', inMegabytes(UNPACKED_BYTES_MAX), { cause: error });
  } finally {
    stop.abort();
    bounded.catch(() => undefined);
    await thread.close();
  }
}

/** Waits until the thread has used up a bound, and returns the refusal. Rejects when `signal` ends the wait. */
async function outOfBounds(
  thread: JobThread<'workbook'>,
  { processorMs, waitMs, checkEveryMs }: WorkbookBounds,
  signal: AbortSignal,
): Promise<TicketscanError> {
  const beganAt = performance.now();
  for (;;) {
    await wait(checkEveryMs, undefined, { signal, ref: false });
    // Large is what takes much work, not what has to wait for other work.
    if ((await thread.processorMs()) > processorMs) return tooLarge(UNPACKED_BYTES_MAX);
    if (performance.now() - beganAt > waitMs) return refuse('list_workbook_late');
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
