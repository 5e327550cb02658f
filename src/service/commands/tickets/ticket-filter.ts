import { type Command, Option } from 'commander';
import { TICKET_STATES, type TicketState } from '../../../core/decision.ts';
import type { Ticket } from '../../../core/ticket.ts';
import type { RecordStore, TicketFilter } from '../../stores/record-store.ts';
import type { DataAccess } from '../access/data-types.ts';

const PAGE_TICKETS = 5000;

/** Which tickets a command is about. */
export interface FilterOptions {
  readonly event?: string;
  readonly state?: TicketState;
  readonly search?: string;
  readonly batch?: string;
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--event <event>', 'only of this event (id or name)')
    .addOption(
      new Option('--state <state>', 'only those of which a scan would say this now').choices(
        TICKET_STATES,
      ),
    )
    .option('--search <text>', 'only with this text in the id or the holder')
    .option('--batch <batch>', 'only of this run of mint, import or create');
}

/** The store's filter for those options. @throws TicketscanError `not_found` for an unknown event */
export async function filterFrom(
  { administration, clock }: Pick<DataAccess, 'administration' | 'clock'>,
  { event, state, search, batch }: FilterOptions,
): Promise<Omit<TicketFilter, 'limit' | 'afterId'>> {
  return {
    ...(event !== undefined && { eventId: (await administration.findEvent(event)).id }),
    ...(state && { state: { is: state, now: clock.now() } }),
    ...(search !== undefined && { search }),
    ...(batch !== undefined && { batch }),
  };
}

/** Every ticket that passes the filter, in the order of creation, a page in memory at a time. */
export async function* allTickets(
  store: Pick<RecordStore, 'listTickets'>,
  filter: Omit<TicketFilter, 'limit' | 'afterId'>,
): AsyncGenerator<Ticket> {
  let last: Ticket | undefined;
  do {
    const page: Ticket[] = await store.listTickets({
      ...filter,
      limit: PAGE_TICKETS,
      ...(last && { afterId: last.id }),
    });
    yield* page;
    last = page.length === PAGE_TICKETS ? page.at(-1) : undefined;
  } while (last);
}
