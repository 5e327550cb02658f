import { TransportFailure } from '../../deviation.ts';
import type { Answer } from '../../exchange.ts';

/** More of an answer is not read: one of this service has a few hundred bytes. */
const ANSWER_BYTES_MAX = 256 * 1024;
const HEAD_END = '\r\n\r\n';

/** One whole answer at the beginning of what has arrived. */
export interface Arrived {
  readonly answer: Answer;
  /** How many bytes it takes up; the next answer begins behind them. */
  readonly bytes: number;
  /** True when the server closes the connection after it. */
  readonly closes: boolean;
}

/**
 * Reads the first answer in `bytes`; undefined while it is not whole.
 * @param ended true when no more bytes will come
 * @throws TransportFailure `not-http` when it is no HTTP/1 answer, `incomplete` when it ended too early or never ends
 */
export function parseAnswer(bytes: Buffer, ended: boolean): Arrived | undefined {
  if (bytes.length > ANSWER_BYTES_MAX)
    throw new TransportFailure('incomplete', 'the answer is longer than 256 KiB');
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const match = /^HTTP\/1\.([01]) (\d{3})/.exec(statusLine);
  if (!match) throw new TransportFailure('not-http', 'the server does not speak HTTP/1');
  const bodyStart = headEnd + HEAD_END.length;
  const status = Number(match[2]);
  if (status < 200) return afterInterim(bytes, bodyStart, ended);
  const headers = headersFrom(lines);
  const body = bodyFrom(bytes, bodyStart, status, headers, ended);
  if (!body) return undefined;
  const text = body.content.toString('utf8');
  const closes = /close/i.test(headers['connection'] ?? '') || (match[1] === '0' && body.open);
  return {
    answer: { status, headers, body: text, json: parseJson(text), cut: false },
    bytes: body.end,
    closes: closes || body.open,
  };
}

/** A 1xx answer announces another one. */
function afterInterim(bytes: Buffer, start: number, ended: boolean): Arrived | undefined {
  const next = parseAnswer(bytes.subarray(start), ended);
  return next && { ...next, bytes: next.bytes + start };
}

function headersFrom(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

interface Body {
  readonly content: Buffer;
  readonly end: number;
  /** True when only the end of the connection ended it. */
  readonly open: boolean;
}

function bodyFrom(
  bytes: Buffer,
  start: number,
  status: number,
  headers: Readonly<Record<string, string>>,
  ended: boolean,
): Body | undefined {
  if (status === 204 || status === 304)
    return { content: Buffer.alloc(0), end: start, open: false };
  if (/chunked/i.test(headers['transfer-encoding'] ?? '')) return chunkedBody(bytes, start);
  const length = headers['content-length'];
  if (length === undefined) {
    return ended ? { content: bytes.subarray(start), end: bytes.length, open: true } : undefined;
  }
  const end = start + Number(length);
  return bytes.length < end ? undefined : { content: bytes.subarray(start, end), end, open: false };
}

function chunkedBody(bytes: Buffer, start: number): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new TransportFailure('not-http', 'a chunk has no length');
    const chunkEnd = lineEnd + 2 + size;
    if (bytes.length < chunkEnd + 2) return undefined;
    if (size === 0) {
      const end = trailerEnd(bytes, lineEnd);
      return end === undefined ? undefined : { content: Buffer.concat(chunks), end, open: false };
    }
    chunks.push(bytes.subarray(lineEnd + 2, chunkEnd));
    at = chunkEnd + 2;
  }
}

/** Behind the last chunk: an empty line, or trailers and an empty line. */
function trailerEnd(bytes: Buffer, lineEnd: number): number | undefined {
  const end = bytes.indexOf(HEAD_END, lineEnd);
  return end < 0 ? undefined : end + HEAD_END.length;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
