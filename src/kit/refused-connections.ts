import { type Protocol, protocolOf } from './foreign-protocols.ts';

interface Refusal {
  /** What was refused, in a few words, for a person. */
  readonly what: string;
  /** What to do about it. */
  readonly advice: string;
}

const refusal = (what: string, advice: string): Refusal => ({ what, advice });

const HTTP_BYTES =
  'Correct how the device or its software writes HTTP/1.1, update its firmware, or put a proxy in front that repairs it.';
const OWN_PATHS = 'Compare the address that is set in the device with the one of its key.';

/** Everything that is refused before a key, an account or a ticket is looked at; of the layers below HTTP, then of HTTP itself. */
export const CONNECTION_REFUSALS = {
  too_many_connections: refusal(
    'too many connections',
    'Close connections that are not used, and let one scraper read the metrics.',
  ),
  tls_http: refusal(
    'plain HTTP on the port for HTTPS',
    'Set the address in the device to https://.',
  ),
  tls_version: refusal(
    'TLS version that is not offered',
    'The client must speak TLS 1.2 or 1.3: update it, or let a proxy end TLS for it.',
  ),
  tls_cipher: refusal(
    'no TLS cipher or signature in common',
    'Update the client; one that knows only RSA needs an RSA certificate (--tls-cert, --tls-key).',
  ),
  tls_certificate: refusal(
    'certificate that the client does not trust',
    'Install the certificate in the client and name the host as the certificate does, or use one of a public authority.',
  ),
  tls_protocol: refusal(
    'TLS for another protocol than HTTP/1.1',
    'The client offers other protocols only (ALPN), and the server speaks HTTP/1.1: let it offer http/1.1 or nothing. If it is an authority that proves a name (acme-tls/1), use another way of proof.',
  ),
  tls_left: refusal(
    'TLS connection that the client ended without a request',
    'A client that does not trust the certificate does so: install the certificate there, and check its clock and the host name.',
  ),
  tls_timeout: refusal(
    'TLS handshake that did not end in time',
    'Check the network, and that the client speaks TLS at all.',
  ),
  tls_broken: refusal(
    'broken TLS',
    'Check that the client speaks TLS 1.2 or 1.3, and that nothing in between changes its bytes.',
  ),
  tls_on_plain: refusal(
    'TLS on the port for plain HTTP',
    'Set the address in the device to http://, or serve HTTPS (--tls-cert or --tls-self-signed).',
  ),
  http2: refusal(
    'HTTP/2 only',
    'The client asks for HTTP/2 only, and the server speaks HTTP/1.1: set the client, or the proxy in front of the server, to HTTP/1.1 (in TLS it must offer http/1.1 by ALPN).',
  ),
  proxy_protocol: refusal(
    'PROXY protocol',
    'Switch it off in the load balancer, and let it send X-Forwarded-For (--trusted-proxy).',
  ),
  other_protocol: refusal(
    'another protocol than HTTP',
    'Find out which program connects here, and give it the address of its own server; a device must speak HTTP/1.1.',
  ),
  line_end: refusal('line of a head that does not end with CR LF', HTTP_BYTES),
  length_and_chunks: refusal('Content-Length and Transfer-Encoding together', HTTP_BYTES),
  length_twice: refusal('Content-Length said twice', HTTP_BYTES),
  length_invalid: refusal('a Content-Length that is not a number', HTTP_BYTES),
  transfer_encoding: refusal('Transfer-Encoding that is not known', HTTP_BYTES),
  chunk_invalid: refusal('broken chunk of a body', HTTP_BYTES),
  header_blank: refusal('blank in front of the colon of a header', HTTP_BYTES),
  header_folded: refusal('header that goes on in the next line', HTTP_BYTES),
  header_invalid: refusal('header with a character that HTTP forbids', HTTP_BYTES),
  method_invalid: refusal('method that HTTP does not know', HTTP_BYTES),
  target_invalid: refusal('path with a character that HTTP forbids', HTTP_BYTES),
  version_invalid: refusal('first line without HTTP/1.0 or HTTP/1.1', HTTP_BYTES),
  bytes_after_end: refusal('bytes after a request that was to be the last', HTTP_BYTES),
  cut_off: refusal(
    'request that ended in the middle',
    'Check the network, and that Content-Length is the number of bytes that are sent.',
  ),
  http_broken: refusal('broken HTTP', HTTP_BYTES),
  host_missing: refusal('no Host header, or several', HTTP_BYTES),
  host_invalid: refusal(
    'Host that is no name or address',
    'Set the address in the device to a plain name or address with its port, such as http://gate.example:8080, without a user, blanks or other letters than ASCII.',
  ),
  head_too_long: refusal(
    'head over 16 KiB',
    'Send fewer or shorter headers; of cookies the server needs one.',
  ),
  no_request: refusal(
    'connection without a request',
    'Nothing is wrong when a browser or a monitor opened it. Otherwise check that the client sends its request.',
  ),
  head_late: refusal(
    'head that did not arrive in time',
    'Check the network of the client, and that its head ends with an empty line.',
  ),
  body_late: refusal(
    'body that did not arrive in time',
    'Check the network of the client, and that Content-Length is the number of bytes that are sent.',
  ),
  answer_untaken: refusal(
    'answers that the client did not take',
    'The client must read each answer. Check that it does not hang.',
  ),
  blank_lines: refusal('nothing but blank lines', HTTP_BYTES),
  unknown_path: refusal('unknown path', OWN_PATHS),
  wrong_method: refusal('method that the path does not take', 'Scans take POST and nothing else.'),
  body_too_long: refusal('body that is too long', 'Send less at a time.'),
  content_type: refusal('content type that is not taken', 'Send application/json.'),
  content_invalid: refusal('body that cannot be read', 'Send JSON in UTF-8.'),
} as const;

