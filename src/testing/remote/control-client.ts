import { type ErrorCode, messageOf, TicketscanError } from '../../core/errors.ts';
import { CONTROLS_PATH, TOKEN_HEADER } from './routes.ts';

const CODES: Readonly<Record<number, ErrorCode>> = { 404: 'not_found', 409: 'conflict' };

/** Calls the controls of a server over HTTP. */
export class ControlClient {
  readonly #base: string;
  readonly #testToken: string;

  /** @param url of the server, without a slash at its end @param testToken of its start line */
  constructor(url: string, testToken: string) {
    this.#base = `${url}${CONTROLS_PATH}`;
    this.#testToken = testToken;
  }

  /**
   * @throws TicketscanError with the server's own words; `unreachable` when there is no server, or none with controls
   */
  async call<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer> {
    const response = await this.#fetch(path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (response.status === 204) return undefined as Answer;
    const text = await response.text();
    if (!response.ok) throw this.#problem(response.status, text);
    try {
      return JSON.parse(text) as Answer;
    } catch {
      throw this.#noControls();
    }
  }

  /** The body of an endless answer; ends with `signal`. */
  async open(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#fetch(path, { signal });
    if (response.ok && response.body) return response.body;
    throw this.#problem(response.status, await response.text());
  }

  async #fetch(
    path: string,
    init: { headers?: Record<string, string> } & Omit<RequestInit, 'headers'>,
  ): Promise<Response> {
    try {
      const headers = { ...init.headers, [TOKEN_HEADER]: this.#testToken };
      return await fetch(`${this.#base}${path}`, { ...init, headers });
    } catch (error) {
      const cause = (error as { cause?: unknown }).cause ?? error;
      throw new TicketscanError(
        'unreachable',
        `${this.#base} cannot be reached: ${messageOf(cause)}.`,
        { cause: error },
      );
    }
  }

  #problem(status: number, text: string): TicketscanError {
    const message = messageIn(text);
    if (status === 404 && message === 'Not Found') {
      return this.#noControls();
    }
    return new TicketscanError(CODES[status] ?? 'usage', message);
  }

  #noControls(): TicketscanError {
    return new TicketscanError(
      'unreachable',
      `${this.#base} has no test controls for this token: start the server with --test-controls, and use the testToken of its start line.`,
    );
  }
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}
