import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that packages bring and that are not code; the build copies them into `dist/assets`. */
export const ASSETS = {
  zxing: 'zxing-wasm/reader/zxing_reader.wasm',
  pdfium: '@hyzyla/pdfium/pdfium.wasm',
  resvg: '@resvg/resvg-wasm/index_bg.wasm',
  font: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  fontBold: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
} as const;
export type AssetName = keyof typeof ASSETS;

/** Where an asset lies: beside the built program, or in its package when the source runs as it is. */
function assetPath(name: AssetName): string {
  const packaged = ASSETS[name];
  const built = fileURLToPath(new URL(`assets/${basename(packaged)}`, import.meta.url));
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(packaged);
}

export function readAsset(name: AssetName): Promise<Buffer<ArrayBuffer>> {
  return readFile(assetPath(name));
}
