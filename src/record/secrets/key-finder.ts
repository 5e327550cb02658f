import { type HttpHead, headersOf, requestLine } from '../../kit/http1.ts';
import {
  type FoundKey,
  fromForm,
  isSecretName,
  namedInHeaders,
  namedSecrets,
} from './named-values.ts';

/** Shorter texts are no secrets, and hiding them would hide everything. */
const KEY_CHARACTERS_MIN = 3;
/** Values that are never secret. */
const NO_SECRET = /^(true|false|null|none|undefined)$/i;
const WEB_TOKEN = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g;
const PASSWORD_IN_ADDRESS = /:\/\/[^/\s:@"]{0,128}:([^/\s@"]{3,128})@/g;
/** A random part of a path: long, letters and digits mixed. */
const RANDOM_PART = /^(?=.*\d)(?=.*[A-Za-z])(?!tkt_)[\w~:-]{20,}$/;

/**
 * Every text in a request or response that gives access, as far as its form, its name or its place shows it. A secret of another
 * system under a name that means nothing is not found.
 */
export function findKeys(head: HttpHead, content: string): FoundKey[] {
  const found = [
    ...inTarget(head),
    ...inHeaders(head),
    ...namedInHeaders(head.slice(head.indexOf('\n') + 1)),
    ...namedSecrets(content),
    ...[head, content].flatMap((text) => [
      ...ownKeys(text),
      ...byForm(text),
      ...encodedSecrets(text, inEncoded),
    ]),
  ];
  return found.filter(({ key }) => key.length >= KEY_CHARACTERS_MIN && !NO_SECRET.test(key));
}

function byForm(text: string): FoundKey[] {
  const passwords = [...text.matchAll(PASSWORD_IN_ADDRESS)].map(([, password = '']) => password);
  return [...(text.match(WEB_TOKEN) ?? []), ...passwords].map(asItStands);
}

/** Bytes that happen to decode say nothing by their names unless they are text. */
function inEncoded(content: string): FoundKey[] {
  const isText = /^[\x20-\x7e\s]*$/.test(content);
  return [...ownKeys(content), ...(isText ? namedSecrets(content) : [])];
}

function inTarget(head: HttpHead): FoundKey[] {
  const target = requestLine(head)?.target ?? '';
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const pairs = [...query.matchAll(/(?:^|[&?])([^=&#?]+)=([^&#]*)/g)].map(
    ([, name = '', value = '']) => ({ name: fromForm(name), value }),
  );
  // Beside a `key`, `Key` is the device's own field; alone it is a key that was misspelled.
  const hasKey = pairs.some(({ name }) => name === 'key');
  const secret = pairs.filter(({ name }) => isSecretName(name) || (name === 'Key' && !hasKey));
  const parts = path.split('/').filter((part) => RANDOM_PART.test(fromForm(part)));
  return [...secret.map(({ value }) => value), ...parts].map((spelling) => ({
    key: fromForm(spelling),
    spelling,
  }));
}

function inHeaders(head: HttpHead): FoundKey[] {
  return headersOf(head).flatMap(([name, value]) => {
    if (!isSecretName(name)) return [];
    if (/cookie$/i.test(name)) return cookiesIn(name, value);
    // `Bearer <token>`: the scheme is not secret.
    const rest = /^\w[\w-]* (.*)$/.exec(value)?.[1]?.trim() ?? value;
    return [rest, ...passwordOf(value)].map(asItStands);
  });
}

function cookiesIn(name: string, value: string): FoundKey[] {
  // After the first pair of a Set-Cookie come its attributes.
  const cookies = /^set-/i.test(name) ? value.split(';', 1) : value.split(';');
  return cookies.map((cookie) => asItStands(cookie.slice(cookie.indexOf('=') + 1).trim()));
}

/** The password in a Basic authorization. */
function passwordOf(value: string): string[] {
  const [, encoded] = /^Basic +(\S+)$/i.exec(value) ?? [];
  if (encoded === undefined) return [];
  const plain = Buffer.from(encoded, 'base64').toString('latin1');
  const colon = plain.indexOf(':');
  return colon < 0 ? [] : [plain.slice(colon + 1)];
}

const asItStands = (key: string): FoundKey => ({ key, spelling: key });

/** Shorter pieces cannot contain a key. */
const BASE64_RUN = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const HEX_RUN = /[0-9A-Fa-f]{32,}/g;
/** Base64 in Base64 is searched; deeper nesting does not happen by accident. */
const DEPTH_MAX = 2;
const ONE_CASE = /^[0-9a-f]*$|^[0-9A-F]*$/;

type Finder = (text: string) => FoundKey[];

/**
 * The secrets in pieces of Base64 and hex. Those that stand at the beginning of a piece's own counting are found again when the
 * text is redacted; of others the piece itself is the spelling.
 */
function encodedSecrets(text: string, find: Finder, depth = 1): FoundKey[] {
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
  for (const [run] of text.matchAll(BASE64_RUN)) {
    for (let skip = 0; skip < 4; skip += 1) {
      const piece = run.slice(skip);
      const content = Buffer.from(piece, 'base64').toString('latin1');
      yield { content, piece, isFoundAgain: skip === 0 };
    }
  }
  for (const [run] of text.matchAll(HEX_RUN)) {
    for (let skip = 0; skip < 2; skip += 1) {
      const piece = run.slice(skip);
      const content = Buffer.from(piece, 'hex').toString('latin1');
      yield { content, piece, isFoundAgain: skip === 0 && ONE_CASE.test(run) };
    }
  }
}

/** A key or token of this program, also one that was cut. */
const OWN_KEY = /tscn_(?:api|hw|pat|site)_[0-9A-Za-z]{16,}/g;
/** One character of a key in any encoding: plain, percent-encoded, escaped for JSON, as a character reference. */
const CHARACTER = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|&#x[0-9a-f]{1,4};|&#\d{1,4};|\w/gi;
const RUN = /(?:%[0-9a-f]{2}|\\u[0-9a-f]{4}|&#x[0-9a-f]{1,4};|&#\d{1,4};|\w){21,}/gi;

/** The own keys in a text, in whatever characters they are spelled. */
function ownKeys(text: string): FoundKey[] {
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
