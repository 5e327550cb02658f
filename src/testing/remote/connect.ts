import { TicketscanError } from '../../core/errors.ts';
import { withoutEndSlashes } from '../../scan/http/scan-paths.ts';
import { timeMs, withTimesInMs } from '../clock/duration.ts';
import type {
  ClockState,
  Duration,
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
import { NO_TICKETS, TicketPool } from '../data/ticket-pool.ts';
import type { Fault, FaultRule } from '../faults/fault.ts';
import { ControlClient } from './control-client.ts';
import { eventsIn } from './event-stream.ts';
import { STREAM_PATH } from './routes.ts';

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
  /** As the server's start line says it; `seed` resets the server to a new sample, without it it is left as it is. */
  readonly testToken: string;
}

interface Seeded {
  readonly sample: Sample | null;
}

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
