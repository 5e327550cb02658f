import { boundedWasm } from '../kit/bounded-wasm.ts';
import { WEBP_WASM } from '../kit/pictures/webp.ts';
import { readPackageFile } from '../kit/program-files.ts';

/** Files that packages bring and that are not code; the build copies them into `dist/assets`. */
export const ASSETS = {
  zxing: 'zxing-wasm/reader/zxing_reader.wasm',
  pdfium: '@hyzyla/pdfium/pdfium.wasm',
  webp: WEBP_WASM,
  resvg: '@resvg/resvg-wasm/index_bg.wasm',
  font: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  fontBold: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
} as const;
export type AssetName = keyof typeof ASSETS;

export async function readAsset(name: AssetName): Promise<Buffer<ArrayBuffer>> {
  return readPackageFile(ASSETS[name]);
}

/** The module of a package, which cannot take more than a file may cost. */
export async function readBoundedWasm(name: AssetName): Promise<Buffer<ArrayBuffer>> {
  return boundedWasm(ASSETS[name]);
}
