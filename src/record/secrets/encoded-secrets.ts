import type { FoundKey } from './found-key.ts';

/** Shorter pieces cannot contain a key. */
const BASE64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const HEX = /[0-9A-Fa-f]{32,}/g;
/** Base64 in Base64 is searched; deeper nesting does not happen by accident. */
const DEPTH_MAX = 2;
const ONE_CASE = /^[0-9a-f]*$|^[0-9A-F]*$/;

type Finder = (text: string) => FoundKey[];

/**
 * The secrets in pieces of Base64 and hex. Those that stand at the beginning of a piece's own counting are found again when the
 * text is redacted; of others the piece itself is the spelling.
 */
export function encodedSecrets(text: string, find: Finder, depth = 1): FoundKey[] {
  return [...piecesOf(text)].flatMap(({ content, piece, isFoundAgain }) => {
    const found = find(content);
    const deeper = depth < DEPTH_MAX ? encodedSecrets(content, find, depth + 1) : [];
    const whole = isFoundAgain ? deeper : [...found, ...deeper];
    return [...found, ...whole.map(({ key }) => ({ key, spelling: piece }))];
  });
}

interface Piece {
  readonly content: string;
  readonly piece: string;
  readonly isFoundAgain: boolean;
}

/** Every piece in each way to count its characters: the text before it may belong to something else. */
function* piecesOf(text: string): Generator<Piece> {
  for (const [run] of text.matchAll(BASE64)) {
    for (let skip = 0; skip < 4; skip += 1) {
      const piece = run.slice(skip);
      const content = Buffer.from(piece, 'base64').toString('latin1');
      yield { content, piece, isFoundAgain: skip === 0 };
    }
  }
  for (const [run] of text.matchAll(HEX)) {
    for (let skip = 0; skip < 2; skip += 1) {
      const piece = run.slice(skip);
      const content = Buffer.from(piece, 'hex').toString('latin1');
      yield { content, piece, isFoundAgain: skip === 0 && ONE_CASE.test(run) };
    }
  }
}
