import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { TicketscanError } from '../../core/errors.ts';
import { writeAtomically } from '../files.ts';
import { JobThread } from '../job-thread.ts';
import { type CodesCsv, writeCodesCsv, writeCodesJson } from '../lists/write-lists.ts';
import { type FileIssue, verifySheet } from '../reading/read-back.ts';
import type { PrintedTicket } from '../sheets/printed-ticket.ts';
import type { SheetOptions, SheetSummary } from '../sheets/write-sheet.ts';
import type { ImageBatch, ImageBatchResult, ImageFormat } from './image-files.ts';
import { IMAGE_FORMATS, writeImages } from './image-files.ts';
import { madeCount, printedTicket, printedTickets, type TicketRun } from './ticket-run.ts';

export const LIST_FORMATS = ['pdf', 'csv', 'json'] as const;
type ListFormat = (typeof LIST_FORMATS)[number];
export type FileFormat = ImageFormat | ListFormat;

export interface FilePlan {
  readonly folder: string;
  readonly formats: readonly FileFormat[];
  readonly scale: number;
  readonly csv: CodesCsv;
  /** The sheet; needed for `pdf`. */
  readonly sheet: SheetOptions | undefined;
  readonly verify: boolean;
  /** Threads that draw images; 0 draws in this one. */
  readonly threads: number;
  /** An earlier run may have completed some of the files. */
  readonly resumed: boolean;
}

export interface FileWatcher {
  /** Something new begins, of `total` tickets. */
  begin(what: string, total: number): void;
  /** May throw to stop the run; complete files stay, incomplete ones go. */
  update(count: number): void;
}

export interface FileSummary {
  readonly issues: readonly FileIssue[];
  readonly sheet: SheetSummary | undefined;
}

/** Small enough to stop soon, large enough to keep a thread busy. */
const BATCH_TICKETS = 32;

/** @throws TicketscanError `conflict` when a list of that name is in the folder: the codes in it may be the only ones */
export function refuseExistingLists(folder: string, formats: readonly FileFormat[]): void {
  for (const format of LIST_FORMATS) {
    const path = listPath(folder, format);
    if (formats.includes(format) && existsSync(path)) {
      throw new TicketscanError(
        'conflict',
        `${path} already exists; its codes would be lost. Name another folder with --out, or add --overwrite.`,
      );
    }
  }
}

/** Writes every file of a run. @throws TicketscanError `usage` when one cannot be written; what `watcher` throws */
export async function writeFiles(
  run: TicketRun,
  plan: FilePlan,
  watcher: FileWatcher,
): Promise<FileSummary> {
  const issues = await writeAllImages(run, plan, watcher);
  const of = (format: ListFormat) => plan.formats.includes(format);
  const path = (format: ListFormat) => listPath(plan.folder, format);
  const update = (count: number) => watcher.update(count);
  const write = <Result>(format: ListFormat, fill: (stream: Writable) => Promise<Result>) => {
    watcher.begin(`writing tickets.${format}`, madeCount(run));
    return writeAtomically(path(format), fill);
  };
  if (of('csv')) {
    await write('csv', (stream) =>
      writeCodesCsv(stream, printedTickets(run), plan.csv, run.kept, update),
    );
  }
  if (of('json')) {
    await write('json', (stream) => writeCodesJson(stream, printedTickets(run), update));
  }
  if (!of('pdf') || !plan.sheet) return { issues, sheet: undefined };
  const { sheet: options } = plan;
  // Fonts and a PDF writer take longer to load than most runs last.
  const { writeSheet } = await import('../sheets/write-sheet.ts');
  const sheet = await write('pdf', (stream) =>
    writeSheet(stream, counted(printedTickets(run), update), options),
  );
  if (plan.verify) {
    watcher.begin('reading tickets.pdf back', madeCount(run));
    issues.push(...(await verifySheet(path('pdf'), counted(printedTickets(run), update))));
  }
  return { issues, sheet };
}

async function writeAllImages(
  run: TicketRun,
  plan: FilePlan,
  watcher: FileWatcher,
): Promise<FileIssue[]> {
  const formats = IMAGE_FORMATS.filter((format) => plan.formats.includes(format));
  const issues: FileIssue[] = [];
  if (formats.length === 0) return issues;
  watcher.begin(
    plan.verify ? 'drawing images and reading them back' : 'drawing images',
    madeCount(run),
  );
  let files = 0;
  await drawAll(imageBatches(run, plan, formats), plan.threads, (result) => {
    files += result.files;
    issues.push(...result.issues);
    watcher.update(files / formats.length);
  });
  return issues;
}

function* imageBatches(
  run: TicketRun,
  { folder, scale, resumed, verify }: FilePlan,
  formats: readonly ImageFormat[],
): Generator<ImageBatch> {
  for (let start = 0; start < madeCount(run); start += BATCH_TICKETS) {
    const size = Math.min(BATCH_TICKETS, madeCount(run) - start);
    const tickets = Array.from({ length: size }, (_, offset) => {
      const { id, code } = printedTicket(run, start + offset);
      return { ticketId: id, code };
    });
    yield { folder, tickets, formats, scale, verify, keepExisting: resumed };
  }
}

/**
 * Draws batches of images, several at a time.
 * @param threads 0 draws in the calling thread, which is faster for a few
 * @param onBatch called after each batch; when it throws, the batches under way are completed and no more begun
 * @throws TicketscanError when a file cannot be written; what `onBatch` throws
 */
async function drawAll(
  batches: Iterable<ImageBatch>,
  threads: number,
  onBatch: (result: ImageBatchResult) => void,
): Promise<void> {
  const queue = batches[Symbol.iterator]();
  if (threads === 0) {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      onBatch(await writeImages(next.value));
    }
    return;
  }
  let failed = false;
  const runners = Array.from({ length: threads }, async () => {
    const thread = new JobThread('images');
    try {
      while (!failed) {
        const next = queue.next();
        if (next.done) break;
        onBatch(await thread.run(next.value));
      }
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      await thread.close();
    }
  });
  const results = await Promise.allSettled(runners);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

function* counted(
  tickets: Iterable<PrintedTicket>,
  onTicket: (count: number) => void,
): Generator<PrintedTicket> {
  let count = 0;
  for (const ticket of tickets) {
    yield ticket;
    count += 1;
    onTicket(count);
  }
}

function listPath(folder: string, format: ListFormat): string {
  return join(folder, `tickets.${format}`);
}
