import type { Ticket } from '../../core/ticket.ts';
import { type TicketRow as AnyTicketRow, ticketFromRow } from '../ticket-row.ts';

export const TICKET_COLUMNS =
  'id, type, uses_allowed, first_name, last_name, valid_from, valid_until, cancelled_at, created_at, uses_consumed, last_consumed_at';

export interface TicketRow extends AnyTicketRow {
  readonly id: string;
}

export function ticketFrom(row: TicketRow): Ticket {
  return ticketFromRow(row.id, row);
}
