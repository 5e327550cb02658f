import { stripVTControlCharacters } from 'node:util';

/** Line breaks of every kind, and terminal control characters. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
/** Marks of direction (needed inside some names), overrides, embeddings and isolates: none may change the text direction around a name. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** The controls, and of the directions those that no name needs. */
const NOT_IN_NAMES = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** A key or token, also one that was cut or mistyped. */
const KEY =
  /(tscn_(?:api|hw|pat)_)[0-9A-Za-z]+|(whsec_)[0-9A-Za-z+/=]+|(AGE-SECRET-KEY-)[0-9A-Za-z-]+/gi;
const KEY_STARTS = /tscn_|whsec_|AGE-SECRET-KEY-/i;
/** What follows the identifier in the code of a ticket; and such a code as controllers send it, in Base64. */
const CODE = /(tkt_[a-z0-9]+_[a-z0-9]+\.)[\w-]+|(VFM[xy]LnRrdF[89])[\w+/=-]+/g;

/**
 * One line that cannot control a terminal or change the text direction: without escape sequences and
 * directions; every other control character and line break is a blank.
 */
export function sanitizeForTerminal(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, ' ').replace(DIRECTIONS, '');
}

/** The text with the random part of every key, token, webhook secret or age identity replaced by `…`: secrets are never printed again. */
export function withoutKeys(text: string): string {
  // Asked for each scan of a device.
  return KEY_STARTS.test(text) ? text.replace(KEY, '$1$2$3…') : text;
}

/** As `withoutKeys`, and without the signatures of ticket codes: for what others sent, and others read. The identifier of a ticket stays. */
export function withoutSecrets(text: string): string {
  const isCode = text.includes('tkt_') || text.includes('LnRrdF');
  return withoutKeys(isCode ? text.replace(CODE, '$1$2…') : text);
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
