import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BODY_BYTES_MAX } from '../../core/limits.ts';
import { hostFault, isHost } from '../../kit/host-header.ts';
import { hasOtherCoding } from '../../kit/refused-connections.ts';

/** The head of a request that leaves nothing to interpret. */
export interface PlainHead {
  /** Path and query, as they were sent. */
  readonly url: string;
  readonly path: string;
  /** The part after the question mark; empty when there is none. */
  readonly query: string;
  /** The headers by their names in small letters, each once. */
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
}

/** The bytes that end a head. */
export const END_OF_HEAD = '\r\n\r\n';

const START = /^POST ((\/scan\/[a-z/]+)(?:\?([\w.~=&-]*))?) HTTP\/1\.1$/;
/** One blank or none in front of a value of visible ASCII. */
const HEADER = /^([a-z][a-z0-9-]*): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/i;
const LENGTH = /^[1-9]\d{0,3}$/;

/** What gates, libraries and proxies send. Any other header may change what the request means or how it is to be read. */
const HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'forwarded',
  'host',
  'idempotency-key',
  'pragma',
  'sec-fetch-mode',
  'traceparent',
  'tracestate',
  'user-agent',
  'via',
  'x-api-key',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
]);

/**
 * Reads a head that every reader of HTTP/1.1 understands alike (RFC 9112): a POST to a scan path, known headers once each in
 * plain ASCII, one host, a length, no transfer coding, a connection that stays open.
 * @param head up to and without its empty line, a character for each byte
 * @returns undefined for every other head, good or bad: HTTP has many more forms, and Node reads those
 */
export function readPlainHead(head: string): PlainHead | undefined {
  const [start = '', ...lines] = head.split('\r\n');
  const [, url, path, query = ''] = START.exec(start) ?? [];
  if (url === undefined || path === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    const known = name.toLowerCase();
    if (!HEADERS.has(known) || headers[known] !== undefined) return undefined;
    headers[known] = value;
  }
  const { connection = 'keep-alive', host, 'content-length': length = '' } = headers;
  const stays = connection.toLowerCase() === 'keep-alive';
  if (!stays || host === undefined || !isHost(host) || !LENGTH.test(length)) return undefined;
  const bodyBytes = Number(length);
  return bodyBytes > BODY_BYTES_MAX ? undefined : { url, path, query, headers, bodyBytes };
}

const SLASH = '/'.charCodeAt(0);

/** The authority of a target in absolute form. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)/i;

/**
 * Turns a target in absolute form (`POST http://host/scan/validate`) into the usual one. Its host counts then, whatever the
 * Host header says (RFC 9112, section 3.2.2).
 */
export function takeOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.charCodeAt(0) === SLASH) return;
  const [start, authority] = ABSOLUTE_FORM.exec(url) ?? [];
  if (start === undefined || authority === undefined) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = authority;
}

/** Why a request cannot be taken although Node could read it; undefined for a good one. */
export function faultOfRequest(
  request: IncomingMessage,
): 'host_missing' | 'host_invalid' | 'transfer_encoding' | undefined {
  return hostFault(request) ?? (hasOtherCoding(request) ? 'transfer_encoding' : undefined);
}
