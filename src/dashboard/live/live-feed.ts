import type { LogEntry } from '../api/types.ts';

export interface LiveView {
  /** Newest first, at most `LIVE_ENTRIES_MAX`. */
  readonly entries: readonly LogEntry[];
  readonly state: 'connecting' | 'open' | 'lost';
  /** Scans that came in the last whole second. */
  readonly perSecond: number;
}

export const LIVE_ENTRIES_MAX = 200;
const SECOND_MS = 1000;

/**
 * Collects scans as they arrive and shows them once a frame. However many arrive, it keeps no more than
 * `LIVE_ENTRIES_MAX`, and the page draws no more often than the screen.
 */
export class LiveFeed {
  #view: LiveView = { entries: [], state: 'connecting', perSecond: 0 };
  /** Oldest first, since the last frame. */
  #arrived: LogEntry[] = [];
  #arrivedThisSecond = 0;
  #frame = 0;
  #listeners = new Set<() => void>();

  /** For `useSyncExternalStore`. */
  readonly current = (): LiveView => this.#view;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Listens to the server until the returned function is called. @param url of a stream of server-sent events */
  connect(url: string): () => void {
    const source = new EventSource(url);
    source.onopen = () => this.#show({ state: 'open' });
    source.onerror = () => this.#show({ state: 'lost' });
    source.onmessage = ({ data }) => this.#add(JSON.parse(data) as LogEntry);
    const everySecond = setInterval(() => this.#countSecond(), SECOND_MS);
    return () => {
      source.close();
      clearInterval(everySecond);
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
    };
  }

  #add(entry: LogEntry): void {
    this.#arrivedThisSecond += 1;
    this.#arrived.push(entry);
    // A page in the background gets no frames: what it could not show anyway is dropped.
    if (this.#arrived.length > LIVE_ENTRIES_MAX) this.#arrived.shift();
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#frame = 0;
    const entries = [...this.#arrived.reverse(), ...this.#view.entries].slice(0, LIVE_ENTRIES_MAX);
    this.#arrived = [];
    this.#show({ entries });
  }

  #countSecond(): void {
    const perSecond = this.#arrivedThisSecond;
    this.#arrivedThisSecond = 0;
    if (perSecond !== this.#view.perSecond) this.#show({ perSecond });
  }

  #show(change: Partial<LiveView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}
