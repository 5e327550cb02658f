import { withoutSecrets } from './secrets.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Cuts `text` to at most `bytesMax` bytes of UTF-8 without splitting a character.
 *
 * Displays count bytes, not letters: `Ticket gültig` is 13 letters but 14 bytes.
 * Section 2.4 allows 16 bytes for Name and 32 for Note.
 */
export function truncateUtf8(text: string, bytesMax: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** The text of `bytes`, or undefined when they are not UTF-8. A byte-order mark stays, as U+FEFF. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const DEVICE_TEXT_CHARACTERS_MAX = 64;

/** As much of what a device says of itself as the log and the list of devices keep; no secret that was set up in its place. */
export function keptDeviceText(text: string): string {
  return withoutSecrets(text.slice(0, DEVICE_TEXT_CHARACTERS_MAX).toWellFormed());
}

/** Takes off one line end: readers put one behind a code. */
export function withoutLineEnd(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2);
  return text.endsWith('\n') || text.endsWith('\r') ? text.slice(0, -1) : text;
}
