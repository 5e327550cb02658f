import { isAccountId } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { logEntryFromView } from '../../core/records.ts';
import type { NewLogEntry, RelayedRequest } from '../../core/scan-requests.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { Store } from '../../stores/store.ts';
import type { SiteRecord } from './site-records.ts';
import type { RowsSent } from './wire.ts';

/** A clock that is further ahead is not believed: an entry from the future would keep older ones from being pruned. */
const AHEAD_MS_MAX = DAY_MS;

/** Takes the rows of a site into the log of the centre. They are checked as anything that a stranger sends. */
export class RowKeeper {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #site: SiteRecord;

  constructor(store: Store, clock: Clock, site: SiteRecord) {
    this.#store = store;
    this.#clock = clock;
    this.#site = site;
  }

  /**
   * Keeps the rows in their order, each once.
   * @param site the name of the site with its incarnation
   * @returns the last row that is here
   * @throws TicketscanError `usage` for rows that no site of this organisation can have; then none is kept
   */
  async keep(
    site: string,
    rows: RowsSent['rows'],
    scanners: RowsSent['scanners'],
  ): Promise<number> {
    await this.#makeScannersKnown(scanners);
    await this.#refuseForeign(rows);
    const now = this.#clock.now();
    let stored = 0;
    let batch: RelayedRequest[] = [];
    const commit = async () => {
      if (batch.length === 0) return;
      const { outcomes } = await this.#store.commitScans(batch);
      for (const outcome of outcomes) if (outcome.kind === 'relayed') stored = outcome.stored;
      batch = [];
    };
    for (const { after, epoch, entry: view } of rows) {
      const { sequence: number, ...written } = logEntryFromView(view);
      const entry = { ...written, at: this.#believed(written.at, now) };
      const row = { site, after, number, epoch };
      if (entry.status === 'undone') {
        await commit();
        ({ stored } = await this.#store.relayUndo(row, entry));
      } else {
        const { undo: _undo, undoneBy: _by, site: _site, ...scan } = entry;
        const { keyId } = entry;
        batch.push({ kind: 'relayed', keyId, now, row, entry: scan as NewLogEntry });
      }
    }
    await commit();
    return stored;
  }

  /** No scan was before the site was made. */
  #believed(at: number, now: number): number {
    return Math.max(this.#site.createdAt, Math.min(at, now + AHEAD_MS_MAX));
  }

  async #makeScannersKnown(scanners: RowsSent['scanners']): Promise<void> {
    const { organisationId, name: siteName } = this.#site;
    for (const { id, name } of scanners) {
      if (!isAccountId(id)) throw foreign(`the account ${id}`);
      const found = await this.#store.read('scanner', id);
      if (found) continue;
      const after = {
        id,
        organisationId,
        name: `${name} (${siteName})`,
        createdAt: this.#clock.now(),
      };
      await this.#store.write({ records: [{ kind: 'scanner', before: null, after }], audit: [] });
    }
  }

  async #refuseForeign(rows: RowsSent['rows']): Promise<void> {
    const { organisationId } = this.#site;
    for (const keyId of new Set(rows.map(({ entry }) => entry.keyId))) {
      if (!(await this.#ownsKey(keyId))) throw foreign(`the key ${keyId}`);
    }
    const events = rows.flatMap(({ entry }) => eventOfTicketId(entry.ticketId ?? '') ?? []);
    for (const eventId of new Set(events)) {
      const event = await this.#store.read('event', eventId);
      const isOwn = event === undefined || event.organisationId === organisationId;
      if (!isOwn) throw foreign(`the event ${eventId}`);
    }
  }

  async #ownsKey(keyId: string): Promise<boolean> {
    const { organisationId } = this.#site;
    if (isAccountId(keyId)) {
      return (await this.#store.read('scanner', keyId))?.organisationId === organisationId;
    }
    const key = await this.#store.read('key', keyId);
    if (key) return key.organisationId === organisationId;
    return (await this.#store.ownerOfKey(keyId)) === organisationId;
  }
}

function foreign(what: string): TicketscanError {
  return new TicketscanError(
    'usage',
    `A row of the site names ${what}, which its organisation does not have.`,
  );
}
