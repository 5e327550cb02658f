import { ANSWER_HTTP2, isHttp2Answer } from './foreign-protocols.ts';

/** A failure of the system in words for a person. Both are parts of a sentence, without a full stop. */
export interface Failure {
  readonly what: string;
  /** What to do or to look at. */
  readonly advice: string;
}

/** Who connects: what a person can do about a failure depends on it. Each text is an advice, or a part of one. */
export interface Caller {
  /** How this caller trusts a certificate: the end of "trust it, or its issuer, …". */
  readonly trust: string;
  /** What to do where the other side has no TLS. */
  readonly notTls: string;
  /** What to look at when a connection is lost. */
  readonly lost: string;
}

/** A command that takes any address, and `--ca`. */
export const COMMAND: Caller = {
  trust: 'with --ca FILE',
  notTls: 'is it http:// instead of https://?',
  lost: 'check proxies and firewalls in between, and whether http or https is right',
};

/** A command that sends to other machines over TLS unless it is told otherwise. */
export const CAUTIOUS_COMMAND: Caller = {
  ...COMMAND,
  trust: 'with --ca FILE (--insecure-tls trusts any)',
  notTls: 'is it http:// instead of https://? Another machine needs --insecure-http then',
};

/** Software of others that calls this package: it has no command line. */
export const LIBRARY: Caller = {
  ...COMMAND,
  trust: 'with the option ca, or by the variable NODE_EXTRA_CA_CERTS',
  notTls: 'is it http:// instead of https://? Another machine needs the option insecureHttp then',
};

/** What happened, and what to do, for the codes that fit. The words of `failureOf` and of `Caller` in capitals are replaced. */
type Reason = readonly [codes: RegExp, what: string, advice: string];

/** What Node says of a certificate before anything is sent over the connection. */
const CERTIFICATE = /CERT|UNABLE_TO_|SELF_SIGNED|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH/;
const CORRECT_ANSWER = 'correct how the server, or the proxy in front of it, writes HTTP/1.1';
const TAKE_HTTP1 =
  'let the server, or the proxy in front of it, take HTTP/1.1 too, which is all that devices speak';
const CONNECTIONS: readonly Reason[] = [
  [
    /^ECONNREFUSED$/,
    'nothing listens at URL (connection refused)',
    'is the server running, and is PORT its port?',
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'the name "HOST" cannot be resolved (CODE)',
    'check the spelling and the DNS',
  ],
  [/^CERT_HAS_EXPIRED$/, 'the certificate of URL has expired', 'renew it'],
  [
    /ALTNAME/,
    'the certificate of URL is for another name than "HOST"',
    'use a name that it contains',
  ],
  [CERTIFICATE, 'the certificate of URL is not trusted (CODE)', 'trust it, or its issuer, TRUST'],
  [
    /NO_APPLICATION_PROTOCOL/,
    'URL takes no HTTP/1.1 in the TLS handshake (CODE)',
    `it may speak HTTP/2 only: ${TAKE_HTTP1}`,
  ],
  [/^ERR_ANSWER_HTTP2$/, 'URL speaks HTTP/2 only', TAKE_HTTP1],
  [
    /^ERR_SSL_.*ALERT/,
    'URL refuses the TLS handshake (CODE)',
    'does it take TLS 1.2 or 1.3, and does it want a certificate of the client? (None is sent.)',
  ],
  [/^(EPROTO|ERR_SSL)/, 'URL does not speak TLS', 'NOT_TLS'],
  [
    /^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/,
    'the head of the answer of URL is longer than 64 KiB',
    'let the server send fewer or shorter headers',
  ],
  [
    /^HPE_UNEXPECTED_CONTENT_LENGTH$/,
    'the answer of URL has a Content-Length twice, or beside a Transfer-Encoding',
    CORRECT_ANSWER,
  ],
  [
    /^HPE_INVALID_CONTENT_LENGTH$/,
    'the answer of URL has a Content-Length that is not one number',
    CORRECT_ANSWER,
  ],
  [
    /^HPE_INVALID_TRANSFER_ENCODING$/,
    'the answer of URL has a Transfer-Encoding that is not plain chunked',
    CORRECT_ANSWER,
  ],
  [
    /^HPE_CR_EXPECTED$/,
    'the answer of URL has a line that does not end with CR LF',
    CORRECT_ANSWER,
  ],
  [
    /^HPE_INVALID_HEADER_TOKEN$/,
    'the answer of URL has a header with a character that HTTP forbids',
    CORRECT_ANSWER,
  ],
  [
    /^HPE_(INVALID_CHUNK_SIZE|CHUNK_EXTENSIONS_OVERFLOW)$/,
    'the answer of URL has a broken chunk',
    CORRECT_ANSWER,
  ],
  [/^(HPE_|ERR_ASSERTION)/, 'URL does not speak HTTP', 'is it https:// instead of http://?'],
  [/^E(HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL)$/, 'no route leads to URL (CODE)', 'check the network'],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    'the connection to URL was lost before the answer was whole',
    'LOST',
  ],
  [
    /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    'no connection to URL in time',
    'check the address, and firewalls that drop packets silently',
  ],
  [
    /^(ERR_ANSWER_LATE|UND_ERR_(HEADERS|BODY)_TIMEOUT)$/,
    'URL gives no answer in time',
    'it has the request, so check why it answers late: it may be busy, or wait for something else',
  ],
  [
    /^(ABORT_ERR|TimeoutError|UND_ERR_\w+_TIMEOUT)$/,
    'URL gives no answer in time',
    'check whether the server runs, is too busy, or is behind a firewall that drops packets',
  ],
  [
    /^ERR_ANSWER_CODED$/,
    'URL: SAID',
    'switch that off for clients without Accept-Encoding, in the server or the proxy in front of it',
  ],
  [
    /^ERR_ANSWER_SWITCHED$/,
    'URL answers with another protocol (status 101), which nobody asked for',
    'check that this is the right address',
  ],
  [/^ERR_ANSWER_/, 'URL sends an answer without end', 'check that this is the right address'],
  [
    /^ERR_PROXY$/,
    'SAID',
    'check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, and that the proxy runs and permits port PORT',
  ],
  [/^EMFILE$/, 'too many open connections (EMFILE)', 'raise the limit with ulimit -n'],
  [/./, 'no connection to URL (CODE)', 'check the address, the network and the server'],
];

