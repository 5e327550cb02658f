import type { WireAnswer } from '../wire.ts';

/** A whole HTTP response. */
export interface ParsedResponse {
  readonly answer: WireAnswer;
  /** How long the connection may stay idle before it is used again, in milliseconds; 0 is not at all. */
  readonly reusableMs: number;
}

/** Servers that do not say how long they keep a connection are taken to keep it this long. */
const USUAL_KEEP_ALIVE_MS = 4000;
const HEAD_END = '\r\n\r\n';

/**
 * Reads an HTTP/1.1 response.
 * @param ended true when nothing more will come
 * @returns undefined while more is needed, `malformed` when this is no HTTP response
 */
export function parseResponse(
  bytes: Buffer,
  ended: boolean,
): ParsedResponse | 'malformed' | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return ended || !looksLikeHttp(bytes) ? 'malformed' : undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
  if (!status) return 'malformed';
  const bodyStart = headEnd + HEAD_END.length;
  if (status < 200) return parseResponse(bytes.subarray(bodyStart), ended);
  const body = bodyOf(bytes.subarray(bodyStart), head, ended);
  if (body === undefined) return ended ? 'malformed' : undefined;
  return { answer: { status, body }, reusableMs: ended ? 0 : reusableMs(head) };
}

function looksLikeHttp(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 5);
  return 'HTTP/'.startsWith(start);
}

function bodyOf(bytes: Buffer, head: string, ended: boolean): string | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    return bytes.length < Number(length) ? undefined : bytes.toString('utf8', 0, Number(length));
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return chunkedBody(bytes);
  return ended ? bytes.toString('utf8') : undefined;
}

function chunkedBody(bytes: Buffer): string | undefined {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const start = lineEnd + 2;
    if (size === 0) return Buffer.concat(parts).toString('utf8');
    if (!(size > 0) || bytes.length < start + size + 2) return undefined;
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

function reusableMs(head: string): number {
  if (/\r\nconnection: *close/i.test(head)) return 0;
  const seconds = /\r\nkeep-alive: *timeout=(\d+)/i.exec(head)?.[1];
  // A second of margin: the server must not close just as the next request leaves.
  return seconds === undefined ? USUAL_KEEP_ALIVE_MS : Math.max(0, Number(seconds) * 1000 - 1000);
}
