import { stripVTControlCharacters } from 'node:util';
import { withoutKeys } from './secrets.ts';

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

/** A message that may repeat user input: each line sanitized for terminals, without keys. */
export function sanitizedMessage(text: string): string {
  return withoutKeys(text.split('\n').map(sanitizeForTerminal).join('\n'));
}

/**
 * True when a name contains control characters, line separators, direction overrides or isolates.
 * Joiners and direction marks are allowed: Persian, Hindi and mixed names need them.
 */
export function hasForbiddenCharacters(name: string): boolean {
  return NOT_IN_NAMES.test(name);
}
