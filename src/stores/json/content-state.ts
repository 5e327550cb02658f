import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { LogPosition, StoreContent } from './document.ts';
import { RecordedState } from './recorded-state.ts';

/** What the document says, as a state; the log's part is not in it yet. */
export function stateFrom(content: StoreContent): RecordedState {
  const state = new RecordedState();
  for (const organisation of content.organisations) {
    state.organisations.set(organisation.id, organisation);
  }
  for (const event of content.events) state.events.set(event.id, event);
  for (const { hash, ...record } of content.keys) state.keys.set(record.id, { record, hash });
  for (const { importedUses, ...ticket } of content.tickets) {
    state.tickets.set(ticket.id, {
      ...ticket,
      eventId: eventOfTicketId(ticket.id) ?? '',
      holder: ticket.holder ?? null,
      validFrom: ticket.validFrom ?? null,
      validUntil: ticket.validUntil ?? null,
      lastConsumedAt: ticket.lastConsumedAt ?? null,
      cancelledAt: ticket.cancelledAt ?? null,
    });
    if (importedUses !== undefined) state.importedUses.set(ticket.id, importedUses);
  }
  state.takeChanges();
  return state;
}

/** The document of a state, in the order in which its records were created. @param schema kept as people gave it */
export function contentOf(
  state: RecordedState,
  log: LogPosition,
  schema: string | undefined,
): StoreContent {
  return {
    ...(schema !== undefined && { $schema: schema }),
    version: 1,
    log,
    organisations: [...state.organisations.values()],
    events: [...state.events.values()],
    keys: [...state.keys.values()].map(({ record, hash }) => ({
      ...record,
      events: record.events === 'all' ? 'all' : [...record.events],
      hash,
    })),
    tickets: [...state.tickets.values()].map(({ eventId: _, ...ticket }) => ({
      ...ticket,
      importedUses: state.importedUses.get(ticket.id),
      holder: ticket.holder ?? undefined,
      validFrom: ticket.validFrom ?? undefined,
      validUntil: ticket.validUntil ?? undefined,
      lastConsumedAt: ticket.lastConsumedAt ?? undefined,
      cancelledAt: ticket.cancelledAt ?? undefined,
    })),
  };
}
