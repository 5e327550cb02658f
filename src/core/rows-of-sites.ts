import { minuteOf, monthOf } from './clock.ts';
import { type Decision, isGranted } from './decision.ts';
import { isOfThisStay, placeOfRow } from './event-home.ts';
import { answerRequest, type ScanState } from './scan-batch.ts';
import { countedBy } from './scan-count.ts';
import type {
  BatchRequest,
  NewLogEntry,
  RelayedRequest,
  RowKept,
  ScanOutcome,
} from './scan-requests.ts';
import type { Ticket } from './ticket.ts';
import { eventOfTicketId } from './ticket-id.ts';

/** Answers one request of a batch, or keeps one row of a site, on the locked state, and records it. */
export function answerInBatch(request: BatchRequest, state: ScanState): ScanOutcome {
  return request.kind === 'relayed' ? keepRow(request, state) : answerRequest(request, state);
}

/** Keeps a row of a site, once. A row of a stay that is over is kept too; it takes no use, and says so. */
function keepRow(request: RelayedRequest, state: ScanState): RowKept {
  const { row, entry, keyId } = request;
  const stored = state.rowsOf(row.site);
  const place = placeOfRow(row, stored);
  if (place !== 'next') return { kind: 'relayed', place, stored };
  state.saveRowsOf(row.site, row.number);
  state.countRequest(keyId, monthOf(entry.at), minuteOf(entry.at));
  const about = ticketOfRow(request, state);
  const late = about.isOver || about.hasNoUse;
  const kept: NewLogEntry = {
    ...entry,
    // An entry without a ticket here has no count of its uses.
    usesConsumed: about.ticket ? entry.usesConsumed : null,
    replayed: entry.replayed || late,
    site: { id: row.site, number: row.number, late },
  };
  if (kept.replayed) state.appendLog(kept);
  else keepCounted(kept, about, state);
  return { kind: 'relayed', place, stored: row.number };
}

interface TicketOfRow {
  readonly eventId: string | undefined;
  readonly ticket: Ticket | undefined;
  readonly takesUse: boolean;
  /** The stay to which the row belongs is over, or the event was never there. */
  readonly isOver: boolean;
  /** The ticket has no use that the row could take. */
  readonly hasNoUse: boolean;
}

function ticketOfRow({ row, entry }: RelayedRequest, state: ScanState): TicketOfRow {
  const { ticketId, status, replayed } = entry;
  const eventId = ticketId === null ? undefined : eventOfTicketId(ticketId);
  const home = eventId === undefined ? undefined : state.homeOf(eventId)?.home;
  const ticket = ticketId === null ? undefined : state.ticket(ticketId);
  const takesUse = status === 'consumed' && !replayed;
  return {
    eventId,
    ticket,
    takesUse,
    isOver: eventId !== undefined && !(home && isOfThisStay(home, row)),
    hasNoUse: takesUse && (!ticket || ticket.usesConsumed >= ticket.usesAllowed),
  };
}

function keepCounted(
  entry: NewLogEntry,
  { eventId, ticket, takesUse }: TicketOfRow,
  state: ScanState,
): void {
  const used = takesUse && ticket ? usedAt(ticket, entry.at) : undefined;
  if (used) state.saveUse(used);
  const { operation, status, direction } = entry;
  if (eventId !== undefined && operation === 'consume' && isGranted({ status } as Decision))
    state.countPassage(eventId, direction ?? 'in');
  const kept = used ? { ...entry, usesConsumed: used.usesConsumed } : entry;
  state.appendLog(kept);
  state.countScan(countedBy(kept, used ?? ticket, eventId !== undefined));
}

/** The ticket with one use more. Its time never runs backwards. */
function usedAt(ticket: Ticket, at: number): Ticket {
  const lastConsumedAt = Math.max(at, ticket.lastConsumedAt ?? at);
  return { ...ticket, usesConsumed: ticket.usesConsumed + 1, lastConsumedAt };
}
