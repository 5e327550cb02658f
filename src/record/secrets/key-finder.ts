import { type HttpHead, headersOf, requestLine } from '../../kit/http1.ts';
import { encodedSecrets } from './encoded-secrets.ts';
import type { FoundKey } from './found-key.ts';
import { fromForm, namedInHeaders, namedSecrets } from './named-values.ts';
import { ownKeys } from './own-keys.ts';
import { isSecretName } from './secret-names.ts';

/** Shorter texts are no secrets, and hiding them would hide everything. */
const SHORTEST_CHARACTERS = 3;
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
  return found.filter(({ key }) => key.length >= SHORTEST_CHARACTERS && !NO_SECRET.test(key));
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
