import type { FoundKey } from './found-key.ts';

/** A key or token of this program, also one that was cut. */
const OWN_KEY = /tscn_(?:api|hw|pat)_[0-9A-Za-z]{16,}/g;
/** One character of a key in any encoding: plain, percent-encoded, escaped for JSON, as a character reference. */
const CHARACTER = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|&#x[0-9a-f]{1,4};|&#\d{1,4};|\w/gi;
const RUN = /(?:%[0-9a-f]{2}|\\u[0-9a-f]{4}|&#x[0-9a-f]{1,4};|&#\d{1,4};|\w){21,}/gi;

/** The own keys in a text, in whatever characters they are spelled. */
export function ownKeys(text: string): FoundKey[] {
  return [...text.matchAll(RUN)].flatMap(([run]) => {
    if (!/[%\\&]/.test(run)) return keysIn(run).map(({ key }) => ({ key, spelling: key }));
    const characters = run.match(CHARACTER) ?? [];
    const plain = characters.map(decoded).join('');
    return keysIn(plain).map(({ key, at }) => ({
      key,
      spelling: characters.slice(at, at + key.length).join(''),
    }));
  });
}

function keysIn(text: string): { key: string; at: number }[] {
  return [...text.matchAll(OWN_KEY)].map((found) => ({ key: found[0], at: found.index }));
}

function decoded(character: string): string {
  const [, hex, decimal] = /^(?:%|\\u|&#x)([0-9a-f]+);?$|^&#(\d+);$/i.exec(character) ?? [];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return decimal === undefined ? character : String.fromCharCode(Number(decimal));
}
