const UTF16_MARKS = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** UTF-16, by the mark at the beginning of a text; undefined for anything else. */
export function utf16MarkOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  return UTF16_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
}
