const FNV_BEGIN = 0xcb_f2_9c_e4_84_22_23_25n;
const FNV_PRIME = 0x1_00_00_00_01_b3n;
const DIGEST_BITS = 64;

/**
 * FNV-1a. A code has more than 100 random bits, so nobody gets back from 64 bits to it. `crypto.subtle` would not do: it is missing on
 * pages over plain HTTP. Should two codes have one digest, the server refuses the name for the second.
 */
export function digestOf(text: string): string {
  let digest = FNV_BEGIN;
  for (const byte of new TextEncoder().encode(text)) {
    digest = BigInt.asUintN(DIGEST_BITS, (digest ^ BigInt(byte)) * FNV_PRIME);
  }
  return digest.toString(36);
}
