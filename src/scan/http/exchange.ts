import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyPluginCallback } from 'fastify';
import type { Logger } from 'pino';
import type { BodyIssue, Operation } from '../../core/decision.ts';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import type { EdgeReason } from '../../core/outcome-names.ts';
import type { Refusal } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { TrustedProxies } from '../../kit/client-address.ts';
import type { DeviceFiles } from '../devices/device-files.ts';
import type { RefusedAtEdge, RefusedRequest } from '../refusal-counter.ts';
import { NotDecidedError, type ScanService } from '../scan-service.ts';

/** The parts of a request that endpoints read, besides its body. */
export type RequestHead = Pick<IncomingMessage, 'url' | 'headers' | 'socket'>;

/** A body, or why it cannot be read: it is too long, or the request is not valid HTTP. */
export type RequestBody = Buffer | 'too_long' | 'broken_http';

/** The receiver of an answer: a server's response, or code that reads the answer first. */
export interface AnswerSink {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(text: string, encoding: 'latin1' | 'utf8'): unknown;
}

/** Gets every request that is refused for its form, its key, the scope of the key, or a limit. */
export interface RefusalReporter {
  /** @param status of the decision, even when the device gets another @param by absent when the decision refused it */
  report(
    status: number,
    request: RequestHead,
    by?: { readonly refusal: Refusal; readonly serial: string | null },
  ): void;
  /** @param code what is wrong with it, in one word */
  refused(reason: EdgeReason, request: RequestHead, code?: string): void;
}

/** A request to a scan path with its body, and the way to answer it once. */
export interface Exchange {
  readonly request: RequestHead;
  readonly refusals?: RefusalReporter | undefined;
  readonly response: AnswerSink;
  /** The part after the question mark; empty when there is none. */
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

/** The dependencies of the HTTP layer, which itself opens no port and reads no environment. */
export interface HttpDeps {
  readonly service: ScanService;
  /** Rejects when the store cannot write; asked by `/readyz`. */
  readonly checkWritable: () => Promise<void>;
  readonly log: Logger;
  /** Proxies whose `X-Forwarded-For` counts; none without it. */
  readonly isTrustedProxy?: TrustedProxies | undefined;
  /** Called for everything that is refused before a decision, of every layer. */
  readonly countRefusal?: ((refused: RefusedRequest | RefusedAtEdge) => void) | undefined;
  /** Finds where a ticket was used last, for the message of a denial; must not reject. */
  readonly lastGate?: ((ticket: Ticket) => Promise<string | undefined>) | undefined;
  /** Devices that are described in files; none without it. */
  readonly deviceFiles?: DeviceFiles | undefined;
  /** True for controllers that ignore the body of any answer but a 200. */
  readonly hardwareAlways200: boolean;
  /** Present only in a server for tests (`serve --test-controls`, `serve --vary`, `ticketscan/testing`). */
  readonly testHooks?: TestHooks;
}

/** Hooks of a server for tests. Without them none of their code runs, and their paths do not exist. */
interface TestHooks {
  /** Called once for each scan path when the server is built. Returns the endpoint that answers instead. */
  readonly around: (path: string, endpoint: Endpoint) => ServedEndpoint;
  /** The controls over HTTP, under `/_test`; absent where tests control nothing. */
  readonly routes?: FastifyPluginCallback;
  /** The log level of request lines; `debug` without it. */
  readonly requestLevel?: 'info';
}

/** Says in the log why a scan has no answer but 500: whether it may have taken a use is what its reader must know. */
export function logFailedScan({ log }: HttpDeps, operation: Operation, error: unknown): void {
  if (error instanceof NotDecidedError) {
    log.warn(
      { action: operation, error: error.message },
      'a scan cannot be decided here, and took no use',
    );
    return;
  }
  const isGivenUp = error instanceof TicketscanError && error.code === 'store_busy';
  log.error(
    { action: operation, error: messageOf(error) },
    isGivenUp ? 'a scan was given up, and took no use' : 'the outcome of a scan is unknown',
  );
}

/** Reports a request whose body cannot be used, when its key is known. @param issue what is wrong, where somebody found out */
export function reportUnreadable(
  { refusals, request, body }: Exchange,
  issue: BodyIssue | undefined,
): void {
  // What is wrong with its HTTP was told when that was found.
  if (body === 'broken_http') return;
  const code = issue ?? (typeof body === 'string' ? body : 'no_code');
  refusals?.refused(code === 'too_long' ? 'body_too_long' : 'content_invalid', request, code);
}

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
