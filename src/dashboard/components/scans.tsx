import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { ERASED } from '../../core/erased-details.ts';
import type { GatePlace } from '../../core/gate-name.ts';
import { addressOf, type LogEntry, type LogPage } from '../api/http.ts';
import { useGateName } from '../api/lists.ts';
import { SESSION_KEY } from '../api/session.ts';
import { useSiteName } from '../api/sites.ts';
import { type Pages, usePages } from '../api/use-api.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';
import { type Column, ListTable, Pager, Unfolding } from './data-table.tsx';
import { OutcomeBadge, ScannedTicket } from './ticket-values.tsx';
import { Name, TimeText } from './values.tsx';

interface LogHistoryProps {
  readonly conditions: Record<string, string>;
  readonly label: string;
  /** Said where there are none in the whole log. */
  readonly empty: string;
  /** Left out where all scans are of one ticket. */
  readonly withTicket: boolean;
  /** What can be done with a scan. */
  readonly actions?: Column<LogEntry>;
}

/** Past scans that meet the conditions, newest first. */
export function LogHistory({ conditions, label, empty, withTicket, actions }: LogHistoryProps) {
  const all = useLogColumns({ withTicket });
  const columns = actions ? [...all, actions] : all;
  const pages = usePages('GET /log', conditions, 'before');
  const keyOf = ({ sequence }: LogEntry) => sequence;
  const { log } = useDeskTexts();
  return (
    <>
      <ListTable
        compact
        asked={pages}
        empty={pages.older ? log.emptySoFar : empty}
        label={label}
        columns={columns}
        keyOf={keyOf}
      />
      <SearchedBack pages={pages} />
      <Pager pages={pages} />
    </>
  );
}

interface LogColumnsOptions {
  readonly withTicket: boolean;
  /** A day that is said elsewhere: scans of that day have their time only. */
  readonly day?: string | undefined;
}

/** The columns of a list of scans; the same ones as long as names and language are the same. */
export function useLogColumns({ withTicket, day }: LogColumnsOptions): Column<LogEntry>[] {
  const { log } = useDeskTexts();
  const formats = useFormats();
  const gateName = useGateName();
  return useMemo(() => {
    const ticket: Column<LogEntry> = {
      title: log.ticket,
      narrow: 'narrow-first',
      cell: (scan) => <ScannedTicket scan={scan} />,
    };
    return [
      {
        title: log.time,
        cell: ({ at }) => <TimeText at={at} only={formats.date(at) === day ? 'time' : 'seconds'} />,
      },
      ...(withTicket ? [ticket] : []),
      {
        title: log.outcome,
        narrow: 'narrow-first',
        cell: (entry) => <OutcomeCell entry={entry} />,
      },
      {
        title: log.gate,
        narrow: 'narrow-cut',
        cell: (entry) => <Name>{gateOf(entry, gateName)}</Name>,
      },
      { title: log.note, rest: true, cell: (entry) => <Note entry={entry} /> },
    ];
  }, [log, formats, gateName, withTicket, day]);
}

/** The gate, and the reader of its device. */
function gateOf(
  entry: Pick<LogEntry, 'serial' | 'reader' | 'keyId'>,
  gateName: (place: GatePlace) => string,
): string {
  const { serial, reader } = entry;
  return serial && reader ? `${gateName(entry)} / ${reader}` : gateName(entry);
}

/** Shows the outcome with the direction, where the key says one, and whether it came too late to count. */
function OutcomeCell({ entry }: { entry: LogEntry }) {
  const { log, sites } = useDeskTexts();
  // "Let out" says the direction itself.
  const direction = entry.done === 'opened' ? undefined : entry.direction;
  return (
    <>
      <OutcomeBadge scan={entry} />
      {direction && <span className="dimmed"> {log.directions[direction]}</span>}
      {entry.site?.late && <span className="dimmed"> {sites.late}</span>}
    </>
  );
}

