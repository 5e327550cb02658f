import { KEYBOARD_LAYOUTS, replacedLetters } from './keyboard-layouts.ts';

/** What a reader, its keyboard or the computer behind it does to the text of a code. */
export type ReaderChange =
  | 'base64'
  | 'hex'
  | 'entities'
  | 'bounce'
  | 'signs'
  | 'percent'
  | 'blanks'
  | 'layout'
  | 'case'
  | 'symbology'
  | 'url'
  | 'twice'
  | 'several'
  | 'prefix'
  | 'suffix';

/** A text as it may have been before a reader changed it. */
export interface Reading {
  readonly text: string;
  readonly changes: readonly ReaderChange[];
}

/** Letters that no layout changes are still there. */
function typedOn(text: string, meant: ReadonlyMap<string, string>): string {
  return [...text].map((letter) => meant.get(letter) ?? letter).join('');
}

function withCaseSwapped(text: string): string {
  return [...text]
    .map((sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()))
    .join('');
}

const BASE64 = /^[A-Za-z0-9+/_-]{8,}={0,2}$/;
/** A longer text holds no code that a reader has read. */
const CHARACTERS_MAX = 1000;

/** A text, and what it may have been before a reader changed it: one change of each kind at most, the text itself first. */
export function* readingsOf(given: string): Generator<Reading> {
  const text = given.slice(0, CHARACTERS_MAX);
  for (const decoded of decodedTexts(text)) {
    for (const plain of [...withoutBlanks(decoded), ...withOwnSigns(decoded)]) {
      for (const typed of typedTexts(plain)) {
        yield typed;
        // What each code has in small letters.
        if (typed.text.includes('TKT'))
          yield { text: withCaseSwapped(typed.text), changes: [...typed.changes, 'case'] };
      }
    }
  }
}

function* decodedTexts(text: string): Generator<Reading> {
  yield { text, changes: [] };
  const trimmed = text.trim();
  if (BASE64.test(trimmed)) {
    const once = Buffer.from(trimmed, 'base64').toString('utf8');
    yield { text: once, changes: ['base64'] };
    if (BASE64.test(once))
      yield { text: Buffer.from(once, 'base64').toString('utf8'), changes: ['base64'] };
  }
  if (HEX.test(trimmed))
    yield { text: Buffer.from(trimmed, 'hex').toString('utf8'), changes: ['hex'] };
  if (text.includes('%')) yield { text: percentDecoded(text), changes: ['percent'] };
  if (ENTITY.test(text)) yield { text: withoutEntities(text), changes: ['entities'] };
  if (DOUBLED.test(trimmed)) yield { text: trimmed.replace(/(.)\1/gsu, '$1'), changes: ['bounce'] };
  if (text.includes('://')) yield* inAddress(text);
}

const HEX = /^(?:[0-9a-f]{2}){16,}$/iu;
const ENTITY = /&(?:#\d{1,4}|#x[0-9a-f]{1,4}|amp|lowbar|period);/iu;
const NAMED = new Map([
  ['amp', '&'],
  ['lowbar', '_'],
  ['period', '.'],
]);
/** Each letter stands there twice, as where keys bounce. */
const DOUBLED = /^(?:(.)\1){16,}$/su;

function percentDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/giu, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Letters as HTML writes them, such as `&#46;` for a point. */
function withoutEntities(text: string): string {
  return text
    .replace(/&#(\d{1,4});/gu, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&#x([0-9a-f]{1,4});/giu, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    )
    .replace(/&(amp|lowbar|period);/gu, (_, name: string) => NAMED.get(name) ?? '');
}

/** The parts of an address that may be a code in Base64. */
function* inAddress(text: string): Generator<Reading> {
  for (const [part] of percentDecoded(text).matchAll(/[A-Za-z0-9+_-]{40,}={0,2}/gu))
    yield { text: Buffer.from(part, 'base64').toString('utf8'), changes: ['url', 'base64'] };
}

const LOOK_ALIKE = {
  these: 'АВЕКМНОРСТУХаеоросухѕіјԁһкмтпΑΒΕΖΗΙΚΜΝΟΡΤΥΧο',
  those: 'ABEKMHOPCTYXaeopocyxsijdhkmtnABEZHIKMNOPTYXo',
} as const;
const LETTERS = replacedLetters(LOOK_ALIKE.these, LOOK_ALIKE.those);

/** Letters of other scripts that look alike, other dashes, and a blank where a code has its low line. */
function* withOwnSigns({ text, changes }: Reading): Generator<Reading> {
  const plain = typedOn(text, LETTERS)
    .replace(/\p{Pd}/gu, '-')
    .replace(/(?<=[\w.-]) {1,3}(?=[\w-])/gu, (blanks) => '_'.repeat(blanks.length));
  if (plain !== text) yield { text: plain, changes: [...changes, 'signs'] };
}

/** Blanks, controls and characters that nobody sees, and letters in another width. */
function* withoutBlanks({ text, changes }: Reading): Generator<Reading> {
  yield { text, changes };
  const plain = text.normalize('NFKC').replace(/[\p{Z}\p{C}]/gu, '');
  if (plain !== text) yield { text: plain, changes: [...changes, 'blanks'] };
}

function* typedTexts({ text, changes }: Reading): Generator<Reading> {
  yield { text, changes };
  const small = text.toLowerCase();
  for (const { meant, sign } of KEYBOARD_LAYOUTS) {
    if (!small.includes(sign)) continue;
    const typed = typedOn(text, meant);
    if (typed !== text) yield { text: typed, changes: [...changes, 'layout'] };
  }
}

const SYMBOLOGY = /^\s*\][A-Za-z][0-9A-Za-z]$/;

/** How each code of a ticket begins. */
const BEGINNING = /TS[12]\.tkt_/;

/** What stands around a code in a text. */
export function changesAround(text: string, code: string): ReaderChange[] {
  if (BEGINNING.test(text.replaceAll(code, ''))) return ['several'];
  const at = text.indexOf(code);
  const [before, after] = [text.slice(0, at), text.slice(at + code.length)];
  if (after.includes(code)) return ['twice'];
  if (/:\/\/|%3a%2f%2f/iu.test(before)) return ['url'];
  return [...changesBefore(before), ...(after === '' ? [] : ['suffix' as const])];
}

function changesBefore(before: string): ReaderChange[] {
  if (before === '') return [];
  if (SYMBOLOGY.test(before)) return ['symbology'];
  return ['prefix'];
}
