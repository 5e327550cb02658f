import { TicketscanError } from '../core/errors.ts';

/** Blanks, line ends, byte-order marks and other characters that nobody sees, at either end. */
const ENDS = /^[\s\p{Cc}\p{Cf}]+|(?<![\s\p{Cc}\p{Cf}])[\s\p{Cc}\p{Cf}]+$/gu;
/** Characters inside a value that nobody typed: control characters, and those that an editor hides. */
const UNSEEN = /[\p{Cc}\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\ufeff]/u;
const QUOTED = /^(["'])(?=.).*\1$|^[\u201c\u201e\u201d].*[\u201c\u201d]$/su;

/**
 * A value as a person meant it: without what came along at its ends. Every option, variable, file and setting is read with it.
 * @param from where the value stands, such as `--key` or `The environment variable KEY`; messages never show the value
 * @throws TicketscanError `usage` for quotes around it, and for characters inside it that nobody sees
 */
export function givenValue(text: string, from: string): string {
  const value = text.replace(ENDS, '');
  if (QUOTED.test(value)) {
    throw new TicketscanError(
      'usage',
      `${from} has quotes around its value, and they count. Remove them: only a shell takes them off.`,
    );
  }
  const [unseen] = UNSEEN.exec(value) ?? [];
  if (unseen === undefined) return value;
  throw new TicketscanError('usage', `${from} has ${nameOf(unseen)} inside its value. Remove it.`);
}

/** What a copy of a key brings along, with what is said of it. The first that fits is told. */
const ACCIDENTS: readonly (readonly [accident: RegExp, what: string])[] = [
  [/^bearer\s/i, 'begins with "Bearer"'],
  [/^[\w-]+:\s/, 'begins with the name of a header or setting and ":"'],
  [/^(?:export|set|setx)\s/i, 'is a whole line of a shell, with the name of a variable'],
  [/^\$?[a-z_]\w*=[^=].{3}/i, 'begins with the name of a variable and "="'],
  [/\s(?:#|\/\/)/, 'has a remark behind the key'],
  [/[;,]$/, 'ends with ";" or ","'],
  [/\\[nrt]$/, 'ends with a backslash and a letter, as a line end is written'],
  [/^<.*>$|^\[.*\]$|^\{.*\}$|^\(.*\)$|^`.*`$/, 'has brackets or backticks around the key'],
  [/^(.{8,})\1$/, 'has the key twice'],
  [/\s/, 'has a blank inside'],
];

/**
 * A key or token as a person meant it, read like `givenValue`. What a copy brought along is named: a service would only say that it
 * does not know the key.
 * @param from where the value stands; messages never show the value
 * @throws TicketscanError `usage`
 */
export function givenKey(text: string, from: string): string {
  const value = givenValue(text, from);
  const found = ACCIDENTS.find(([accident]) => accident.test(value));
  if (found === undefined) return value;
  const message = `${from} ${found[1]}. Give the key alone.`;
  throw new TicketscanError('usage', message);
}

function nameOf(unseen: string): string {
  if (unseen === '\n' || unseen === '\r') return 'a line end';
  const code = (unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `a character that nobody sees (U+${code})`;
}

/** The value of an environment variable, read like `givenValue`; undefined where it is not set, or empty. */
export function givenVariable(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  const text = environment[name];
  return text === undefined
    ? undefined
    : givenValue(text, `The environment variable ${name}`) || undefined;
}
