import { isAccountId } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { epochOfRow, type Held } from '../../core/event-home.ts';
import { type LogEntry, logEntryToJson } from '../../core/records.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { SECOND_MS } from '../../kit/durations.ts';
import type { Store } from '../../stores/store.ts';
import type { CentreClient } from './centre-client.ts';
import type { OwnRows } from './last-row.ts';
import { readSiteValue, type SiteOf } from './site-records.ts';
import { ROWS_AT_ONCE, RowsKept, SITE_PATHS } from './wire.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly client: CentreClient;
  readonly ownRows: Pick<OwnRows, 'hear'>;
}

/** It is written down this often up to which row the centre has the log. */
const NOTED_MS = 5 * SECOND_MS;

/** Sends the rows of the log of a site to its centre, in their order. */
export class RowSender {
  readonly #deps: Deps;
  readonly #of: SiteOf;
  /** The last row that the centre has, in the numbers of this log. */
  #sent: number;
  #notedAtMs = Number.NEGATIVE_INFINITY;
  /** The number that was written down last; undefined before the first time. */
  #noted: number | undefined;
  /** One row asks for the line after trouble: many that are made ready in vain hold up the gates. */
  #atOnce = 1;

  constructor(deps: Deps, of: SiteOf, sent: number) {
    this.#deps = deps;
    this.#of = of;
    this.#sent = Math.max(sent, of.startsAfter);
  }

  get sent(): number {
    return this.#sent;
  }

  /** A number of this log, as the centre is told it: rows of before this incarnation are none. */
  told(number: number): number {
    return number <= this.#of.startsAfter ? 0 : number;
  }

  /** Sends again what the centre does not have: it was restored to a state before those rows. @param stored the last row that it has */
  rewind(stored: number): void {
    this.#sent = Math.min(this.#sent, Math.max(stored, this.#of.startsAfter));
  }

  /** The centre says which row it has last: rows that were forgotten with their event are not sent again. */
  heard(stored: number): void {
    this.#sent = Math.max(this.#sent, stored);
  }

  /** Sends the next rows. @returns false if there are none */
  async send(): Promise<boolean> {
    const { store, client } = this.#deps;
    const limit = this.#atOnce;
    this.#atOnce = 1;
    const entries = await store.readLog({ afterSequence: this.#sent, limit });
    if (entries.length === 0) {
      this.#atOnce = limit;
      // Nothing waits, and whoever asks the store is to see it.
      if (this.#noted !== this.#sent) await this.note();
      return false;
    }
    const homes = new Map<string, Held | undefined>();
    let after = this.told(this.#sent);
    const rows: { after: number; epoch: number; entry: unknown }[] = [];
    for (const { undoneBy: _, ...entry } of entries) {
      const epoch = await this.#epochOf(entry, homes);
      rows.push({ after, epoch, entry: logEntryToJson(entry) });
      after = entry.sequence;
    }
    const { incarnation, startsAfter } = this.#of;
    const scanners = await this.#scannersOf(entries);
    const newest = await newestRow(store);
    const { stored, last } = await client.post(
      SITE_PATHS.rows,
      { incarnation, rows, waiting: Math.max(0, newest - after), scanners },
      RowsKept,
    );
    this.#sent = Math.max(stored, startsAfter);
    this.#atOnce = ROWS_AT_ONCE;
    await this.#deps.ownRows.hear(last, startsAfter);
    await this.#noteNowAndThen();
    return true;
  }

  async #noteNowAndThen(): Promise<void> {
    if (this.#sent === this.#noted) return;
    if (this.#deps.clock.monotonicMs() - this.#notedAtMs >= NOTED_MS) await this.note();
  }

  /** Writes down which row the centre has: what it does not have is not pruned. */
  async note(): Promise<void> {
    const { store, clock } = this.#deps;
    this.#notedAtMs = clock.monotonicMs();
    const value = { number: this.#sent };
    const before = await readSiteValue(store, 'site-rows', 'sent');
    if (before?.value.number !== value.number) {
      const revision = before?.revision ?? 0;
      await store.write({
        administrative: [{ kind: 'site-rows', id: 'sent', revision, value }],
        audit: [],
      });
    }
    this.#noted = value.number;
  }

  async #epochOf(entry: LogEntry, homes: Map<string, Held | undefined>): Promise<number> {
    const eventId = entry.ticketId === null ? undefined : eventOfTicketId(entry.ticketId);
    if (eventId === undefined) return 0;
    if (!homes.has(eventId)) {
      const home = await readSiteValue(this.#deps.store, 'event-home', eventId);
      homes.set(eventId, home?.value.held);
    }
    return epochOfRow(homes.get(eventId), entry.sequence);
  }

  async #scannersOf(entries: readonly LogEntry[]): Promise<{ id: string; name: string }[]> {
    const ids = [...new Set(entries.map(({ keyId }) => keyId).filter(isAccountId))];
    const found = await Promise.all(ids.map((id) => this.#deps.store.read('scanner', id)));
    return found.flatMap((one) => (one ? [{ id: one.id, name: one.name }] : []));
  }
}

/** The newest row of the log. */
export async function newestRow(store: Pick<Store, 'searchLog'>): Promise<number> {
  const page = await store.searchLog({ limit: 1, searchMax: 1 });
  return page.newest;
}