const LISTENING: readonly Reason[] = [
  [/^EADDRINUSE$/, 'port PORT is taken', 'choose another with OPTION; 0 picks a free one'],
  [/^EACCES$/, 'port PORT needs more rights', 'choose one above 1023 with OPTION'],
  [
    /^(EADDRNOTAVAIL|ENOTFOUND)$/,
    '"HOST" is not an address of this machine',
    'choose one with --host',
  ],
  [/./, 'HOST:PORT cannot be listened on (CODE)', 'choose another port with OPTION'],
];

const PERMISSION =
  'no permission to read or write it (change its owner or mode, or ask who has it)';
/** What happened to a file, and in brackets what to do where the message does not say it. */
const FILES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: PERMISSION,
  EPERM: PERMISSION,
  EROFS: 'the disk is read-only (choose another place)',
  ENOTDIR: 'a part of its path is not a folder (check the path)',
  ELOOP: 'its links form a loop (check the path)',
  EISDIR: 'it is a folder (name a file)',
  ERR_FS_EISDIR: 'it is a folder (name a file)',
  ENOENT: 'no such file or folder (check the path)',
  EBUSY: 'it is in use, or it is a folder (name another file)',
  EFBIG: 'it would be larger than a file may be',
  ERR_FS_FILE_TOO_LARGE: 'it is too large (is it the right file?)',
  ERR_PIPE_UNFED: 'it is a pipe, and nothing writes into it (start its other side)',
  ERR_PIPE_UNREAD: 'it is a pipe, and nothing reads from it (start its other side)',
  ERR_SOCKET: 'it is a socket or a device without a driver (name a file)',
  ESPIPE: 'it is a pipe, and only a file on the disk will do (name one)',
  ERR_NOT_REGULAR: 'it is not a regular file (name one)',
  ERR_TEXT_UTF16:
    'it is saved as UTF-16, as PowerShell and "Unicode" of some editors do; save it as UTF-8',
  ERR_TEXT_NONE: 'it is not text (is it the right file?)',
  ENAMETOOLONG: 'its name is too long (choose a shorter one)',
  EIO: 'the disk reports an error',
};

