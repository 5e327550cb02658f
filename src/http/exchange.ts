import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_BYTES_MAX } from '../core/limits.ts';

/** Where an answer goes: a server's response, or something that looks at the answer first. */
export interface AnswerSink {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(text: string, encoding: 'latin1' | 'utf8'): unknown;
}

interface Refusals {
  note(status: number, request: IncomingMessage, query: string): void;
}

/** A request to a scan path with its body, and the way to answer it once. */
export interface Exchange {
  readonly request: IncomingMessage;
  /** Is told of answers that refuse somebody. */
  readonly refusals?: Refusals | undefined;
  readonly response: AnswerSink;
  /** After the question mark; empty when there is none. */
  readonly query: string;
  /** Undefined when the body is longer than any scan. */
  readonly body: Buffer | undefined;
}

/** Answers one exchange; never rejects. */
export type Endpoint = (exchange: Exchange) => Promise<void>;

/** An exchange whose answer goes straight to the client. */
export interface ServedExchange extends Exchange {
  readonly response: ServerResponse;
}

export type ServedEndpoint = (exchange: ServedExchange) => Promise<void>;

const NO_BODY = Buffer.alloc(0);

/**
 * Longer bodies are read to their end up to here before they are refused: a proxy that is still sending when the
 * connection is closed loses our answer and makes it a 502.
 */
const REFUSED_BODY_BYTES_MAX = 1024 * 1024;

/**
 * Collects the body and calls `then` once; never when the client leaves before it is whole.
 * A body that is far too long is not read to its end: the answer closes the connection.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  then: (body: Buffer | undefined) => void,
): void {
  if (Number(request.headers['content-length'] ?? 0) > REFUSED_BODY_BYTES_MAX) {
    refuseRest(response);
    then(undefined);
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
      then(undefined);
    } else if (length > BODY_BYTES_MAX) more = undefined;
    else if (!first) first = chunk;
    else if (more) more.push(chunk);
    else more = [first, chunk];
  });
  request.on('end', () => {
    if (length <= BODY_BYTES_MAX) then(more ? Buffer.concat(more) : (first ?? NO_BODY));
    else if (length <= REFUSED_BODY_BYTES_MAX) then(undefined);
  });
  // The client has gone: there is nobody to answer.
  request.on('error', () => {});
}

/** What is left of the body is still on its way: where the next request begins is unknown. */
function refuseRest(response: ServerResponse): void {
  response.setHeader('connection', 'close');
}

/** Writes an answer in one piece. */
export function send(
  { response, refusals, request, query = '' }: Pick<Exchange, 'response'> & Partial<Exchange>,
  status: number,
  contentType: string,
  text: string,
  headers?: Readonly<Record<string, string | number>>,
): void {
  if (request && (status === 401 || status === 403 || status === 429)) {
    refusals?.note(status, request, query);
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
