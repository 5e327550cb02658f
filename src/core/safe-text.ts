import { stripVTControlCharacters } from 'node:util';

/** Marks of direction: needed inside some names, but never to be obeyed by a terminal or a message around the name. */
const DIRECTION_MARKS = '\\u061c\\u200e\\u200f';
/** Overrides, embeddings and isolates: they turn the text around them, and no name needs them. */
const DIRECTION_CONTROLS = '\\u202a-\\u202e\\u2066-\\u2069';
const LINE_SEPARATORS = '\\u2028\\u2029';

const DIRECTIONS = new RegExp(`[${DIRECTION_MARKS}${DIRECTION_CONTROLS}]`, 'gu');
const CONTROLS = new RegExp(`[\\p{Cc}${LINE_SEPARATORS}]`, 'gu');
const NOT_IN_NAMES = new RegExp(`[\\p{Cc}${LINE_SEPARATORS}${DIRECTION_CONTROLS}]`, 'u');
/** A key or token, also one that was cut or mistyped. */
const KEY = /(tscn_(?:api|hw|pat)_)[0-9A-Za-z]+/g;

/**
 * One line that cannot steer a terminal or turn the text around it, whoever wrote it: without escape sequences and
 * directions; every other control character and line break is a blank.
 */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, ' ').replace(DIRECTIONS, '');
}

/** The text with the random part of every key or token replaced by `…`: secrets are never printed again. */
export function withoutKeys(text: string): string {
  return text.replace(KEY, '$1…');
}

/** A message that may repeat what somebody gave, line by line harmless and without keys. */
export function harmlessMessage(text: string): string {
  return withoutKeys(text.split('\n').map(harmless).join('\n'));
}

/**
 * True when a name holds what no name needs: control characters, line separators, direction overrides and isolates.
 * Joiners and direction marks are allowed: Persian, Hindi and mixed names need them.
 */
export function hasForbiddenCharacters(name: string): boolean {
  return NOT_IN_NAMES.test(name);
}
