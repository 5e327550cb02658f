/** A way in which a text gives a value a name. Each expression takes time in proportion to the text. */
interface Notation {
  readonly pairs: RegExp;
  readonly decode: (value: string) => string;
}

const asItIs = (value: string) => value;

const NOTATIONS: readonly Notation[] = [
  // JSON: "name": "value"
  { pairs: /"([^"\\]{1,64})"\s*:\s*"((?:[^"\\]|\\[\s\S])*)"/g, decode: fromJson },
  // JSON: "name": 4711
  { pairs: /"([^"\\]{1,64})"\s*:\s*(-?\d[\d.]*)/g, decode: asItIs },
  // XML: <p:name attribute="x">value</p:name>
  { pairs: /<(?:[\w.-]{1,64}:)?([\w.-]{1,64})(?:\s[^<>]{0,1024})?>([^<>]+)<\//g, decode: fromXml },
  { pairs: /<([\w:.-]{1,64})>\s{0,64}<!\[CDATA\[([^\]]+)\]/g, decode: asItIs },
  // An attribute, also a parameter of a header: name="value"
  { pairs: /(?<![\w.-])([\w.-]{1,64})="([^"<>]+)"/g, decode: fromXml },
  { pairs: /(?<![\w.-])([\w.-]{1,64})='([^'<>]+)'/g, decode: fromXml },
  // Forms, queries, cookies: name=value
  { pairs: /(?<![\w.%-])([\w.%-]{1,64})=([^&;,\s"'<>]+)/g, decode: fromForm },
  // A form of several parts: name="name", an empty line, the value
  {
    pairs: /name="([^"\r\n]{1,64})"[^\r\n]{0,256}\r?\n(?:[^\r\n]{1,256}\r?\n){0,4}\r?\n([^\r\n]+)/g,
    decode: asItIs,
  },
];
/** Lines of a body: name: value */
const LINES: Notation = {
  pairs: /^[ \t]{0,16}([\w.-]{1,64})[ \t]{0,16}:[ \t]{0,16}([^\s"'{[<][^\r\n]*)/gm,
  decode: asItIs,
};
/** Also one that does not end: else each quote in it would be looked at as another beginning. */
const JSON_TEXT = /"((?:[^"\\]|\\[\s\S]|\\$)*)(?:"|$)/g;

/** The values in the content of a message whose names mark them as secret. */
export function namedSecrets(content: string): FoundKey[] {
  // JSON inside of a text of JSON has its quotes escaped.
  const inner = [...content.matchAll(JSON_TEXT)].flatMap(([, text = '']) =>
    text.includes('\\"') ? valuesIn(fromJson(text), NOTATIONS) : [],
  );
  return [...valuesIn(content, [...NOTATIONS, LINES]), ...inner];
}

/** Finds secrets in the values of headers, as `namedSecrets` does in bodies; the headers' own names are for others. */
export function namedInHeaders(head: string): FoundKey[] {
  return valuesIn(head, NOTATIONS);
}

function valuesIn(text: string, notations: readonly Notation[]): FoundKey[] {
  return notations.flatMap(({ pairs, decode }) =>
    [...text.matchAll(pairs)].flatMap(([, name = '', value = '']) =>
      isSecretName(fromForm(name)) ? [{ key: decode(value), spelling: value }] : [],
    ),
  );
}

/** The values of a form or query; Latin-1. */
export function fromForm(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
}

function fromJson(text: string): string {
  try {
    return Buffer.from(JSON.parse(`"${text}"`) as string, 'utf8').toString('latin1');
  } catch {
    // Bytes that are not JSON: the value is used unchanged.
    return text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function fromXml(text: string): string {
  return text.replace(/&(\w{2,4});/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** Parts of a name that mark a secret, at any position. */
const PARTS =
  /token|secret|passw|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|authoriz|session|signature|credentials/;
/** Words that mark a secret only as a whole word: `sig`, but not in `design`. */
const WORDS = /^(auth|oauth|pwd|pin|sid|sig|sign|hmac|otp|jwt|bearer|cookie)$/;

/**
 * True for a name that carries what gives access: `key`, `X-Auth`, `sessionId`, `set-cookie`. `Key` with a capital letter is
 * the device's own field (section 4.5), and `codeKey` is what some readers call the code that they read.
 */
export function isSecretName(name: string): boolean {
  if (name === 'Key' || name === 'codeKey') return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (words.at(-1) === 'key' || words.some((word) => WORDS.test(word))) return true;
  return name.toLowerCase() === 'pass' || PARTS.test(name.toLowerCase());
}

/** A text that gives access. Latin-1. */
export interface FoundKey {
  readonly key: string;
  /** The key as it was on the wire: a URL may encode more characters than necessary. */
  readonly spelling: string;
}
