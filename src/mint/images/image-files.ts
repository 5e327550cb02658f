import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryName } from '../files/atomic-file.ts';
import { fileFailure } from '../files/file-failure.ts';
import type { QrOptions } from '../qr/look.ts';
import { renderQr } from '../render-qr.ts';
import { readBack } from './read-back.ts';

export const IMAGE_FORMATS = ['png', 'svg', 'txt'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** A few tickets to draw, each into one file per format, named by its id. */
export interface ImageBatch {
  readonly folder: string;
  readonly tickets: readonly { readonly ticketId: string; readonly code: string }[];
  readonly formats: readonly ImageFormat[];
  readonly look: QrOptions;
  /** Leaves files alone that are there: an earlier run completed them. */
  readonly keepExisting: boolean;
  /** Reads every file back from the disk with two decoders. */
  readonly verify: boolean;
}

export interface ImageBatchResult {
  readonly files: number;
  /** Files that did not read back as they should. */
  readonly faults: readonly { readonly file: string; readonly message: string }[];
}

const OWNER_ONLY = 0o600;

/**
 * Writes the images of a batch, one file after the other, so that two files at most are open however many there are.
 * @throws TicketscanError `usage` when a file cannot be written
 */
export async function writeImages(batch: ImageBatch): Promise<ImageBatchResult> {
  const faults: { file: string; message: string }[] = [];
  for (const { ticketId, code } of batch.tickets) {
    for (const format of batch.formats) {
      const file = join(batch.folder, `${ticketId}.${format}`);
      const message = await writeImage(file, code, format, batch);
      if (message !== undefined) faults.push({ file, message });
    }
  }
  return { files: batch.tickets.length * batch.formats.length, faults };
}

/** @returns what is wrong with the file, when it is to be verified */
async function writeImage(
  file: string,
  code: string,
  format: ImageFormat,
  { keepExisting, look, verify }: ImageBatch,
): Promise<string | undefined> {
  if (!keepExisting || !existsSync(file)) writeWhole(file, draw(code, format, look));
  return verify ? readBack(file, code) : undefined;
}

function draw(code: string, format: ImageFormat, look: QrOptions): Buffer | string {
  if (format !== 'txt') return renderQr(code, { ...look, format });
  // The code follows for those who cannot scan a screen.
  return `${renderQr(code, { ...look, format: 'text' })}\n${code}\n`;
}

/** The file has its name when it is complete. It is not forced to the disk: it can be drawn again, codes cannot. */
function writeWhole(file: string, content: Buffer | string): void {
  const temporary = temporaryName(file);
  try {
    writeFileSync(temporary, content, { mode: OWNER_ONLY });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileFailure(file, error);
  }
}
