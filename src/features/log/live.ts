import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type LogEntry, type LogEntryJson, logEntryToJson } from '../../core/records.ts';
import { kindOf, type Ticket, type TicketKind } from '../../core/ticket.ts';
import type { LogPage } from '../../stores/log-search.ts';
import type { LogStore } from '../../stores/store.ts';
import { follow, type LogConditions, readLogPage, searchIn, settledNumber } from './log-reader.ts';

const POLL_MS = 250;
/** The entries of a page, and those with which a view begins. */
const PAGE_ENTRIES = 200;
/** A viewer further behind gets `skipped` and continues near the newest entry: a live view shows the present. */
const BEHIND_ENTRIES_MAX = 5000;
const ALIVE_MS = 15_000;
/** How long a view may outlive its session, by this and one poll; nothing is sent in it. */
const ASK_MS = 1000;

export interface LiveViewer {
  readonly stream: EventStream;
  readonly conditions: Omit<LogConditions, 'afterSequence' | 'beforeSequence'>;
  /** The number after which to continue; undefined to begin with the latest entries. */
  readonly afterSequence: number | undefined;
  /** The viewer's own ones among these tickets: a guest of another organisation is not named. */
  readonly ownTickets: (ids: readonly string[]) => Promise<readonly Ticket[]>;
  /** Is called before entries are sent, and every second, because a session may end while its view is open. */
  readonly mayGoOn: () => Promise<boolean>;
}

/**
 * Sends entries as they come, `scan` by `scan`, until the client leaves, its session ends or `stop` is aborted.
 *
 * Each viewer has a place in the log and at most one page in memory; for one who does not read, nothing is fetched. What
 * it misses is reported as `skipped`, with the numbers after and up to which entries were left out. `latest` has the newest
 * entries, in place of everything sent before: it begins a view, and comes again when the log is another one.
 */
export async function showLive(
  store: Pick<LogStore, 'searchLog'>,
  viewer: LiveViewer,
  stop: AbortSignal,
): Promise<void> {
  const view = { ...viewer, store, stop, mayGoOn: askingNowAndThen(viewer) };
  let after: number | undefined = viewer.afterSequence ?? (await sendLatest(view));
  viewer.stream.comment();
  while (after !== undefined) after = await showFrom(view, after);
  viewer.stream.end();
}

interface View extends Omit<LiveViewer, 'mayGoOn'> {
  readonly store: Pick<LogStore, 'searchLog'>;
  readonly stop: AbortSignal;
  readonly mayGoOn: (hasNews: boolean) => Promise<boolean>;
}

/** Shows what comes after a number. @returns where the view begins again elsewhere in the log; undefined when it ends */
async function showFrom(view: View, after: number): Promise<number | undefined> {
  const { conditions, store, stop, mayGoOn } = view;
  if (!(await hasRead(view))) return undefined;
  const search = searchIn(store, conditions, PAGE_ENTRIES);
  for await (const page of follow(search, { after, signal: stop, pauseMs: POLL_MS })) {
    const isReplaced = page.gap?.reason === 'log_replaced';
    // After reading: what was scanned after the end of the session is not sent.
    if (!(await mayGoOn(isReplaced || page.entries.length > 0))) return undefined;
    if (isReplaced) return sendLatest(view);
    const goOnAt = await send(view, page);
    if (goOnAt !== undefined) return goOnAt;
    if (!(await hasRead(view))) return undefined;
  }
  return undefined;
}

/** @returns the number at which the view continues if it is too far behind */
async function send(
  view: Pick<View, 'stream' | 'ownTickets'>,
  { entries, upTo, newest }: Pick<LogPage, 'entries' | 'newest'> & { readonly upTo: number },
): Promise<number | undefined> {
  const { stream } = view;
  for (const entry of await named(entries, view)) stream.send('scan', entry, entry.sequence);
  if (newest - upTo <= BEHIND_ENTRIES_MAX) return undefined;
  const goOnAt = newest - PAGE_ENTRIES;
  stream.send('skipped', { after: upTo, upTo: goOnAt }, goOnAt);
  return goOnAt;
}

/** An entry as the live view has it: with who the ticket is for, so that a page in a rush need not ask. */
type LiveEntry = LogEntryJson & {
  readonly ticket: (Pick<Ticket, 'holder'> & { readonly kind: TicketKind }) | null;
};

async function named(
  entries: readonly LogEntry[],
  { ownTickets }: Pick<View, 'ownTickets'>,
): Promise<LiveEntry[]> {
  const ids = new Set(entries.flatMap(({ ticketId }) => ticketId ?? []));
  const found = ids.size > 0 ? await ownTickets([...ids]) : [];
  const tickets = new Map(found.map((ticket) => [ticket.id, ticket]));
  return entries.map((entry) => {
    const ticket = tickets.get(entry.ticketId ?? '');
    const shown = ticket ? { holder: ticket.holder, kind: kindOf(ticket) } : null;
    return { ...logEntryToJson(entry), ticket: shown };
  });
}

/** Waits for a client that does not keep up. @returns false when its view ends */
async function hasRead({ stream, stop, mayGoOn }: View): Promise<boolean> {
  while (stream.behind) {
    if (stop.aborted || !(await mayGoOn(false))) return false;
    await wait(POLL_MS, undefined, { signal: stop }).catch(() => {});
  }
  return true;
}

/** Checks whether the viewer may continue: at once when there is something to send, else from time to time. Also sends keep-alives. */
function askingNowAndThen({ stream, mayGoOn }: LiveViewer): View['mayGoOn'] {
  let askedAt = performance.now();
  let aliveAt = askedAt;
  return async (hasNews) => {
    if (stream.closed) return false;
    const now = performance.now();
    if (now - aliveAt >= ALIVE_MS) {
      aliveAt = now;
      if (!stream.behind) stream.comment();
    }
    if (!hasNews && now - askedAt < ASK_MS) return true;
    askedAt = now;
    return mayGoOn();
  };
}

/** Sends the newest entries that meet the conditions, newest first. @returns the number after which the view continues */
async function sendLatest({
  stream,
  conditions,
  store,
  ownTickets,
}: Pick<View, 'stream' | 'conditions' | 'store' | 'ownTickets'>): Promise<number> {
  const newest = await settledNumber((search, limit) => readLogPage(store, search, limit));
  const latest = { ...conditions, beforeSequence: newest + 1 };
  const { entries } = await readLogPage(store, latest, PAGE_ENTRIES);
  stream.send('latest', await named(entries, { ownTickets }), newest);
  return newest;
}

/** How many bytes may wait in memory for a client that reads slowly. */
const BUFFER_BYTES_MAX = 256 * 1024;

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) with bounded memory. */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, headers: Readonly<Record<string, unknown>>) {
    this.#response = response;
    // A broken connection is not an error; `closed` reports it.
    response.on('error', () => {});
    response.writeHead(200, {
      ...(headers as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      // Proxies would hold events back until there are enough of them.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** True while the client does not keep up: then nothing more should be fetched for it. */
  get behind(): boolean {
    return this.#response.writableLength > BUFFER_BYTES_MAX;
  }

  /** @param id what the client sends as `Last-Event-ID` when it comes back */
  send(event: string, data: unknown, id?: number): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    this.#response.write(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Keeps proxies from closing a quiet connection. */
  comment(): void {
    this.#response.write(': alive\n\n');
  }

  end(): void {
    this.#response.end();
  }
}