/** Why a connection to a server failed. @param url of the server, without anything secret */
export function connectionFailure(
  error: unknown,
  url: string,
  { trust, notTls, lost }: Caller = COMMAND,
): Failure {
  const { hostname, port, protocol } = new URL(url);
  const HOST = hostname.replace(/^\[(.*)\]$/, '$1');
  const PORT = port || (protocol === 'https:' ? '443' : '80');
  return failureOf(CONNECTIONS, {
    URL: url,
    HOST,
    PORT,
    CODE: connectionCode(error),
    SAID: messageOf(error),
    TRUST: trust,
    NOT_TLS: notTls,
    LOST: lost,
  });
}

/** What the parsers of Node and undici say of an answer. Their codes differ, and change with their versions. */
const PARSER_REASONS: readonly (readonly [RegExp, string])[] = [
  [/can't be present with|duplicate/i, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  [/Content-Length/i, 'HPE_INVALID_CONTENT_LENGTH'],
  [/Transfer-Encoding/i, 'HPE_INVALID_TRANSFER_ENCODING'],
  [/chunk/i, 'HPE_INVALID_CHUNK_SIZE'],
  [/expected (CR|LF)\b/i, 'HPE_CR_EXPECTED'],
  [/overflow/i, 'HPE_HEADER_OVERFLOW'],
  [/header|whitespace/i, 'HPE_INVALID_HEADER_TOKEN'],
];

/** The code of an error of a connection, which is the same for the same cause, whichever client had it. */
export function connectionCode(error: unknown): string {
  const { name, message, reason, data, rawPacket } = (error ?? {}) as Partial<
    Record<string, unknown>
  >;
  const code = codeOf(error);
  if (message === 'bad upgrade') return 'ERR_ANSWER_SWITCHED';
  // A handshake that fails in a write has its reason in the text alone.
  if (code === 'EPROTO' && /no application protocol/i.test(String(message))) {
    return 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
  }
  const isOfParser =
    name === 'HTTPParserError' || (code.startsWith('HPE_') && reason !== undefined);
  if (!isOfParser) return code;
  // The bytes that undici and Node could not read.
  const bytes = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : String(data ?? '');
  if (isHttp2Answer(bytes)) return ANSWER_HTTP2;
  const text = String(reason ?? message);
  return PARSER_REASONS.find(([sign]) => sign.test(text))?.[1] ?? 'HPE_INVALID_CONSTANT';
}

/** True when the certificate is why: then nothing was sent. */
export function isCertificateFailure(error: unknown): boolean {
  return CERTIFICATE.test(codeOf(error));
}

/** Why a server cannot listen. @param option that names the port */
export function listenFailure(
  error: unknown,
  host: string,
  port: number,
  option = '--port',
): Failure {
  const values = { HOST: host, PORT: String(port), CODE: codeOf(error), OPTION: option };
  return failureOf(LISTENING, values);
}

/** Why a file cannot be read or written: part of a sentence. */
export function fileFailure(error: unknown): string {
  return knownFileFailure(error) ?? (error instanceof Error ? error.message : String(error));
}

/** What happened to a file; undefined when the system's reason is none that a person can change. */
export function knownFileFailure(error: unknown): string | undefined {
  return FILES[codeOf(error)];
}

/** What happened and what to do, as part of a sentence. */
export function inOneClause({ what, advice }: Failure): string {
  return `${what}: ${advice}`;
}

/** What happened and what to do, as a sentence each. */
export function inSentences({ what, advice }: Failure): string {
  return `${asSentence(what)} ${asSentence(advice)}`;
}

/** Gives the text a capital, unless it begins with an address, and a full stop where it needs one. */
export function asSentence(text: string): string {
  const start = text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.?]$/.test(start) ? start : `${start}.`;
}

function failureOf(reasons: readonly Reason[], values: Readonly<Record<string, string>>): Failure {
  const [, what = '', advice = ''] =
    reasons.find(([codes]) => codes.test(values['CODE'] ?? '')) ?? [];
  const filled = (text: string) =>
    text.replace(
      /URL|HOST|PORT|CODE|OPTION|SAID|TRUST|NOT_TLS|LOST/g,
      (name) => values[name] ?? '',
    );
  return { what: filled(what), advice: filled(advice) };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The system's code of an error, or else what it says. */
function codeOf(error: unknown): string {
  const { code, name, message } = (error ?? {}) as Partial<Record<string, unknown>>;
  if (typeof code === 'string') return code;
  return name === 'TimeoutError' ? name : String(message ?? error);
}
