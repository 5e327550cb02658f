import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import qrcode from 'qrcode';
import type { ImageBatch } from '../src/mint/images/image-files.ts';
import { drawAll } from '../src/mint/images/image-pool.ts';
import { renderQr } from '../src/mint/render-qr.ts';

/**
 * PNG images of 58-character codes a second: ours against `qrcode.toBuffer` with the same look, in turns in one thread;
 * then files in a folder with one thread and with two. Exits 1 when a ratio falls short.
 */
const ROUNDS = 5;
const ROUND_MS = 1500;
const FILES = 12_000;
const RATIO_MIN = 15;
const WORKERS_RATIO_MIN = 1.3;
const LOOK = { errorCorrection: 'M', scale: 4, margin: 4 } as const;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

let serial = 0;

/** Another code of the length and the characters of a TS1 code every time. */
function nextCode(): string {
  serial += 1;
  const digit = (place: number) => ALPHABET[(serial * 7919 + place * place * 31) % 36];
  const text = Array.from({ length: 42 }, (_, place) => digit(place)).join('');
  return `TS1.tkt_abc123_${text.slice(0, 20)}.${text.slice(20)}`;
}

async function perSecond(draw: (code: string) => unknown): Promise<number> {
  const start = performance.now();
  let images = 0;
  while (performance.now() - start < ROUND_MS) {
    await draw(nextCode());
    images += 1;
  }
  return (images * 1000) / (performance.now() - start);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const ours: number[] = [];
const theirs: number[] = [];
const reference = (code: string) =>
  qrcode.toBuffer(code, { errorCorrectionLevel: 'M', scale: LOOK.scale, margin: LOOK.margin });
for (let round = 0; round <= ROUNDS; round += 1) {
  const mine = await perSecond((code) => renderQr(code, { format: 'png', ...LOOK }));
  const other = await perSecond(reference);
  // The first round warms both up.
  if (round > 0) {
    ours.push(mine);
    theirs.push(other);
  }
}

async function filesPerSecond(threads: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
  try {
    const start = performance.now();
    await drawAll(batches(folder), threads, () => undefined);
    return (FILES * 1000) / (performance.now() - start);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function* batches(folder: string): Generator<ImageBatch> {
  for (let start = 0; start < FILES; start += 32) {
    const tickets = Array.from({ length: 32 }, (_, index) => ({
      ticketId: `tkt_${start + index}`,
      code: nextCode(),
    }));
    yield { folder, tickets, formats: ['png'], look: LOOK, keepExisting: false, verify: false };
  }
}

const single: number[] = [];
const double: number[] = [];
for (let round = 0; round < 3; round += 1) {
  single.push(await filesPerSecond(1));
  double.push(await filesPerSecond(2));
}

const ratio = median(ours) / median(theirs);
const workersRatio = median(double) / median(single);
const length = nextCode().length;
console.log(`PNG a second in memory, one thread, ${length} characters:`);
console.log(`  renderQr         ${Math.round(median(ours))}`);
console.log(`  qrcode.toBuffer  ${Math.round(median(theirs))}`);
console.log(`  ratio            ${ratio.toFixed(1)} (wanted: at least ${RATIO_MIN})`);
console.log(`PNG files a second into one folder, thread start included:`);
console.log(`  one worker       ${Math.round(median(single))}`);
console.log(`  two workers      ${Math.round(median(double))}`);
console.log(
  `  ratio            ${workersRatio.toFixed(2)} (wanted: at least ${WORKERS_RATIO_MIN})`,
);
process.exitCode = ratio >= RATIO_MIN && workersRatio >= WORKERS_RATIO_MIN ? 0 : 1;
