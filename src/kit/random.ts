/** Gives `size` unpredictable bytes; injected, so that core itself stays deterministic. */
export type RandomBytes = (size: number) => Uint8Array;

export const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A random text of `length` characters, each equally likely: bytes that would favour some characters are thrown away. */
export function randomText(alphabet: string, length: number, random: RandomBytes): string {
  const fairBelow = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random(length + 8)) {
      if (byte < fairBelow && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
