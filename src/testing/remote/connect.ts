import { type ErrorCode, TicketscanError } from '../../core/errors.ts';
import { withoutEndSlashes } from '../../kit/base-address.ts';
import { asSentence, type Caller, COMMAND } from '../../kit/failures.ts';
import { JsonClient } from '../../kit/json-client.ts';
import { jsonRecord } from '../../kit/json-text.ts';
import { timeMs, withTimesInMs } from '../clock.ts';
import type {
  ClockState,
  Duration,
  Fault,
  FaultRule,
  MadeTicket,
  RecordedExchange,
  RequestFilter,
  Sample,
  SeedOptions,
  Snapshot,
  TicketRequest,
  TicketState,
  TicketscanService,
  Time,
} from '../controls.ts';
import { NO_TICKETS, TicketPool } from '../sample.ts';
import { CONTROLS_PATH, STREAM_PATH, TOKEN_HEADER } from './control-routes.ts';

/**
 * The controls of a server in another process, started with `serve --test-controls`.
 *
 * ```ts
 * const { url, testToken } = JSON.parse(firstLine);
 * const service = await connectTicketscan(url, { testToken, seed: 'all-states' });
 * ```
 * @throws TicketscanError `unreachable` when there is no such server, or it has another token
 */
export async function connectTicketscan(
  url: string,
  { testToken, seed, ...options }: ConnectOptions,
): Promise<TicketscanService> {
  const service = new RemoteService(url, testToken);
  if (seed !== undefined) await service.reset({ seed, ...options });
  else await service.learnSample();
  return service;
}

/** The service to control, and the sample that it is reset to. */
export interface ConnectOptions extends Partial<SeedOptions> {
  /** The token of the server's start line. `seed` resets the server to a new sample; without it the server is left as it is. */
  readonly testToken: string;
}

interface Seeded {
  readonly sample: Sample | null;
}

/** A test of somebody: it has no command line, and `connectTicketscan` no certificate. */
const TEST: Caller = { ...COMMAND, trust: 'by the variable NODE_EXTRA_CA_CERTS' };

class RemoteService implements TicketscanService {
  readonly url: string;
  readonly testToken: string;
  readonly #client: ControlClient;
  readonly #closed = new AbortController();
  #sample: Sample | null = null;
  #pool = new TicketPool(NO_TICKETS);

  constructor(url: string, testToken: string) {
    this.url = withoutEndSlashes(url);
    this.testToken = testToken;
    this.#client = new ControlClient(this.url, testToken);
  }

  get events(): Sample['events'] {
    return this.#seeded.events;
  }

  get keys(): Sample['keys'] {
    return this.#seeded.keys;
  }

  get tickets(): Sample['tickets'] {
    return this.#seeded.tickets;
  }

  ticket(state: TicketState): string {
    return this.#pool.take(state);
  }

  async learnSample(): Promise<void> {
    this.#learn(await this.#client.call<Seeded>('GET', '/sample'));
  }

  async reset(options?: SeedOptions): Promise<void> {
    this.#learn(await this.#client.call<Seeded>('POST', '/reset', options));
  }

  snapshot(): Promise<Snapshot> {
    return this.#client.call('POST', '/snapshot');
  }

  restore({ id }: Snapshot): Promise<void> {
    return this.#client.call('POST', '/restore', { id });
  }

  clock(): Promise<ClockState> {
    return this.#client.call('GET', '/clock');
  }

  async setClock(time: Time): Promise<ClockState> {
    return this.#client.call('POST', '/clock', { set: timeMs(time) });
  }

  advance(duration: Duration): Promise<ClockState> {
    return this.#client.call('POST', '/clock', { advance: duration });
  }

  async freezeClock(time?: Time): Promise<ClockState> {
    const set = time === undefined ? {} : { set: timeMs(time) };
    return this.#client.call('POST', '/clock', { ...set, freeze: true });
  }

  resumeClock(): Promise<ClockState> {
    return this.#client.call('POST', '/clock', { freeze: false });
  }

  fail(rule: FaultRule): Promise<Fault> {
    return this.#client.call('POST', '/faults', rule);
  }

  async faults(): Promise<readonly Fault[]> {
    return (await this.#client.call<{ faults: Fault[] }>('GET', '/faults')).faults;
  }

  clearFaults(id?: string): Promise<void> {
    const path = id === undefined ? '/faults' : `/faults/${encodeURIComponent(id)}`;
    return this.#client.call('DELETE', path);
  }

  async requests(filter: RequestFilter = {}): Promise<readonly RecordedExchange[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const path = `/requests?${query}`;
    return (await this.#client.call<{ requests: RecordedExchange[] }>('GET', path)).requests;
  }

  watchRequests(signal?: AbortSignal): AsyncIterable<RecordedExchange> {
    const ended = signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
    const opened = this.#client.open(STREAM_PATH, ended);
    // Whoever never reads must not make the process fail.
    opened.catch(() => {});
    return {
      async *[Symbol.asyncIterator]() {
        try {
          for await (const data of eventsIn(await opened)) {
            yield JSON.parse(data) as RecordedExchange;
          }
        } catch (error) {
          if (!ended.aborted) throw error;
        }
      },
    };
  }

  async mint(request: TicketRequest = {}): Promise<MadeTicket> {
    return this.#client.call('POST', '/tickets', withTimesInMs(request));
  }

  /** Ends what is watched; the server goes on. */
  async close(): Promise<void> {
    this.#closed.abort();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #learn({ sample }: Seeded): void {
    this.#sample = sample;
    this.#pool = new TicketPool(sample?.tickets ?? NO_TICKETS);
  }

  get #seeded(): Sample {
    if (this.#sample) return this.#sample;
    throw new TicketscanError(
      'usage',
      "The server has no sample: connect with { seed: 'all-states' }, or reset with it.",
    );
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = { 404: 'not_found', 409: 'conflict' };

/** Calls the controls of a server over HTTP. */
class ControlClient {
  readonly #base: string;
  readonly #client: JsonClient;

  /** @param url of the server, without a slash at its end @param testToken of its start line */
  constructor(url: string, testToken: string) {
    this.#base = `${url}${CONTROLS_PATH}`;
    this.#client = new JsonClient({
      base: this.#base,
      headers: { [TOKEN_HEADER]: testToken },
      caller: TEST,
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
  const message = jsonRecord(text)?.['message'];
  return typeof message === 'string' ? message : text;
}

/** The data of each server-sent event in a response's body. */
async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data: '));
      if (data.length > 0) yield data.map((line) => line.slice('data: '.length)).join('\n');
    }
  }
}
