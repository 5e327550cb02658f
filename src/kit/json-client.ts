import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import { agentFrom } from './agents.ts';
import { faultOfFraming, faultOfHeaders } from './answer-faults.ts';
import { boundedText, trusting } from './connections.ts';
import { type Caller, connectionFailure, inOneClause } from './failures.ts';
import { parsedJson } from './json-text.ts';
import { isProxySetting } from './proxies.ts';

type Undici = typeof import('undici');

/** No list or file that a server makes for a command is as long. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export interface JsonClientOptions {
  /** Address in front of every path, without a slash at its end. */
  readonly base: string;
  /** The headers of every request, such as a token. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM text of certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
  /** The time limit for the whole of a request and its answer. Endless by default. */
  readonly timeoutMs?: number;
  /** Asks for compressed answers, and expands them. */
  readonly isCompressed?: true;
  /** Ends what is under way, and all that follows. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each complete answer; the time is from the request to the end of the answer. */
  readonly onAnswer?:
    | ((request: JsonRequest, status: number, elapsedMs: number) => void)
    | undefined;
  /** Makes the error for a server that gives no whole answer. @param why part of a sentence, for people */
  readonly unreachable: (why: string, cause: unknown) => Error;
  /** Who is told `why`; a command by default. */
  readonly caller?: Caller | undefined;
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string | undefined;
  /** `application/json` by default. */
  readonly contentType?: string;
}

export interface JsonAnswer {
  readonly status: number;
  readonly isOk: boolean;
  readonly text: string;
  /** Undefined when the text is not JSON. */
  readonly json: unknown;
  /** The server's clock, to the second: milliseconds since 1970 UTC; NaN when it does not say it. */
  readonly atMs: number;
}

/** Talks JSON to one server, over connections that are kept open. Follows no redirects and repeats nothing. */
export class JsonClient {
  readonly #options: JsonClientOptions;
  #agent: Agent | undefined;

  constructor(options: JsonClientOptions) {
    this.#options = options;
  }

  /** @throws what `unreachable` makes; a refusal is an answer */
  async send(request: JsonRequest): Promise<JsonAnswer> {
    const { timeoutMs, signal: ended } = this.#options;
    const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const signal = limit && ended ? AbortSignal.any([limit, ended]) : (limit ?? ended);
    const sentAt = performance.now();
    try {
      const { statusCode: status, headers, body } = await this.#request(request, signal);
      const atMs = Date.parse(String(headers['date']));
      const plain = this.#isPacked(headers) ? pipeline(body, createGunzip(), ignored) : body;
      const text = await boundedText(plain, ANSWER_BYTES_MAX);
      this.#options.onAnswer?.(request, status, performance.now() - sentAt);
      return { status, isOk: isOk(status), text, json: parsedJson(text), atMs };
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  /**
   * An answer that goes on until `signal` ends it.
   * @returns its pieces; of a refusal the whole text
   * @throws what `unreachable` makes
   */
  async open(
    path: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array> | Pick<JsonAnswer, 'status' | 'text'>> {
    try {
      const { statusCode: status, body } = await this.#request({ method: 'GET', path }, signal);
      return isOk(status) ? body : { status, text: await boundedText(body, ANSWER_BYTES_MAX) };
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #request(
    { method, path, body, contentType = 'application/json' }: JsonRequest,
    signal: AbortSignal | undefined,
  ): Promise<Dispatcher.ResponseData> {
    // Loaded by the first request: most runs of the program make none. Of a CommonJS package a bundle has the default alone.
    const { default: undici } = (await import('undici')) as unknown as { default: Undici };
    this.#agent ??= agentFrom(undici, {
      tls: trusting(this.#options.ca),
      limits: { headersTimeout: 0, bodyTimeout: 0 },
    });
    const answer = await undici.request(`${this.#options.base}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        'accept-encoding': this.#options.isCompressed ? 'gzip' : 'identity',
        ...this.#options.headers,
        ...(body !== undefined && { 'content-type': contentType }),
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    const failure = this.#isPacked(answer.headers)
      ? faultOfFraming(answer.headers)
      : faultOfHeaders(answer.headers);
    if (!failure) return answer;
    answer.body.on('error', () => undefined).destroy();
    throw failure;
  }

  #isPacked(headers: IncomingHttpHeaders): boolean {
    return this.#options.isCompressed === true && headers['content-encoding'] === 'gzip';
  }

  #unreachable(error: unknown): Error {
    if (isProxySetting(error)) return error;
    const { base, unreachable, caller } = this.#options;
    return unreachable(inOneClause(connectionFailure(error, new URL(base).origin, caller)), error);
  }
}

/** Who reads the last stream of a pipeline gets its failure. */
const ignored = () => undefined;

const isOk = (status: number) => status >= 200 && status < 300;
