import { type ErrorCode, TicketscanError } from '../../core/errors.ts';
import { asSentence } from '../../kit/failures.ts';
import { JsonClient } from '../../kit/json-client.ts';
import { CONTROLS_PATH, TOKEN_HEADER } from './routes.ts';

const CODES: Readonly<Record<number, ErrorCode>> = { 404: 'not_found', 409: 'conflict' };

/** Calls the controls of a server over HTTP. */
export class ControlClient {
  readonly #base: string;
  readonly #client: JsonClient;

  /** @param url of the server, without a slash at its end @param testToken of its start line */
  constructor(url: string, testToken: string) {
    this.#base = `${url}${CONTROLS_PATH}`;
    this.#client = new JsonClient({
      base: this.#base,
      headers: { [TOKEN_HEADER]: testToken },
      unreachable: (why, cause) => {
        const message = `${this.#base} cannot be reached: ${why}`;
        return new TicketscanError('unreachable', asSentence(message), { cause });
      },
    });
  }

  /**
   * @throws TicketscanError with the server's own words; `unreachable` when there is no server, or none with controls
   */
  async call<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    content?: unknown,
  ): Promise<Answer> {
    const body = content === undefined ? undefined : JSON.stringify(content);
    const { status, isOk, text, json } = await this.#client.send({ method, path, body });
    if (!isOk) throw this.#problem(status, text);
    if (status !== 204 && json === undefined) throw this.#noControls();
    return json as Answer;
  }

  /** The body of an endless answer; ends with `signal`. */
  async open(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const answer = await this.#client.open(path, signal);
    if ('status' in answer) throw this.#problem(answer.status, answer.text);
    return answer;
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
