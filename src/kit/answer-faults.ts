import type { IncomingHttpHeaders } from 'node:http';
import { ANSWER_HTTP2, BYTES_KEPT_MAX, isHttp2Answer } from './foreign-protocols.ts';
import { finalHead, HEAD_BYTES_MAX, HEADER_LINE, type HttpHead, headersOf } from './http1.ts';

/** A wrong answer, with the code that Node's parser has for it: so all clients say the same of it. */
function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The connection ended before the answer was whole. */
export const cutOff = () => fault('ECONNRESET');
/** The other side has the request, and no whole answer came in time. */
export const tooLate = () => fault('ERR_ANSWER_LATE');
/** There was no connection in time, so nothing was sent. */
export const notConnected = () => fault('ETIMEDOUT');
/** The answer is longer than any of this service. */
export const endless = () => fault('ERR_ANSWER_TOO_LONG');
/** The answer changes to another protocol (status 101). */
export const switchedProtocol = () => fault('ERR_ANSWER_SWITCHED');
/** What came is no HTTP/1. */
export const notHttp = () => fault('HPE_INVALID_CONSTANT');

/** Versions and statuses that Node's parser takes. */
const STATUS = /^HTTP\/(?:0\.9|1\.[01]|2\.0) [1-9]\d{2}(?: |\r\n)/;
const WRONG_LINE_END = /(?:^|[^\r])\n|\r(?!\n)/;
const LENGTH = /^\d{1,15}$/;

/**
 * Why nobody can be sure what an answer says, or where it ends; undefined for a good one. Node's parser and that of undici refuse such
 * answers: the clients that read heads themselves would otherwise take what the others refuse.
 */
export function faultOfHead(heads: HttpHead): Error | undefined {
  const head = finalHead(heads).replace(/^[\r\n]+/, '');
  if (WRONG_LINE_END.test(head)) return fault('HPE_CR_EXPECTED');
  if (!STATUS.test(head)) return notHttp();
  const lines = head.split('\r\n').slice(1);
  if (!lines.every((line) => line === '' || HEADER_LINE.test(line)))
    return fault('HPE_INVALID_HEADER_TOKEN');
  const values = Object.groupBy(headersOf(head), ([name]) => name.toLowerCase());
  const all = Object.entries(values).map(([name, found = []]) => [
    name,
    found.map(([, value]) => value),
  ]);
  return faultOfHeaders(Object.fromEntries(all));
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What is wrong with the headers of an answer whose head was read: its length is not clear, or nobody here can read its body. Node and undici
 * take some of these.
 */
export function faultOfHeaders(headers: Headers | IncomingHttpHeaders): Error | undefined {
  return faultOfFraming(headers) ?? codingFailure(headers['content-encoding']);
}

/** Looks at the length and the transfer coding alone, whatever the coding of the content. */
export function faultOfFraming(headers: Headers | IncomingHttpHeaders): Error | undefined {
  const lengths = [headers['content-length'] ?? []].flat();
  const codings = [headers['transfer-encoding'] ?? []].flat();
  if (lengths.length > 1 || (lengths.length > 0 && codings.length > 0))
    return fault('HPE_UNEXPECTED_CONTENT_LENGTH');
  if (!lengths.every((length) => LENGTH.test(length))) return fault('HPE_INVALID_CONTENT_LENGTH');
  const isChunked = codings.length === 0 || /^chunked$/i.test(codings.join(', '));
  return isChunked ? undefined : fault('HPE_INVALID_TRANSFER_ENCODING');
}

/** Why bytes are no answer: no head, or one without an end; or a chunk of the body behind this head is broken. */
export function faultOfBytes(head: HttpHead, bytes: Buffer): Error {
  if (head !== '') return fault('HPE_INVALID_CHUNK_SIZE');
  if (isHttp2Answer(bytes.toString('latin1', 0, BYTES_KEPT_MAX))) return fault(ANSWER_HTTP2);
  return bytes.length > HEAD_BYTES_MAX ? fault('HPE_HEADER_OVERFLOW') : notHttp();
}

/** Why an answer cannot be read: nobody here asks for a coding, and devices know none. Undefined for a plain one. */
export function codingFailure(coding: string | readonly string[] | undefined): Error | undefined {
  const name = [coding ?? ''].flat().join(', ').trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  return Object.assign(new Error(`the answer is compressed (${name}), which nobody asked for`), {
    code: 'ERR_ANSWER_CODED',
  });
}
