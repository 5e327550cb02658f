/** An encoding that hides one text in another. */
interface Disguise {
  /** Finds pieces that may be encoded this way. */
  readonly pieces: RegExp;
  decode(piece: string): string;
  /** @param piece the one it replaces, whose dialect is kept */
  encode(content: string, piece: string): string;
}

const BASE64: Disguise = {
  pieces: /[A-Za-z0-9+/_-]{8,}={0,2}/g,
  decode: (piece) => Buffer.from(piece, 'base64').toString('latin1'),
  encode(content, piece) {
    const standard = Buffer.from(content, 'latin1').toString('base64');
    const unpadded = !piece.endsWith('=') && (piece.length % 4 !== 0 || /[-_]/.test(piece));
    const text = unpadded ? standard.replace(/={1,2}$/, '') : standard;
    return /[-_]/.test(piece) ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
  },
};

const HEX: Disguise = {
  pieces: /(?:[0-9a-f]{2}){6,}|(?:[0-9A-F]{2}){6,}/g,
  decode: (piece) => Buffer.from(piece, 'hex').toString('latin1'),
  encode(content, piece) {
    const text = Buffer.from(content, 'latin1').toString('hex');
    return /[A-F]/.test(piece) ? text.toUpperCase() : text;
  },
};

/** One text to be put in the place of another. Latin-1: a character is a byte. */
export interface Substitution {
  readonly from: string;
  readonly to: string;
}

/**
 * Replaces texts everywhere: plain, percent-encoded, escaped for JSON, in any Base64 alphabet or in
 * hex. The replacement has the same encoding, so that the opposite call restores the original text.
 * @param onFound is called for each replaced text
 */
export function substitute(
  text: string,
  substitutions: readonly Substitution[],
  onFound: (one: Substitution) => void = () => undefined,
): string {
  if (substitutions.length === 0) return text;
  const plain = replacerOf(substitutions, onFound);
  return [BASE64, HEX].reduce(
    (before, { pieces, decode, encode }) =>
      before.replace(pieces, (piece) => {
        const content = decode(piece);
        const changed = plain(content);
        return changed === content ? piece : encode(changed, piece);
      }),
    plain(text),
  );
}

/** Shorter texts are replaced only as whole words: they could be part of any text. */
const ALONE_BELOW_CHARACTERS = 6;
const SHORTEST_CHARACTERS = 3;

function replacerOf(
  substitutions: readonly Substitution[],
  onFound: (one: Substitution) => void,
): (text: string) => string {
  const known = new Map<string, readonly [spelled: string, of: Substitution]>();
  for (const substitution of substitutions) {
    for (const [from, spelled] of spellings(substitution)) {
      if (!known.has(from)) known.set(from, [spelled, substitution]);
    }
  }
  const patterns = [...known.keys()].sort((one, other) => other.length - one.length).map(patternOf);
  const any = new RegExp(patterns.join('|'), 'g');
  return (text) =>
    text.replace(any, (found) => {
      const [spelled, of] = known.get(found) ?? [found];
      if (of) onFound(of);
      return spelled;
    });
}

function patternOf(text: string): string {
  const literal = text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  if (text.length < SHORTEST_CHARACTERS) return '(?!)';
  return text.length < ALONE_BELOW_CHARACTERS
    ? `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`
    : literal;
}

function spellings({ from, to }: Substitution): [string, string][] {
  return [asItIs, percentEncoded, formEncoded, jsonEscaped].map((spell) => [
    spell(from),
    spell(to),
  ]);
}

const asItIs = (text: string) => text;
const jsonEscaped = (text: string) => JSON.stringify(text).slice(1, -1);
const formEncoded = (text: string) => percentEncoded(text).replaceAll('%20', '+');

/** Encodes a text like `encodeURIComponent`, but takes each character for a byte. */
export function percentEncoded(text: string): string {
  return text.replace(
    /[^A-Za-z0-9_.!~*'()-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
