import { stripVTControlCharacters } from 'node:util';
import { withoutKeys, withoutPasswords, withoutSecrets } from './secrets.ts';

/** A number and its noun, which agree: `counted(1, 'scan')` is `1 scan`, `counted(2, 'try', 'tries')` is `2 tries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Says how often something happened: "once", "3 times". */
export function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

const SHORTENED_CHARACTERS = 40;

/** A value for a message: what is longer than a part of a line is cut. */
export function shortened(text: string): string {
  return text.length > SHORTENED_CHARACTERS ? `${text.slice(0, SHORTENED_CHARACTERS)}…` : text;
}

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

/** The part of what a device says of itself that the log and the list of devices keep; no secret that was set up in its place. */
export function keptDeviceText(text: string): string {
  return withoutSecrets(text.slice(0, DEVICE_TEXT_CHARACTERS_MAX).toWellFormed());
}

/** Takes off one line end: readers put one behind a code. */
export function withoutLineEnd(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2);
  return text.endsWith('\n') || text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** Line breaks of every kind, and terminal control characters. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
/** Marks of direction (needed inside some names), overrides, embeddings and isolates: none may change the text direction around a name. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** The controls, and of the directions those that no name needs. */
const NOT_IN_NAMES = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** What JSON leaves as it is: it escapes the controls of ASCII but one. */
const CONTROLS_OF_JSON =
  /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * One line that cannot control a terminal or change the text direction: without escape sequences and
 * directions; every other control character and line break is a blank.
 */
export function sanitizeForTerminal(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, ' ').replace(DIRECTIONS, '');
}

/** JSON with what controls a terminal or the text direction written as escapes, which its readers take back. */
export function withEscapedControls(json: string): string {
  return json.replace(
    CONTROLS_OF_JSON,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A message that may repeat user input: each line sanitized for terminals, without keys and the passwords of addresses. */
export function sanitizedMessage(text: string): string {
  return withoutPasswords(withoutKeys(text.split('\n').map(sanitizeForTerminal).join('\n')));
}

/**
 * True when a name contains control characters, line separators, direction overrides or isolates.
 * Joiners and direction marks are allowed: Persian, Hindi and mixed names need them.
 */
export function hasForbiddenCharacters(name: string): boolean {
  return NOT_IN_NAMES.test(name);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for XML and HTML, between tags and inside attributes, and takes out what XML 1.0 cannot hold. */
export function escapeMarkup(text: string): string {
  return stripControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Control characters but tab and line breaks, line separators, directions and non-characters. */
const DANGEROUS = /(?![\t\n\r])[\p{Cc}\ufffe\uffff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces control characters, lone surrogates and non-characters by U+FFFD: a terminal or a parser might obey them. */
export function stripControls(text: string): string {
  return text.toWellFormed().replace(DANGEROUS, '\ufffd');
}

/** @returns the same text, with a capital first letter */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
