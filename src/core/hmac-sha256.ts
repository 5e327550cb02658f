import { hash, type KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** The two blocks that HMAC puts in front of what it hashes, each with room for that behind it. */
interface Blocks {
  inner: Buffer;
  readonly outer: Buffer;
}

/** A signature is asked for at every scan; its key changes with a rotation only. */
const blocksOf = new WeakMap<KeyObject, Blocks>();
const digest = Buffer.alloc(DIGEST_BYTES);

/**
 * The first `bytes` bytes of HMAC-SHA256 (RFC 2104) over the ASCII text `message`, as base64url without padding.
 *
 * Two plain hashes cost a third of an Hmac object of node:crypto, which must be made and collected for every code. With
 * `createHmac` and `timingSafeEqual` a whole scan took 1.13 times the processor time of the same base, without them 1.00, where two
 * servers of one build differ by 1.06 to 1.08 (`node bench/two-builds.ts OTHER-CHECKOUT 5 3`). Latin-1 is a byte for each letter, and
 * the cheapest way to get bytes without a new buffer.
 */
export function hmacSha256(key: KeyObject, message: string, bytes: number): string {
  const blocks = blocksOf.get(key) ?? prepare(key);
  const length = BLOCK_BYTES + message.length;
  if (blocks.inner.length < length) blocks.inner = Buffer.concat([blocks.inner], length * 2);
  blocks.inner.write(message, BLOCK_BYTES, 'latin1');
  const inner = hash('sha256', blocks.inner.subarray(0, length), 'latin1');
  blocks.outer.write(inner, BLOCK_BYTES, 'latin1');
  digest.write(hash('sha256', blocks.outer, 'latin1'), 'latin1');
  return digest.toString('base64url', 0, bytes);
}

function prepare(key: KeyObject): Blocks {
  const exported = key.export();
  const secret = exported.length > BLOCK_BYTES ? hash('sha256', exported, 'buffer') : exported;
  const blocks = {
    inner: Buffer.alloc(2 * BLOCK_BYTES, INNER_PAD),
    outer: Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER_PAD),
  };
  for (const [index, byte] of secret.entries()) {
    blocks.inner[index] = byte ^ INNER_PAD;
    blocks.outer[index] = byte ^ OUTER_PAD;
  }
  blocksOf.set(key, blocks);
  return blocks;
}
