import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { faultInWords, type RowIssue } from '../../lists/row-issue.ts';
import { batchOf, type TicketRun } from '../../making/make-ticket.ts';
import type { FilePlan, FileSummary } from '../../making/mint-files.ts';

const MISSING_SHOWN = 20;

/** Names the rows of a list that are left out. */
export function reportSkipped(io: CliIo, skipped: readonly RowIssue[]): void {
  for (const fault of skipped) io.err(`skipped ${sanitizeForTerminal(faultInWords(fault))}`);
}

/** Names the batch: by it all tickets of the run are found, cancelled or deleted. */
export function reportBatch(io: CliIo, run: TicketRun): void {
  note(io, `Batch: ${batchOf(run)}`);
}

/** Says what there is now, and sets the exit code when an image does not read back. */
export function reportRun(
  io: CliIo,
  run: TicketRun,
  { folder, formats, verify }: FilePlan,
  { faults: issues, sheet }: FileSummary,
  skippedFaults: number,
): void {
  for (const { file, message } of issues) io.err(`${file}: ${message}`);
  const missing = sheet?.missing ?? [];
  if (missing.length > 0) {
    const shown = missing.slice(0, MISSING_SHOWN).map(sanitizeForTerminal).join(' ');
    io.err(
      `No font has ${shown}; the PDF shows a box for each. Name a font that has them: --font FILE`,
    );
  }
  const tickets = run.count === 1 ? '1 ticket is' : `${run.count} tickets are`;
  const verified =
    verify && issues.length === 0 && formats.some(isImage)
      ? ', each image read back by two decoders'
      : '';
  const skipped = skippedFaults > 0 ? `; ${skippedFaults} rows with issues were skipped` : '';
  note(io, `${tickets} in the store, their files in ${folder}${verified}${skipped}.`);
  reportBatch(io, run);
  if (issues.length > 0) io.exit(1);
}

function isImage(format: FilePlan['formats'][number]): boolean {
  return format !== 'csv' && format !== 'json';
}
