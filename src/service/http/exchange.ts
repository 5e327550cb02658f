import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '../../core/scan-batch.ts';

/** The parts of a request that endpoints read, besides its body. */
export type RequestHead = Pick<IncomingMessage, 'url' | 'headers' | 'socket'>;

/** A body, or why it cannot be read: it is too long, or the request is not valid HTTP. */
export type RequestBody = Buffer | 'too_long' | 'broken_http';

/** Where an answer goes: a server's response, or something that looks at the answer first. */
export interface AnswerSink {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(text: string, encoding: 'latin1' | 'utf8'): unknown;
}

/** Hears of every request that is refused for its key, the scope of that key, or a limit. */
export interface RefusalReporter {
  /** @param status of the decision, whatever status a device is sent @param by absent when the decision refused it */
  report(
    status: number,
    request: RequestHead,
    by?: { readonly refusal: Refusal; readonly serial: string | null },
  ): void;
}

/** A request to a scan path with its body, and the way to answer it once. */
export interface Exchange {
  readonly request: RequestHead;
  readonly refusals?: RefusalReporter | undefined;
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

/** Writes an answer in one piece. */
export function send(
  { response }: Pick<Exchange, 'response'>,
  status: number,
  contentType: string,
  text: string,
  headers?: Readonly<Record<string, string | number>>,
): void {
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