export type ConnectionRefusal = keyof typeof CONNECTION_REFUSALS;

/** An error of Node's HTTP or TLS server, as its events `clientError` and `tlsClientError` give it. */
export interface ConnectionError {
  readonly code?: string | undefined;
  readonly message?: string;
}

/** What is known of a connection besides its error. */
export interface ConnectionFacts {
  /** The bytes of the broken head, a character for each, or a part of them; empty when its head was read before. */
  readonly head: string;
  /** True when the head of the request was read, and its body failed. */
  readonly isInBody: boolean;
  /** True when nothing was answered on the connection before. */
  readonly isFirst?: boolean;
  /** What came instead of TLS on a port for it (`tlsFacts`). */
  readonly beforeTls?: string | undefined;
  /** The protocols that the client offered in TLS (`offeredProtocols`). */
  readonly offered?: readonly string[] | undefined;
}

/** What OpenSSL says where client and server have no protocol in common (ALPN). */
const NO_PROTOCOL = /^ERR_SSL_.*NO_APPLICATION_PROTOCOL/;
/** HTTP/2 and its drafts. */
const isHttp2 = (protocol: string): boolean => /^h2(?:-|$)/.test(protocol);

const TLS_CAUSES: readonly (readonly [RegExp, ConnectionRefusal])[] = [
  [/HTTP_REQUEST|HTTPS_PROXY_REQUEST/, 'tls_http'],
  [/HANDSHAKE_TIMEOUT/, 'tls_timeout'],
  [
    /UNSUPPORTED_PROTOCOL|UNKNOWN_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO|WRONG_SSL_VERSION/,
    'tls_version',
  ],
  [
    /SHARED_CIPHER|CIPHERS|SUITABLE|SHARED_(?:GROUP|SIGNATURE)|HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|NO_CERTIFICATE_SET/,
    'tls_cipher',
  ],
  [/UNKNOWN_CA|CERTIFICATE|UNRECOGNIZED_NAME|ACCESS_DENIED/, 'tls_certificate'],
];

const HTTP_CAUSES: Readonly<Record<string, ConnectionRefusal>> = {
  HPE_CR_EXPECTED: 'line_end',
  HPE_LF_EXPECTED: 'line_end',
  HPE_INVALID_CHUNK_SIZE: 'chunk_invalid',
  HPE_STRICT: 'chunk_invalid',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'chunk_invalid',
  HPE_INVALID_METHOD: 'method_invalid',
  HPE_INVALID_URL: 'target_invalid',
  HPE_INVALID_VERSION: 'version_invalid',
  HPE_INVALID_CONSTANT: 'version_invalid',
  HPE_INVALID_EOF_STATE: 'cut_off',
  HPE_CLOSED_CONNECTION: 'bytes_after_end',
  HPE_HEADER_OVERFLOW: 'head_too_long',
  HPE_PAUSED_H2_UPGRADE: 'http2',
};

/** What a request says of its body. */
interface RequestFraming {
  readonly httpVersion: string;
  readonly headers: { readonly 'transfer-encoding'?: string | undefined };
}

/**
 * True for a body in a coding other than plain chunks, and for chunks in HTTP/1.0, which has none (RFC 9112, 6.1). Node takes any list that ends
 * with `chunked`, and would give what is inside, such as gzip, for the body.
 */
