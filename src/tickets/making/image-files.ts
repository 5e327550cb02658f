import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { OWNER_ONLY } from '../../kit/files.ts';
import { renderQr } from '../codes/render-qr.ts';
import { forFile, temporaryName } from '../files.ts';
import { type FileIssue, readBack } from '../reading/read-back.ts';

export const IMAGE_FORMATS = ['png', 'svg', 'txt'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** A few tickets to draw, each into one file per format, named by its id. */
export interface ImageBatch {
  readonly folder: string;
  readonly tickets: readonly { readonly ticketId: string; readonly code: string }[];
  readonly formats: readonly ImageFormat[];
  readonly scale: number;
  /** Keeps files that exist: an earlier run completed them. */
  readonly keepExisting: boolean;
  /** Reads every file back from the disk with two decoders. */
  readonly verify: boolean;
}

export interface ImageBatchResult {
  readonly files: number;
  /** Files that did not read back as they should. */
  readonly issues: readonly FileIssue[];
}

/**
 * Writes the images of a batch, one file after the other, so that two files at most are open however many there are.
 *
 * They grow in a folder of their own and are moved when they are complete: threads that all create files in one folder
 * wait for each other, and moving is half of that.
 * @throws TicketscanError `usage` when a file cannot be written
 */
export async function writeImages(batch: ImageBatch): Promise<ImageBatchResult> {
  const issues: FileIssue[] = [];
  const workshop = temporaryName(join(batch.folder, `images-${threadId}`));
  try {
    forFile(workshop, () => mkdirSync(workshop, { mode: 0o700 }));
    for (const { ticketId, code } of batch.tickets) {
      for (const format of batch.formats) {
        const name = `${ticketId}.${format}`;
        const message = await writeImage(name, workshop, code, format, batch);
        if (message !== undefined) issues.push({ file: join(batch.folder, name), message });
      }
    }
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  return { files: batch.tickets.length * batch.formats.length, issues };
}

/** @returns what is wrong with the file, when it is to be verified */
async function writeImage(
  name: string,
  workshop: string,
  code: string,
  format: ImageFormat,
  { folder, keepExisting, scale, verify }: ImageBatch,
): Promise<string | undefined> {
  const file = join(folder, name);
  if (!keepExisting || !existsSync(file))
    writeWhole(file, join(workshop, name), draw(code, format, scale));
  return verify ? readBack(file, code) : undefined;
}

function draw(code: string, format: ImageFormat, scale: number): Buffer | string {
  if (format !== 'txt') return renderQr(code, { scale, format });
  // The code follows for people who cannot scan a screen.
  return `${renderQr(code, { format: 'text' })}\n${code}\n`;
}

/** The file has its name when it is complete. It is not forced to the disk: it can be drawn again, codes cannot. */
function writeWhole(file: string, growing: string, content: Buffer | string): void {
  forFile(file, () => {
    writeFileSync(growing, content, { mode: OWNER_ONLY });
    renameSync(growing, file);
  });
}