/** What is special about a scan, after the site that answered it. */
function Note({ entry }: { entry: LogEntry }) {
  const { site } = entry;
  return site ? <SiteNote entry={entry} site={site} /> : <OwnNote entry={entry} />;
}

interface SiteNoteProps {
  readonly entry: LogEntry;
  readonly site: NonNullable<LogEntry['site']>;
}

function SiteNote({ entry, site: { id, late } }: SiteNoteProps) {
  const { sites } = useDeskTexts();
  const name = useSiteName()(id);
  if (!late) {
    return (
      <>
        <Name>{name}</Name> <OwnNote entry={entry} />
      </>
    );
  }
  return <Unfolding>{`${name}: ${sites.lateText}`}</Unfolding>;
}

function OwnNote({ entry }: { entry: LogEntry }) {
  const { log, statistics, detailValues } = useDeskTexts();
  const { sequence, undo, undoneBy, operation, byHand } = entry;
  if (undo) {
    const reason = undo.reason === ERASED ? (detailValues[ERASED] ?? ERASED) : undo.reason;
    return <Unfolding>{log.undoNote(sequence, undo.sequence, undo.by, reason)}</Unfolding>;
  }
  if (undoneBy !== undefined) return <Unfolding>{log.undoneBy(sequence, undoneBy)}</Unfolding>;
  const notes = [byHand && log.byHand, operation === 'validate' && statistics.validations];
  const text = notes.filter(Boolean).join(' · ');
  return text === '' ? null : <span className="dimmed">{text}</span>;
}

const SHORT_PAGE = 10;

/** When a filter found little in the part of the log that was looked at: says so, and offers to look further back. */
function SearchedBack({ pages }: { pages: Pages<LogPage> }) {
  const { log } = useDeskTexts();
  const formats = useFormats();
  const { data: answer, older } = pages;
  if (!answer || !older || answer.items.length >= SHORT_PAGE) return null;
  return (
    <div className="searched-back" role="status">
      <span>{log.searchedBackTo(formats.number(answer.searchedBackTo))}</span>
      <Button size="xs" variant="light" onClick={older}>
        {log.searchOn}
      </Button>
    </div>
  );
}

interface SmallScansProps {
  readonly scans: readonly LogEntry[];
  /** Left out where all are of one device. */
  readonly withGate: boolean;
}

/** A few scans, each on a line that leads to its ticket. */
export function SmallScans({ scans, withGate }: SmallScansProps) {
  const gateName = useGateName();
  return (
    <ul className="small-scans">
      {scans.map((scan) => (
        <li key={scan.sequence}>
          <TimeText at={scan.at} only="time" />
          <span>
            <ScannedTicket scan={scan} />
          </span>
          <OutcomeBadge scan={scan} />
          {withGate && <Name>{gateOf(scan, gateName)}</Name>}
        </li>
      ))}
    </ul>
  );
}

export interface LiveView {
  /** Newest first, at most `LIVE_ENTRIES_MAX`. */
  readonly entries: readonly LogEntry[];
  readonly state: 'connecting' | 'open' | 'lost';
  /** Scans that came in the last whole second. */
  readonly perSecond: number;
  /** True once more came than the connection could carry. */
  readonly skipped: boolean;
}

/** The most entries that are shown: the server begins with as many. */
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

  /** The view for `useSyncExternalStore`. */
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
   * Opens the stream. After a break it begins anew with the latest scans: the browser would continue after the last number that it saw, which
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

  /** Shows the entries in place of everything shown so far. */
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
  const { live } = useDeskTexts();
  const state = paused ? 'paused' : feed.state;
  return (
    <span className={`live-state ${state}`}>
      <span className="dot" aria-hidden />
      <span role="status">{live[state]}</span>
      {state === 'open' && <span className="dimmed">{live.rate(feed.perSecond)}</span>}
    </span>
  );
}