export function hasOtherCoding({ httpVersion, headers }: RequestFraming): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (!/^chunked$/i.test(coding) || httpVersion === '1.0');
}

/** What a connection that began with another protocol is called, whichever port it came to. */
const OTHER_PROTOCOLS: Readonly<Partial<Record<Protocol, ConnectionRefusal>>> = {
  http2: 'http2',
  proxy_protocol: 'proxy_protocol',
  other: 'other_protocol',
};

/** Faults that the parser names by the character at which it noticed them. */
const FAULTS_OF_HEADS: readonly (readonly [RegExp, ConnectionRefusal])[] = [
  [/(?:^|[^\r])\n|\r(?!\n|$)/, 'line_end'],
  [/\r\n[ \t]/, 'header_folded'],
  [/\r\n[^:\r\n]*[ \t]:/, 'header_blank'],
];

/**
 * Why Node refused a connection or the bytes on it; undefined when its client disconnected, which refuses nothing.
 * The parser of Node reports many faults under one code: the bytes tell those apart.
 */
export function connectionRefusal(
  { code = '' }: ConnectionError,
  { head, isInBody, isFirst = false, beforeTls = '', offered = [] }: ConnectionFacts,
): ConnectionRefusal | undefined {
  const insteadOfTls = beforeTls === '' ? 'tls' : protocolOf(beforeTls);
  if (insteadOfTls === 'http') return 'tls_http';
  if (insteadOfTls !== 'tls') return OTHER_PROTOCOLS[insteadOfTls];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return lateRefusal(head, isInBody);
  if (code.startsWith('HPE_')) {
    return isInBody ? bodyRefusal(code) : headRefusal(code, head, isFirst);
  }
  if (NO_PROTOCOL.test(code)) return offered.some(isHttp2) ? 'http2' : 'tls_protocol';
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return tlsRefusal(code);
  return undefined;
}

function lateRefusal(head: string, isInBody: boolean): ConnectionRefusal {
  if (isInBody) return 'body_late';
  return head === '' ? 'no_request' : 'head_late';
}

function bodyRefusal(code: string): ConnectionRefusal {
  if (code === 'HPE_INVALID_EOF_STATE') return 'cut_off';
  if (code.includes('TRANSFER_ENCODING')) return 'transfer_encoding';
  return code === 'HPE_HEADER_OVERFLOW' ? 'head_too_long' : 'chunk_invalid';
}

/** Errors of the parser in a first line. What follows on a first line in HTTP is no other protocol. */
const FIRST_LINE = /^HPE_(?:INVALID_(?:METHOD|CONSTANT|VERSION|URL)|(?:CR|LF)_EXPECTED)$/;

/** True for a broken first line, which may be one of another protocol. */
export const isOfFirstLine = ({ code = '' }: ConnectionError): boolean => FIRST_LINE.test(code);

function headRefusal(code: string, head: string, isFirst: boolean): ConnectionRefusal {
  const protocol = protocolOf(head);
  if (protocol === 'tls') return 'tls_on_plain';
  if (protocol === 'http2' || protocol === 'proxy_protocol') return protocol;
  if (protocol === 'other' && isFirst && FIRST_LINE.test(code)) return 'other_protocol';
  const known = HTTP_CAUSES[code];
  // These are unmistakable; the parser stops at them wherever they stand.
  if (known === 'head_too_long' || known === 'cut_off' || known === 'bytes_after_end') return known;
  const byBytes = FAULTS_OF_HEADS.find(([sign]) => sign.test(head))?.[1];
  return byBytes ?? known ?? lengthRefusal(code, head) ?? 'http_broken';
}

function lengthRefusal(code: string, head: string): ConnectionRefusal | undefined {
  if (code === 'HPE_INVALID_HEADER_TOKEN') return 'header_invalid';
  if (!/CONTENT_LENGTH|TRANSFER_ENCODING/.test(code)) return undefined;
  const lengths = head.match(/^content-length[ \t]*:/gim)?.length ?? 0;
  if (lengths > 0 && /^transfer-encoding[ \t]*:/im.test(head)) return 'length_and_chunks';
  if (lengths > 1) return 'length_twice';
  return code.includes('TRANSFER_ENCODING') ? 'transfer_encoding' : 'length_invalid';
}

function tlsRefusal(code: string): ConnectionRefusal {
  return TLS_CAUSES.find(([sign]) => sign.test(code))?.[1] ?? 'tls_broken';
}

/** The status of the answer to broken HTTP; undefined where no answer can be given. */
export function statusOfRefusal({ code }: ConnectionError): 400 | 408 | 431 {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
}
