import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { addressOf } from '../api/http.ts';
import type { LogEntry } from '../api/types.ts';
import { SESSION_KEY } from '../api/use-api.ts';
import { useTexts } from '../i18n/language.tsx';

export interface LiveView {
  /** Newest first, at most `LIVE_ENTRIES_MAX`. */
  readonly entries: readonly LogEntry[];
  readonly state: 'connecting' | 'open' | 'lost';
  /** Scans that came in the last whole second. */
  readonly perSecond: number;
  /** True once more came than the connection could carry. */
  readonly skipped: boolean;
}

/** As many as the server begins with. */
export const LIVE_ENTRIES_MAX = 200;
const SECOND_MS = 1000;
const TRY_AGAIN_MS = 3000;

interface LiveSource {
  readonly conditions: Record<string, string>;
  /** Called when the server refuses the stream, as when the session has ended. */
  readonly onRefused: () => void;
}

/**
 * Collects scans as they arrive and shows them once a frame. However many arrive, it keeps no more than
 * `LIVE_ENTRIES_MAX`, and the page draws no more often than the screen.
 */
class LiveFeed {
  #view: LiveView = { entries: [], state: 'connecting', perSecond: 0, skipped: false };
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

  /**
   * Listens until the returned function is called. A page in the background does not: browsers allow only six
   * connections to a server, and forgotten tabs would use them up. When it is looked at again, it begins with the latest scans.
   */
  connect(source: LiveSource): () => void {
    let disconnect = () => {};
    const follow = () => {
      disconnect();
      disconnect = document.hidden ? () => {} : this.#open(source);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    const everySecond = setInterval(() => this.#countSecond(), SECOND_MS);
    return () => {
      disconnect();
      document.removeEventListener('visibilitychange', follow);
      clearInterval(everySecond);
      cancelAnimationFrame(this.#frame);
    };
  }

  /**
   * After a break it begins anew with the latest scans: the browser would continue after the last number that it saw, which
   * may be another scan by then, as after a restored backup.
   */
  #open(source: LiveSource): () => void {
    const { conditions, onRefused } = source;
    const stream = new EventSource(addressOf('GET /log/live', conditions));
    let again: ReturnType<typeof setTimeout> | undefined;
    let close = () => stream.close();
    stream.onerror = () => {
      this.#show({ state: 'lost' });
      if (stream.readyState === EventSource.CLOSED) onRefused();
      stream.close();
      again = setTimeout(() => {
        close = this.#open(source);
      }, TRY_AGAIN_MS);
    };
    stream.addEventListener('latest', ({ data }) => this.#begin(JSON.parse(data) as LogEntry[]));
    stream.addEventListener('scan', ({ data }) => this.#add(JSON.parse(data) as LogEntry));
    stream.addEventListener('skipped', () => this.#show({ skipped: true }));
    return () => {
      clearTimeout(again);
      close();
    };
  }

  /** In place of everything shown so far. */
  #begin(entries: readonly LogEntry[]): void {
    this.#arrived = [];
    this.#show({ entries, skipped: false, state: 'open' });
  }

  #add(entry: LogEntry): void {
    this.#arrivedThisSecond += 1;
    this.#arrived.push(entry);
    // What no frame will show is dropped at once.
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

/** Scans as they happen, as long as the component is there. @param conditions as the admin API takes them */
export function useLiveFeed(conditions: Record<string, string> = {}): LiveView {
  const client = useQueryClient();
  const [feed, setFeed] = useState(() => new LiveFeed());
  const wanted = JSON.stringify(conditions);
  useEffect(() => {
    const fresh = new LiveFeed();
    setFeed(fresh);
    return fresh.connect({
      conditions: JSON.parse(wanted) as Record<string, string>,
      // Asks whether the session has ended; then the page goes to the sign-in.
      onRefused: () => void client.invalidateQueries({ queryKey: SESSION_KEY }),
    });
  }, [wanted, client]);
  return useSyncExternalStore(feed.subscribe, feed.current);
}

/** Whether the live view is connected, and how fast scans come. */
export function LiveState({ feed, paused = false }: { feed: LiveView; paused?: boolean }) {
  const { live } = useTexts();
  const state = paused ? 'paused' : feed.state;
  return (
    <span className={`live-state ${state}`}>
      <span className="dot" aria-hidden />
      <span role="status">{live[state]}</span>
      {state === 'open' && <span className="dimmed">{live.rate(feed.perSecond)}</span>}
    </span>
  );
}
