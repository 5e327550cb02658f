/** How a write-ahead log of SQLite begins, in both byte orders, and its rollback journal. */
const SQLITE_MAGIC = ['7\x7f\x06\x82', '7\x7f\x06\x83', '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7'];
/** The key stores of Java: JKS, JCEKS, BKS. */
const JAVA_MAGIC = ['\xfe\xed\xfe\xed', '\xce\xce\xce\xce', '\0\0\0\x02\0\0\0\x14'];
/** Keys in text: PEM, OpenSSH, SSH2, PGP, PuTTY, age, and what this program makes. */
const KEY_TEXT =
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY|^PuTTY-User-Key-File-|AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]+)-/;
const API_KEYS =
  /tscn_(?:api|hw|pat|site)_[0-9A-Za-z]{38}(?![0-9A-Za-z])|whsec_[0-9A-Za-z+/=]{24,}/;
/** A line that gives a variable its value, or begins a section of settings. */
const VARIABLE = /^(?:export\s+)?[A-Za-z_][\w.-]*[ \t]*=|^\[[A-Za-z][\w .-]*\]$/;

/** Whether the first line that says something is one of a file of variables or settings. */
function hasVariables(start: string): boolean {
  const lines = start.split('\n').map((line) => line.trim());
  const first = lines.find((line) => line !== '' && !/^[#;]/.test(line));
  // A section ends its line; the beginning of a file may be cut off in it.
  return first !== undefined && VARIABLE.test(first);
}

/** What must never be lost to a result, by how the file begins: bytes as characters, so that one table has texts and databases. */
const KEPT: readonly (readonly [what: string, isOne: (start: string) => boolean])[] = [
  ['a store or another SQLite database', (start) => start.startsWith('SQLite format 3\0')],
  ['a part of a store', (start) => SQLITE_MAGIC.some((magic) => start.startsWith(magic))],
  ['a store', isJsonStore],
  ['the log of a store', (start) => /^\{"line":\d+,"bytes":\d+,"check":"/.test(start)],
  ['an encrypted file, such as a backup', isEncrypted],
  ['a keyring', isKeyring],
  ['a private key', (start) => KEY_TEXT.test(start) || isPgpSecret(start) || isJwk(start)],
  ['a key store', (start) => JAVA_MAGIC.some((magic) => start.startsWith(magic))],
  ['a key, a key store or a certificate', isAsn1],
  ['a certificate', (start) => /-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(start)],
  ['a recording', (start) => /^\s*\{[^{}]*"ticketscan"\s*:\s*"recording"/.test(start)],
  ['a target file, which has keys', isTarget],
  ['a file with keys, which are shown only once', (start) => API_KEYS.test(start)],
  ['a configuration', isConfiguration],
  ['a file of variables or settings', hasVariables],
];

/** What a file is that no result may replace, by its first bytes as characters (Latin-1); undefined for any other. */
export function keptKindFrom(start: string): string | undefined {
  return kindOf(start) ?? kindOf(asPlainText(start));
}

const kindOf = (start: string) => KEPT.find(([, isOne]) => isOne(start))?.[0];

/** A text without its byte-order mark; of UTF-16 and UTF-32, whatever the byte order, what the characters of ASCII say. */
function asPlainText(start: string): string {
  return start.replace(/^(?:\xef\xbb\xbf|\0*\xff\xfe|\0*\xfe\xff)/, '').replaceAll('\0', '');
}

const INTEGER = 0x02;
const SEQUENCE = 0x30;

/**
 * A key, a key store or a certificate in ASN.1 (PKCS#1, PKCS#8, PKCS#12, SEC 1, X.509): a sequence that begins with a number or,
 * where its length is written as no text can be behind a zero, with another sequence.
 */
function isAsn1(start: string): boolean {
  const [first, length = 0] = [start.charCodeAt(0), start.charCodeAt(1)];
  if (first !== SEQUENCE || length > 0x84) return false;
  const isLong = length >= 0x80;
  const inner = start.charCodeAt(isLong ? 2 + length - 0x80 : 2);
  return inner === INTEGER || (isLong && inner === SEQUENCE);
}

/** The first packet of OpenPGP is a secret key: its version stands behind its length. */
function isPgpSecret(start: string): boolean {
  const at = { '\x94': 2, '\x95': 3, '\xc5': 2 }[start[0] ?? ''] ?? 0;
  const length = start.charCodeAt(1);
  const isLonger = start[0] === '\xc5' && length >= 0xc0;
  const version = start.charCodeAt(isLonger ? at + (length === 0xff ? 4 : 1) : at);
  return at > 0 && version >= 4 && version <= 6;
}

function isEncrypted(start: string): boolean {
  return /^age-encryption\.org\/|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE)-----/.test(start);
}

function isJsonStore(start: string): boolean {
  return (
    /^\s*\{/.test(start) &&
    /"format"\s*:\s*\d/.test(start) &&
    /"organisations"\s*:\s*\[/.test(start)
  );
}

/** A damaged one too. An export of public keys has neither the secrets nor the times. */
function isKeyring(start: string): boolean {
  return /"format"\s*:\s*"TS[12]"/.test(start) && /"(secret|createdAt)"\s*:/.test(start);
}

/** A key as JSON (RFC 7517), alone or in a set, that has its private or its symmetric part. */
function isJwk(start: string): boolean {
  return /"kty"\s*:\s*"/.test(start) && /"[dk]"\s*:\s*"/.test(start);
}

/** A damaged one too. */
function isTarget(start: string): boolean {
  return /^\s*\{[\s\S]*"keys"\s*:\s*\{[^{}]*"\s*:\s*"/.test(start);
}

/** Settings are texts, numbers, switches and lists of texts. Results have objects in them, but for an export of one ticket. */
function isConfiguration(start: string): boolean {
  const value = parsed(start);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if ('ticketId' in value) return false;
  const values = Object.values(value).map((one) => [one].flat());
  const isSetting = (parts: unknown[]) =>
    parts.length > 0 && parts.every((part) => typeof part !== 'object');
  return values.length > 0 && values.every(isSetting);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
