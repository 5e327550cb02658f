import { TicketscanError } from '../../core/errors.ts';
import type { RecordStore } from '../stores/record-store.ts';
import { START } from '../stores/ticket-row.ts';
import type { TicketAdministration } from './ticket-administration.ts';

/** Tickets that one step changes: the store works on them for some 50 ms. */
const STEP_TICKETS = 5000;
/** Tickets that one step examines. */
const SEARCH_MAX = 20_000;

/** Tickets of one event, or of one batch. */
export interface ManyTickets {
  readonly eventIds: readonly string[];
  readonly batch?: string;
}

/** What one step over many tickets did. */
export interface StepDone {
  /** Cancelled or deleted. */
  readonly changed: number;
  /** Left as they were: cancelled before, used, or in the log. */
  readonly kept: number;
  /** Where the next step continues; null when all are done. */
  readonly next: string | null;
}

export type ManyAct = 'cancel' | 'delete';

/** Cancels or deletes many tickets, some in each step, so that gates are answered between the steps. */
export class ManyTicketsAdministration {
  readonly #store: Pick<RecordStore, 'searchTickets'>;
  readonly #tickets: TicketAdministration;

  constructor(store: Pick<RecordStore, 'searchTickets'>, tickets: TicketAdministration) {
    this.#store = store;
    this.#tickets = tickets;
  }

  /** @param after the `next` of the step before */
  async step(
    act: ManyAct,
    organisationId: string | null,
    { eventIds, batch }: ManyTickets,
    after: string | null,
  ): Promise<StepDone> {
    const page = await this.#store.searchTickets({
      eventIds,
      limit: STEP_TICKETS,
      searchMax: SEARCH_MAX,
      ...(batch !== undefined && { batch }),
      ...(after !== null && { afterId: after }),
    });
    const subject = batch ?? eventIds[0] ?? '';
    const ids = page.tickets.map(({ id }) => id);
    if (act === 'cancel') {
      const wanted = page.tickets.filter(({ cancelledAt }) => cancelledAt === null);
      const owner = { id: subject, organisationId };
      const changed = await this.#tickets.cancelAll(
        owner,
        wanted.map(({ id }) => id),
      );
      return { changed, kept: ids.length - changed, next: page.next };
    }
    const unused = page.tickets.filter(({ usesConsumed }) => usesConsumed === 0);
    const deleted = new Set(
      await this.#tickets.delete(
        organisationId,
        subject,
        unused.map(({ id }) => id),
      ),
    );
    const kept = ids.filter((id) => !deleted.has(id));
    // A cursor can be a count of tickets, which the deletions change: continue after the last ticket that still exists.
    const next = deleted.size === 0 ? page.next : (kept.at(-1) ?? after ?? START);
    return { changed: deleted.size, kept: kept.length, next: page.next === null ? null : next };
  }
}

/** @throws TicketscanError `usage` unless exactly one of them is given */
export function refuseBoth(event: string | undefined, batch: string | undefined): void {
  if ((event === undefined) !== (batch === undefined)) return;
  throw new TicketscanError('usage', 'Give either an event or a batch, not both.');
}
