import { readPackageFile } from './program-files.ts';

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const PAGE_BYTES = 64 * 1024;
/** What a decoder may take for one file: enough for a page of a poster, not for a bomb. */
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;

/**
 * A WebAssembly module that cannot take more than 512 MiB, whatever a file makes it unpack: past that its own allocation fails.
 * The limit is in the module itself; no option of its loader sets one.
 * @param path of the file, with its package in front
 */
export function boundedWasm(path: string): Buffer<ArrayBuffer> {
  const wasm = readPackageFile(path);
  for (let at = HEADER_BYTES; at < wasm.length; ) {
    const { value: length, next: start } = unsigned(wasm, at + 1);
    if (wasm[at] === MEMORY_SECTION) return withMaximum(wasm, at, start, start + length);
    at = start + length;
  }
  throw new Error(`${path} has no memory of its own to limit`);
}

/** One memory: a count, whether it has a maximum, its least pages, its most pages. */
function withMaximum(
  wasm: Buffer<ArrayBuffer>,
  sectionAt: number,
  start: number,
  end: number,
): Buffer<ArrayBuffer> {
  const { value: pagesMin } = unsigned(wasm, start + 2);
  const limits = [1, 1, ...encoded(pagesMin), ...encoded(MEMORY_BYTES_MAX / PAGE_BYTES)];
  const section = Buffer.from([MEMORY_SECTION, ...encoded(limits.length), ...limits]);
  return Buffer.concat([wasm.subarray(0, sectionAt), section, wasm.subarray(end)]);
}

/** LEB128, as all numbers of a module are. */
function unsigned(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  for (let next = at, factor = 1; ; next += 1, factor *= 128) {
    const byte = bytes[next] ?? 0;
    value += (byte % 128) * factor;
    if (byte < 128) return { value, next: next + 1 };
  }
}

function encoded(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...encoded(Math.floor(value / 128))];
}
