/** What is kept of a connection that is not what it should be: a request line, or the first line of any other protocol. */
export const BYTES_KEPT_MAX = 256;
/** What follows within this time belongs to the first bytes. */
const MORE_WITHIN_MS = 100;

/**
 * Calls `done` when nothing has come for `MORE_WITHIN_MS`; `more` says that something came. What came while the process was busy counts:
 * the timer of a busy process ends before it has read.
 */
export class Silence {
  readonly #done: () => void;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(done: () => void) {
    this.#done = done;
  }

  more(): void {
    this.end();
    this.#timer = setTimeout(() => {
      this.#immediate = setImmediate(this.#done);
    }, MORE_WITHIN_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }
}

/** What the first bytes of a connection are; `http` is HTTP/1, also badly written, without its head or in the wrong place. */
export type Protocol = 'http' | 'http2' | 'proxy_protocol' | 'tls' | 'other';

/** The kinds of the records of TLS, from a change of cipher to data. */
const [FIRST_RECORD, LAST_RECORD] = [0x14, 0x17];
/** The versions of all records: those of SSL 3 to TLS 1.3. */
const [MAJOR, MINOR_MAX] = [3, 4];

/** True for a record of TLS, and for the first message of an old client that begins as in SSL 2. */
function isTls(bytes: string): boolean {
  const [kind = 0, major = 0, minor = 0, oldMajor = 0, oldMinor = 0] = [...bytes.slice(0, 5)].map(
    (byte) => byte.charCodeAt(0),
  );
  const isVersion = (one: number, other: number) => one === MAJOR && other <= MINOR_MAX;
  if (kind >= FIRST_RECORD && kind <= LAST_RECORD) return isVersion(major, minor);
  const isOldHello = kind >= 0x80 && minor === 1;
  return isOldHello && (isVersion(oldMajor, oldMinor) || (oldMajor === 0 && oldMinor === 2));
}

const PROXY_PROTOCOL = /^PROXY (?:TCP|UDP|UNKNOWN)/;
/** The second version begins with blank lines, which Node's parser passes over. */
const PROXY_PROTOCOL_2 = '\0\r\nQUIT\n';

function isProxyProtocol(bytes: string): boolean {
  return PROXY_PROTOCOL.test(bytes) || bytes.replace(/^(?:\r\n)+/, '').startsWith(PROXY_PROTOCOL_2);
}

/** A method and a path in any spelling, or the body of a request that lost its head. */
const LIKE_HTTP = /^\s*(?:[a-z]+[ \t]+(?:\/|\*|https?:)|[{[<]|[a-z_-]+: )/i;
/** A request line is taken for one wherever its version stands. */
const VERSION = /^[^\n]*\bHTTP\/\d/i;
const POLICY_FILE = '<policy-file-request';

/** Which protocol a connection begins with, whatever the port is for. @param bytes a character for each; empty is like HTTP */
export function protocolOf(bytes: string): Protocol {
  if (bytes === '') return 'http';
  if (/^PRI \* HTTP\/2/.test(bytes)) return 'http2';
  if (isProxyProtocol(bytes)) return 'proxy_protocol';
  if (isTls(bytes)) return 'tls';
  if (VERSION.test(bytes)) return 'http';
  if (bytes.startsWith(POLICY_FILE) || !LIKE_HTTP.test(bytes)) return 'other';
  return 'http';
}

/** True while more bytes could make another protocol of these: their first line is not whole. @param bytes a character for each */
export function isUndecided(bytes: string): boolean {
  const found = protocolOf(bytes);
  if ((found !== 'http' && found !== 'other') || bytes.length >= BYTES_KEPT_MAX) return false;
  const line = bytes.replace(/^(?:\r\n)+/, '');
  return !line.includes('\n') || PROXY_PROTOCOL_2.startsWith(line);
}

/** The head of a frame SETTINGS or GOAWAY of the whole connection: with one of them a server of HTTP/2 begins. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the bytes of a frame are what is looked for
const FRAME_HTTP2 = /^\0[\0-\x40].[\x04\x07]\0{5}/s;

/** The code of the error for an answer in HTTP/2. */
export const ANSWER_HTTP2 = 'ERR_ANSWER_HTTP2';

/** True when an answer begins as HTTP/2. @param bytes a character for each */
export function isHttp2Answer(bytes: string): boolean {
  return FRAME_HTTP2.test(bytes);
}
