/** Makes a manipulated code of a genuine one; undefined where this change is not possible for that code. */
export interface Tampering {
  readonly name: string;
  /** What is done to the code, as the end of a sentence that begins with "A code ". */
  readonly what: string;
  /** @param other another genuine code of the same target */
  spoil(code: string, other: string): string | undefined;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The commonest forgery: a code that is right but for the end of its signature. */
export function withOtherLastSignatureLetter(code: string): string {
  return `${code.slice(0, -1)}${otherLetter(code.at(-1) ?? '')}`;
}

/** Every manipulation that a service must notice (section 2.2). */
export const TAMPERINGS: readonly Tampering[] = [
  {
    name: 'signature-first-letter',
    what: 'whose signature begins with another letter',
    spoil: (code) => inSegment(code, -1, (text) => otherLetter(text[0] ?? '') + text.slice(1)),
  },
  {
    name: 'signature-middle-letter',
    what: 'whose signature differs in the middle',
    spoil: (code) =>
      inSegment(code, -1, (text) => {
        const middle = Math.floor(text.length / 2);
        return text.slice(0, middle) + otherLetter(text[middle] ?? '') + text.slice(middle + 1);
      }),
  },
  {
    name: 'signature-last-letter',
    what: 'whose signature ends with another letter',
    spoil: withOtherLastSignatureLetter,
  },
  {
    name: 'signature-alias',
    what: 'whose signature is another spelling of the same bytes',
    spoil: (code) => inSegment(code, -1, aliasOf),
  },
  {
    name: 'signature-letter-case',
    what: 'whose signature has its letters in the other case',
    spoil: (code) => inSegment(code, -1, swapCase),
  },
  {
    name: 'signature-cut',
    what: 'whose signature lacks its last letter',
    spoil: (code) => code.slice(0, -1),
  },
  {
    name: 'signature-half',
    what: 'that has only the first half of its signature',
    spoil: (code) => inSegment(code, -1, (text) => text.slice(0, Math.floor(text.length / 2))),
  },
  {
    name: 'signature-longer',
    what: 'with letters after its signature',
    spoil: (code) => `${code}AAAA`,
  },
  {
    name: 'signature-empty',
    what: 'whose signature is empty',
    spoil: (code) => inSegment(code, -1, () => ''),
  },
  {
    name: 'signature-missing',
    what: 'without its last segment',
    spoil: (code) => segmentsOf(code)?.slice(0, -1).join('.'),
  },
  {
    name: 'signature-of-another-ticket',
    what: 'with the signature of another ticket',
    spoil: (code, other) => inSegment(code, -1, () => segmentsOf(other)?.at(-1)),
  },
  {
    name: 'identifier-of-another-ticket',
    what: 'with the identifier of another ticket',
    spoil: (code, other) => inSegment(code, 1, () => segmentsOf(other)?.[1]),
  },
  {
    name: 'identifier-first-letter',
    what: 'whose identifier begins with another letter',
    spoil: (code) => inSegment(code, 1, (text) => otherLetter(text[0] ?? '') + text.slice(1)),
  },
  {
    name: 'identifier-last-letter',
    what: 'whose identifier ends with another letter',
    spoil: (code) =>
      inSegment(code, 1, (text) => text.slice(0, -1) + otherLetter(text.at(-1) ?? '')),
  },
  {
    name: 'identifier-letter-case',
    what: 'whose identifier has its letters in the other case',
    spoil: (code) => inSegment(code, 1, swapCase),
  },
  {
    name: 'identifier-longer',
    what: 'with one more letter in its identifier',
    spoil: (code) => inSegment(code, 1, (text) => `${text}a`),
  },
  {
    name: 'identifier-cut',
    what: 'whose identifier lacks its last letter',
    spoil: (code) => inSegment(code, 1, (text) => text.slice(0, -1)),
  },
  {
    name: 'identifier-letters-swapped',
    what: 'with two letters of its identifier swapped',
    spoil: (code) => inSegment(code, 1, withTwoSwapped),
  },
  {
    name: 'signature-letters-swapped',
    what: 'with two letters of its signature swapped',
    spoil: (code) => inSegment(code, -1, withTwoSwapped),
  },
  {
    name: 'prefix-changed',
    what: 'with another format prefix',
    spoil: (code) => inSegment(code, 0, (text) => `${text}9`),
  },
  {
    name: 'prefix-missing',
    what: 'without its first segment',
    spoil: (code) => segmentsOf(code)?.slice(1).join('.'),
  },
  {
    name: 'extra-segment',
    what: 'with one more segment',
    spoil: (code) => `${code}.AAAA`,
  },
  {
    name: 'identifier-alone',
    what: 'of which only the ticket identifier is left',
    spoil: (code) => segmentsOf(code)?.[1],
  },
];

/** The segments of a code, in their order. */
export const SEGMENTS = ['prefix', 'identifier', 'signature'] as const;
export type Segment = (typeof SEGMENTS)[number];

/**
 * One code for each letter of a segment, in which that letter alone is another one. Each new letter is one that genuine
 * codes can have there, so that only the signature shows the change; empty for a code without that segment.
 * @param other another genuine code of the same target
 */
export function oneLetterOff(code: string, segment: Segment, other: string): string[] {
  const index = SEGMENTS.indexOf(segment);
  const letters = [...(segmentsOf(code)?.[index] ?? '')];
  const others = segmentsOf(other)?.[index] ?? '';
  const neighbour = segment === 'signature' ? otherLetter : likeLetter;
  return letters.flatMap((letter, at) => {
    // the last letter of a signature has spare bits: another one may be the same signature
    const isFree = segment !== 'signature' || at < letters.length - 1;
    const there = isFree ? others[at] : undefined;
    const changed = there === undefined || there === letter ? neighbour(letter) : there;
    return inSegment(code, index, () => letters.with(at, changed).join('')) ?? [];
  });
}

/** What decoders of Base64, of hexadecimal digits or of text skip. */
const SKIPPED = [' ', '\n', '\t', '\0', '=', '-', '_', '!', '~', 'ä', '\u200b'] as const;

/** A code with one character too many, or with another spelling of one, inside a segment. */
interface Lengthened {
  readonly segment: Segment;
  readonly code: string;
  readonly what: string;
}

/**
 * One code for each character and segment, with that character inside the segment; at the ends of a code a reader may have added it.
 * @param turn another number puts the characters in other places
 */
export function withSkippedCharacters(code: string, turn: number): Lengthened[] {
  const found = SEGMENTS.flatMap((segment, index) =>
    SKIPPED.flatMap((character, number): Lengthened[] => {
      const text = segmentsOf(code)?.[index] ?? '';
      if (text.length < 2) return [];
      const places = [1, Math.floor(text.length / 2), text.length - 1];
      const at = places[(turn + number) % places.length] ?? 1;
      const longer = text.slice(0, at) + character + text.slice(at);
      const what = `${JSON.stringify(character)} after character ${at} of the ${segment}`;
      return [{ segment, what, code: inSegment(code, index, () => longer) ?? '' }];
    }),
  );
  const other = inSegment(code, -1, (text) => text.replaceAll('-', '+').replaceAll('_', '/'));
  const isSpelled = { segment: 'signature', what: '+ and / in the signature for - and _' } as const;
  return other === undefined ? found : [...found, { ...isSpelled, code: other }];
}

function segmentsOf(code: string): string[] | undefined {
  const segments = code.split('.');
  return segments.length === 3 ? segments : undefined;
}

function inSegment(
  code: string,
  index: number,
  change: (text: string) => string | undefined,
): string | undefined {
  const segments = segmentsOf(code);
  const old = segments?.at(index);
  if (!segments || !old) return undefined;
  const changed = change(old);
  if (changed === undefined || changed === old) return undefined;
  return segments.with(index, changed).join('.');
}

/** Differs in its highest bits, so that it never decodes to the same bytes. A hexadecimal digit stays one. */
function otherLetter(letter: string): string {
  const at = BASE64URL.indexOf(letter);
  if (/[0-9]/.test(letter)) return 'a';
  if (/[a-f]/.test(letter)) return '0';
  return at < 0 ? 'A' : (BASE64URL[(at + 32) % 64] ?? 'A');
}

/** Another letter of the same kind: a digit for a digit, a capital for a capital. */
function likeLetter(letter: string): string {
  const kind = ['0123456789', 'abcdef', 'ABCDEF', 'ghijklmnopqrstuvwxyz', 'GHIJKLMNOPQRSTUVWXYZ'];
  const same = kind.find((letters) => letters.includes(letter));
  return same?.[(same.indexOf(letter) + 1) % same.length] ?? otherLetter(letter);
}

/** Two neighbouring letters that differ change places, as near to the middle as there are some. */
function withTwoSwapped(text: string): string | undefined {
  const pairs = Array.from({ length: text.length - 1 }, (_, at) => at)
    .filter((at) => text[at] !== text[at + 1])
    .toSorted((a, b) => Math.abs(a - text.length / 2) - Math.abs(b - text.length / 2));
  const at = pairs[0];
  return at === undefined
    ? undefined
    : `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
}

/** The same bytes with other spare bits at the end; undefined when the length leaves no spare bits. */
function aliasOf(text: string): string | undefined {
  const at = BASE64URL.indexOf(text.at(-1) ?? '');
  const spareBits = { 2: 4, 3: 2 }[text.length % 4];
  if (at < 0 || spareBits === undefined || !/^[\w-]+$/.test(text)) return undefined;
  const alias = text.slice(0, -1) + (BASE64URL[at ^ 1] ?? '');
  const sameBytes = Buffer.from(alias, 'base64url').equals(Buffer.from(text, 'base64url'));
  return sameBytes ? alias : undefined;
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
