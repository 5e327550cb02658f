import { type HttpHead, headersOf, requestLine } from './http-head.ts';

/** What carries a secret by its name. `Key` with a capital letter is the device's own field (section 4.5). */
const SECRET_NAME =
  /^key$|api[-_]?key|token|secret|passw|^pwd$|^(proxy-)?authorization$|^auth$|cookie$/;
const OWN_KEY = /tscn_(?:api|hw)_[0-9A-Za-z]{38}/g;

/** A text that gives access. Latin-1. */
export interface FoundKey {
  readonly key: string;
  /** As it stands on the wire: in a URL, characters may be encoded that need not be. */
  readonly spelling: string;
}

/** Every text in a request or response that gives access. */
export function findKeys(head: HttpHead, content: string): FoundKey[] {
  const plain = [...inHeaders(head), ...inBody(content)];
  for (const text of [head, content]) plain.push(...(text.match(OWN_KEY) ?? []));
  const found = plain.map((key) => ({ key, spelling: key }));
  return [...inQuery(head), ...found].filter(({ key }) => key !== '');
}

function inQuery(head: HttpHead): FoundKey[] {
  const target = requestLine(head)?.target ?? '';
  return [...target.matchAll(/[?&]([^=&#?]+)=([^&#]*)/g)].flatMap(([, name = '', value = '']) =>
    isSecretName(decoded(name)) ? [{ key: decoded(value), spelling: value }] : [],
  );
}

function inHeaders(head: HttpHead): string[] {
  return headersOf(head).flatMap(([name, value]) => {
    if (!isSecretName(name.toLowerCase())) return [];
    // `Bearer <token>`: the scheme is no secret.
    return [/authorization$/i.test(name) ? (value.split(' ').at(-1) ?? '') : value];
  });
}

function inBody(content: string): string[] {
  const members = content.matchAll(/"([^"\\]{1,64})"\s*:\s*"((?:[^"\\]|\\.){1,512})"/g);
  return [...members].flatMap(([, name = '', value = '']) => (isSecretName(name) ? [value] : []));
}

function isSecretName(name: string): boolean {
  return name === 'key' || (name !== 'Key' && SECRET_NAME.test(name.toLowerCase()));
}

function decoded(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
}
