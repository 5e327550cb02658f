import { boundedWasm } from '../bounded-wasm.ts';
import { PIXELS_MAX, PictureLimit } from './limits.ts';
import type { Picture } from './picture.ts';

/** The file of the package, beside the program or in its own folder. */
export const WEBP_WASM = '@jsquash/webp/codec/dec/webp_dec.wasm';

let decoder: ReturnType<typeof loadDecoder> | undefined;

/**
 * Reads a WebP: what browsers and Android save.
 * @throws Error for a damaged or animated image, PictureLimit for one that is too large
 */
export async function readWebp(bytes: Buffer<ArrayBuffer>): Promise<Picture> {
  const { width, height, isAnimated } = headOf(bytes);
  if (isAnimated) throw new Error('it is animated; save one picture of it as PNG');
  if (width * height > PIXELS_MAX) {
    throw new PictureLimit(`it has ${width * height} pixels; the limit is ${PIXELS_MAX}`);
  }
  decoder ??= loadDecoder();
  const decode = await decoder;
  const { data } = await decode(Uint8Array.from(bytes).buffer);
  return { width, height, data: Uint8ClampedArray.from(data) };
}

async function loadDecoder() {
  const { default: decode, init } = await import('@jsquash/webp/decode.js');
  // The package would fetch its WebAssembly from the network.
  await init({ wasmBinary: boundedWasm(WEBP_WASM) } as Parameters<typeof init>[0]);
  return decode as (bytes: ArrayBuffer) => Promise<{ readonly data: Uint8ClampedArray }>;
}

const CHUNK_AT = 12;
const DATA_AT = 20;
const HEADER_BYTES = 30;
const ANIMATED = 0b10;
/** Sides of 14 bits in the two simple formats. */
const SIDE = 0x3fff;
const START_OF_FRAME = 3;

/** The size that a file claims, https://developers.google.com/speed/webp/docs/riff_container */
function headOf(bytes: Buffer) {
  if (bytes.length < HEADER_BYTES) throw new Error('it ends within its header');
  switch (bytes.toString('latin1', CHUNK_AT, CHUNK_AT + 4)) {
    case 'VP8 ': {
      const at = DATA_AT + 2 * START_OF_FRAME;
      const [width, height] = [bytes.readUInt16LE(at) & SIDE, bytes.readUInt16LE(at + 2) & SIDE];
      return { width, height, isAnimated: false };
    }
    case 'VP8L': {
      const sides = bytes.readUInt32LE(DATA_AT + 1);
      return { width: (sides & SIDE) + 1, height: ((sides >>> 14) & SIDE) + 1, isAnimated: false };
    }
    case 'VP8X': {
      const isAnimated = ((bytes[DATA_AT] ?? 0) & ANIMATED) !== 0;
      const [width, height] = [bytes.readUIntLE(DATA_AT + 4, 3), bytes.readUIntLE(DATA_AT + 7, 3)];
      return { width: width + 1, height: height + 1, isAnimated };
    }
    default:
      throw new Error('its first part is of no known kind');
  }
}
