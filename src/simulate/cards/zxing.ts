import { readPackageFile } from '../../kit/program-files.ts';
import type { Picture } from './picture.ts';

const PACKAGED = 'zxing-wasm/reader/zxing_reader.wasm';

let reader: ReturnType<typeof load> | undefined;

/** The text of the first QR code in the picture, or undefined when there is none. */
export async function readWithZxing(picture: Picture): Promise<string | undefined> {
  reader ??= load();
  const { readBarcodes } = await reader;
  const pixels = { ...picture, colorSpace: 'srgb' as const };
  const results = await readBarcodes(pixels, { formats: ['QRCode'], tryHarder: true });
  return results.find(({ isValid }) => isValid)?.text;
}

/** The package would fetch its WebAssembly from the network; it gets it from beside the program or its own folder. */
async function load() {
  const zxing = await import('zxing-wasm/reader');
  const wasm = readPackageFile(PACKAGED);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  await zxing.prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  return zxing;
}
