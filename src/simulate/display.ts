const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Section 2.4: the display has room for 16 bytes of Name and 32 bytes of Note. */
export const NAME_BYTES = 16;
export const NOTE_BYTES = 32;

/** What a device shows, as a person reads it. */
export interface Display {
  readonly name: string;
  readonly note: string;
}

export const BLANK: Display = { name: '', note: '' };

/**
 * What remains of `text` on a display with room for `bytes` bytes. The display cuts bytes, not letters:
 * a letter that is cut in two shows as a replacement character, as on the real thing.
 */
export function shown(text: string, bytes: number): string {
  // Most texts are short: three bytes a UTF-16 unit is the longest that UTF-8 needs.
  if (text.length * 3 <= bytes) return text;
  const encoded = encoder.encode(text);
  return encoded.length <= bytes ? text : decoder.decode(encoded.subarray(0, bytes));
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
