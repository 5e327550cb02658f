import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyIssue } from '../../core/decision.ts';
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../../core/limits.ts';
import { outlineOf } from '../../kit/json-text.ts';
import { decodeUtf8 } from '../../kit/text.ts';
import type { RequestBody } from './exchange.ts';
import { faultOfRequest } from './request-head.ts';

const NO_BODY = Buffer.alloc(0);

/**
 * Longer bodies are read to their end up to here before they are refused: a proxy that is still sending when the
 * connection is closed loses our answer and makes it a 502.
 */
const REFUSED_BODY_BYTES_MAX = 1024 * 1024;

const BREAK_OFF = Symbol('break off');

interface ReadRequest extends IncomingMessage {
  [BREAK_OFF]?: () => void;
}

/** Ends the reading of a body whose rest is not valid HTTP. @returns false when the body is not being read */
export function breakOff(request: ReadRequest): boolean {
  request[BREAK_OFF]?.();
  return request[BREAK_OFF] !== undefined;
}

/**
 * Collects the body and calls `then` once; never when the client leaves before it is whole.
 * A body that is far too long is not read to its end: the answer closes the connection.
 */
function readBody(
  request: ReadRequest,
  response: ServerResponse,
  then: (body: RequestBody) => void,
): void {
  let isRead = false;
  const finish = (body: RequestBody) => {
    if (!isRead) then(body);
    isRead = true;
  };
  request[BREAK_OFF] = () => finish('broken_http');
  if (Number(request.headers['content-length'] ?? 0) > REFUSED_BODY_BYTES_MAX) {
    refuseRest(response);
    finish('too_long');
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    if (length > REFUSED_BODY_BYTES_MAX) return;
    length += chunk.length;
    if (length > REFUSED_BODY_BYTES_MAX) {
      refuseRest(response);
      finish('too_long');
    } else if (length > BODY_BYTES_MAX) more = undefined;
    else if (!first) first = chunk;
    else if (more) more.push(chunk);
    else more = [first, chunk];
  });
  request.on('end', () => {
    if (length <= BODY_BYTES_MAX) finish(more ? Buffer.concat(more) : (first ?? NO_BODY));
    else finish('too_long');
  });
  // The client has disconnected.
  request.on('error', () => {});
}

/** Reads a request like `readBody`. One that cannot be taken as it is framed is answered as broken HTTP, and the connection ends. */
export function readRequest(
  request: IncomingMessage,
  response: ServerResponse,
  then: (body: RequestBody) => void,
): void {
  const isHttp = faultOfRequest(request) === undefined;
  if (!isHttp) response.setHeader('connection', 'close');
  readBody(request, response, (body) => then(isHttp ? body : 'broken_http'));
}

/** What is left of the body is still on its way: where the next request begins is unknown. */
function refuseRest(response: ServerResponse): void {
  response.setHeader('connection', 'close');
}

export type JsonObject = Readonly<Record<string, unknown>>;

const BYTE_ORDER_MARK = '\uFEFF';

/** The text of a request body; undefined when it is too long, not UTF-8 or begins with a byte-order mark. */
export function readText(body: Uint8Array): string | undefined {
  if (body.length > BODY_BYTES_MAX) return undefined;
  const text = decodeUtf8(body);
  return text?.startsWith(BYTE_ORDER_MARK) ? undefined : text;
}

/** Why a body has no text that can be read. */
export function textIssue(body: Uint8Array): BodyIssue {
  if (body.length > BODY_BYTES_MAX) return 'too_long';
  return decodeUtf8(body) === undefined ? 'not_utf8' : 'byte_order_mark';
}

/**
 * The object in `text`, or what is wrong with it. A member of `uniqueMembers` may not occur twice: `JSON.parse` takes the last
 * of two, and a proxy may take the first.
 */
export function readObject(text: string, uniqueMembers: readonly string[]): JsonObject | BodyIssue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not_json';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not_object';
  if (!isPlain(text, uniqueMembers)) {
    const { depth, members } = outlineOf(text);
    if (depth > BODY_DEPTH_MAX) return 'too_deep';
    const times = (name: string) => members.filter((member) => member.name === name).length;
    if (uniqueMembers.some((name) => times(name) > 1)) return 'code_twice';
  }
  return value as JsonObject;
}

/** A fast check that passes most bodies: nothing is repeated or nested deeply. */
function isPlain(text: string, uniqueMembers: readonly string[]): boolean {
  if (text.includes('\\')) return false;
  if (uniqueMembers.some((name) => text.indexOf(name) !== text.lastIndexOf(name))) return false;
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) opened += 1;
  }
  return opened <= BODY_DEPTH_MAX;
}
