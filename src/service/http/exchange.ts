import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_BYTES_MAX } from '../../core/limits.ts';
import type { Refusal } from '../../core/scan-batch.ts';
import { namesOneHost } from './request-head.ts';

/** Where an answer goes: a server's response, or something that looks at the answer first. */
export interface AnswerSink {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(text: string, encoding: 'latin1' | 'utf8'): unknown;
}

/** The parts of a request that endpoints read, besides its body. */
export type RequestHead = Pick<IncomingMessage, 'url' | 'headers' | 'socket'>;

interface Refusals {
  note(status: number, request: RequestHead): void;
  count(refusal: Refusal, request: RequestHead, serial: string | null): void;
}

/** A body, or why it cannot be read: it is too long, or the request is not valid HTTP. */
export type RequestBody = Buffer | 'too_long' | 'broken_http';

/** A request to a scan path with its body, and the way to answer it once. */
export interface Exchange {
  readonly request: RequestHead;
  /** Called for every answer that refuses a request. */
  readonly refusals?: Refusals | undefined;
  readonly response: AnswerSink;
  /** After the question mark; empty when there is none. */
  readonly query: string;
  readonly body: RequestBody;
}

/** Answers one exchange; never rejects. */
export type Endpoint = (exchange: Exchange) => Promise<void>;

/** An exchange whose answer goes straight to the client. */
export interface ServedExchange extends Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type ServedEndpoint = (exchange: ServedExchange) => Promise<void>;

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

/** Tells the reader of a body that the rest is not HTTP. Returns false when nothing reads it. */
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
  // The client has disconnected: there is nobody to answer.
  request.on('error', () => {});
}

/** As `readBody`, for a request that must name one host. Otherwise it is answered as broken HTTP, and the connection ends. */
export function readRequest(
  request: IncomingMessage,
  response: ServerResponse,
  then: (body: RequestBody) => void,
): void {
  const isHttp = namesOneHost(request);
  if (!isHttp) response.setHeader('connection', 'close');
  readBody(request, response, (body) => then(isHttp ? body : 'broken_http'));
}

/** What is left of the body is still on its way: where the next request begins is unknown. */
function refuseRest(response: ServerResponse): void {
  response.setHeader('connection', 'close');
}

/** Writes an answer in one piece. */
export function send(
  { response, refusals, request }: Pick<Exchange, 'response'> & Partial<Exchange>,
  status: number,
  contentType: string,
  text: string,
  headers?: Readonly<Record<string, string | number>>,
): void {
  if (request && (status === 401 || status === 403 || status === 429)) {
    refusals?.note(status, request);
  }
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    'content-type': contentType,
    'cache-control': 'no-store',
    'content-length': length,
    ...headers,
  });
  // Text without umlauts is the same bytes either way, and cheaper to write as Latin-1.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
}
