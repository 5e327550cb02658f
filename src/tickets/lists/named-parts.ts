import { TicketscanError } from '../../core/errors.ts';

/** A heading or value that an option names. */
export interface NamedPart {
  readonly text: string;
  /** Quotes make one text of what they enclose, as in CSV. */
  readonly isQuoted: boolean;
}

const QUOTED = /^"((?:[^"]|"")*)"$/u;
const QUOTED_NAME = /^\s*("(?:[^"]|"")*")\s*=/u;

/** The texts between commas, with their quotes: `"Status, all"=x,Day` has two. A quote counts where a name or value begins. */
export function betweenCommas(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  let isBeginning = true;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    const end = sign === '"' && isBeginning ? endOfQuoted(text, at) : undefined;
    if (end !== undefined) at = end;
    if (sign === ',') {
      found.push(text.slice(from, at).trim());
      from = at + 1;
    }
    isBeginning = sign === ',' || sign === '=' || (isBeginning && sign.trim() === '');
  }
  return [...found, text.slice(from).trim()];
}

/** Where the quote ends that begins at `at`: behind it a name or value ends too. */
function endOfQuoted(text: string, at: number): number | undefined {
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end >= 0 && /^\s*(?:[,=]|$)/u.test(text.slice(end + 1)) ? end : undefined;
}

/** @throws TicketscanError `usage` for a quote that is not closed, or that something follows */
export function namedPart(piece: string): NamedPart {
  const text = piece.trim();
  const inside = QUOTED.exec(text)?.[1];
  if (inside !== undefined) return { text: inside.replaceAll('""', '"'), isQuoted: true };
  if (!text.startsWith('"')) return { text, isQuoted: false };
  throw new TicketscanError(
    'usage',
    `"${text}" begins with a quote that does not end it. Put quotes around the whole text, and write a quote inside it twice.`,
  );
}

/** The headings or values in a list between commas; none for an empty one. @throws TicketscanError as `namedPart` does */
export function namedParts(text: string): NamedPart[] {
  return betweenCommas(text)
    .map(namedPart)
    .filter((part) => part.text !== '' || part.isQuoted);
}

/** The headings that an option lists. @throws TicketscanError as `namedPart` does */
export function headingList(text: string): string[] {
  return namedParts(text)
    .map((part) => part.text)
    .filter((heading) => heading !== '');
}

/** Splits a text at its first `=` outside quotes. @returns undefined for a text without one @throws TicketscanError as `namedPart` does */
export function namedPair(piece: string): { name: string; rest: string } | undefined {
  const quoted = QUOTED_NAME.exec(piece);
  if (quoted) return { name: namedPart(quoted[1] ?? '').text, rest: piece.slice(quoted[0].length) };
  const at = piece.indexOf('=');
  if (at < 0) return undefined;
  return { name: namedPart(piece.slice(0, at)).text, rest: piece.slice(at + 1) };
}

/** A heading or value as an option takes it: quoted where a part of it would be read as another. */
export function asNamed(text: string): string {
  const isPlain = text !== '' && !/[",=]/u.test(text) && text.trim() === text;
  return isPlain ? text : asQuoted(text);
}

/** A heading or value in quotes, which is never read as several. */
export function asQuoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** A word for a shell that people paste: in the quotes that leave it as it is. */
export function pastable(word: string): string {
  return /["$`\\!]/u.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`;
}
