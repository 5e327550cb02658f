import { brotliDecompressSync } from 'node:zlib';

/** Stands in for `brotli/decompress.js`, which brings a megabyte of tables. */
// biome-ignore lint/style/noDefaultExport: the package has one.
export default function decompress(compressed: Uint8Array): Uint8Array {
  return brotliDecompressSync(compressed);
}
