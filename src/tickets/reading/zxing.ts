import type { ReaderOptions } from 'zxing-wasm/reader';
import { readAsset } from '../asset.ts';
import type { Box, Picture } from './picture.ts';

const OPTIONS: ReaderOptions = {
  // Without the small variants: a corner of a QR code can look like a Micro QR code, one corner in some 5,000.
  formats: ['QRCodeModel2'],
  tryHarder: true,
  maxNumberOfSymbols: 255,
};

/** A code and where in the picture it is. */
export interface LocatedCode {
  readonly text: string;
  readonly box: Box;
}

let reader: ReturnType<typeof loadReader> | undefined;

/** Every QR code in the picture, in the order in which one reads a page. */
export async function readWithZxing(picture: Picture): Promise<LocatedCode[]> {
  reader ??= loadReader();
  const { readBarcodes } = await reader;
  const results = await readBarcodes({ ...picture, colorSpace: 'srgb' }, OPTIONS);
  const codes = results
    .filter(({ isValid }) => isValid)
    .map(({ text, position }) => ({ text, box: boxAround(Object.values(position)) }));
  return inReadingOrder(codes);
}

/** The package would fetch its WebAssembly from the network; it gets it from the disk. */
async function loadReader() {
  const [zxing, wasm] = await Promise.all([import('zxing-wasm/reader'), readAsset('zxing')]);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  await zxing.prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  return zxing;
}

function boxAround(corners: readonly { x: number; y: number }[]): Box {
  const x = corners.map((corner) => corner.x);
  const y = corners.map((corner) => corner.y);
  return {
    left: Math.min(...x),
    top: Math.min(...y),
    right: Math.max(...x),
    bottom: Math.max(...y),
  };
}

/** Row by row from the top, each from the left; a code belongs to a row whose first code reaches its middle. */
function inReadingOrder(codes: readonly LocatedCode[]): LocatedCode[] {
  const rows: LocatedCode[][] = [];
  for (const code of codes.toSorted((a, b) => a.box.top - b.box.top)) {
    const row = rows.at(-1);
    const middle = (code.box.top + code.box.bottom) / 2;
    if (row?.[0] && middle < row[0].box.bottom) row.push(code);
    else rows.push([code]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.box.left - b.box.left));
}
