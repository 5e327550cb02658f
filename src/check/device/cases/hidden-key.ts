import type { SeenRequest } from '../wire/seen-request.ts';
import { type Facts, SubjectDeviation } from './facts.ts';

/** The length of a piece of a random key that no other text contains by chance. */
const PIECE_CHARACTERS = 9;
/** The common prefix of all keys is ignored. */
const KIND = /^tscn_[a-z]+_/;
const BASE64 = /[A-Za-z0-9+/_-]{8,}/g;
const HEX = /(?:[0-9a-f]{2}){8,}/gi;

/** The only place where a request may have the key. */
type KeyPlace = 'query' | 'header';

/** @throws SubjectDeviation when a request of the session has the key in another place, too */
export function mustNotHideKey({ sent, record }: Facts, allowed: KeyPlace): void {
  for (const request of sent) {
    const place = hiddenKey(request, record.key, allowed);
    if (place === undefined) continue;
    const expected = `the key in ${allowed === 'query' ? 'the parameter key' : 'x-api-key'} only`;
    throw new SubjectDeviation(expected, `also ${place}`, request);
  }
}

/**
 * Where else a request has the API key, or a piece of it: plain, in another letter case, backwards, percent-encoded, in Base64 or in hex.
 * @returns `in the body`, `in the header cookie`; undefined when it is nowhere else
 */
function hiddenKey(request: SeenRequest, key: string, allowed: KeyPlace): string | undefined {
  const pieces = piecesOf(key);
  const has = (text: string): boolean => {
    const readings = readingsOf(text).map((one) => one.toLowerCase());
    return pieces.some((piece) => readings.some((one) => one.includes(piece)));
  };
  if (has(request.body)) return 'in the body';
  const header = request.headers.find(
    ([name, value]) => !(allowed === 'header' && name.toLowerCase() === 'x-api-key') && has(value),
  );
  if (header) return `in the header ${header[0].toLowerCase()}`;
  const target = allowed === 'query' ? withoutKeyParameter(request) : request.target;
  return has(target) ? 'in another part of the URL' : undefined;
}

/** In lower case, forwards and backwards. */
function piecesOf(key: string): string[] {
  const secret = key.replace(KIND, '').toLowerCase();
  if (secret.length < PIECE_CHARACTERS) return [key.toLowerCase()];
  const backwards = [...secret].reverse().join('');
  return [secret, backwards].flatMap((text) =>
    Array.from({ length: text.length - PIECE_CHARACTERS + 1 }, (_none, at) =>
      text.slice(at, at + PIECE_CHARACTERS),
    ),
  );
}

function readingsOf(text: string): string[] {
  const plain = [text, percentDecoded(text)];
  const decoded = plain.flatMap((one) => [
    ...(one.match(BASE64) ?? []).map((piece) => Buffer.from(piece, 'base64').toString('latin1')),
    ...(one.match(HEX) ?? []).map((piece) => Buffer.from(piece, 'hex').toString('latin1')),
  ]);
  return [...plain, ...decoded];
}

function percentDecoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Without the place where the key belongs: the parameter `key`, or what follows /devices/. */
function withoutKeyParameter({ target }: SeenRequest): string {
  const [inPath] = /^(?:https?:\/\/[^/?]*)?\/devices\/[^/?]*/.exec(target) ?? [];
  if (inPath !== undefined) return target.slice(inPath.length);
  return target
    .split(/[?&]/)
    .filter((part) => !part.startsWith('key='))
    .join('&');
}
