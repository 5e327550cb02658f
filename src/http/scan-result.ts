import { isoTime } from '../core/clock.ts';
import { type Decision, isGranted } from '../core/decision.ts';
import type { Ticket } from '../core/ticket.ts';

/** English, for people; software reads `status` and `reason`. */
const MESSAGES = {
  validated: 'Ticket is valid',
  consumed: 'Ticket consumed',
  exhausted: 'All uses of this ticket are used up',
  not_found: 'Ticket not found',
  invalid_ticket: 'Invalid ticket',
  event_not_allowed: 'This API key has no access to the event of the ticket',
  ticket_cancelled: 'Ticket was cancelled',
  not_yet_valid: 'Ticket is not valid yet',
  expired: 'Ticket has expired',
  missing_ticket_code: 'ticketCode is missing or the body cannot be read',
} as const;

/** The HTTP status of a decision (section 7.1); only what the specification names is not 200. */
export function statusOf(decision: Decision): 200 | 400 | 403 | 404 {
  if (decision.status === 'not_found') return 404;
  if (decision.status !== 'rejected') return 200;
  if (decision.reason === 'missing_ticket_code') return 400;
  return decision.reason === 'event_not_allowed' ? 403 : 200;
}

/** The body of an answer on REST. */
export function scanResultText(decision: Decision): string {
  return JSON.stringify(toScanResult(decision));
}

/** The JSON scan result of section 2.3. Holder data goes out with a granted scan only (ADR 0004). */
function toScanResult(decision: Decision): Record<string, unknown> {
  if (isGranted(decision)) return grantedResult(decision);
  if (decision.status !== 'rejected') {
    const uses = decision.status === 'exhausted' ? generalAndUses(decision.ticket) : {};
    return { valid: false, status: decision.status, message: MESSAGES[decision.status], ...uses };
  }
  const { status, reason } = decision;
  return {
    valid: false,
    status,
    reason,
    message: MESSAGES[reason],
    ...('ticket' in decision && generalAndUses(decision.ticket)),
    ...('ticket' in decision && reason !== 'ticket_cancelled' && windowOf(decision.ticket)),
  };
}

function grantedResult(
  decision: Extract<Decision, { status: 'validated' | 'consumed' }>,
): Record<string, unknown> {
  const { status, ticket } = decision;
  return {
    valid: true,
    status,
    message: MESSAGES[status],
    ...generalAndUses(ticket),
    ...(ticket.holder && { holder: ticket.holder }),
    ...windowOf(ticket),
    ...(decision.status === 'consumed' && { scannedAt: isoTime(decision.scannedAt) }),
  };
}

function generalAndUses(ticket: Ticket): Record<string, unknown> {
  const { id, ticketType, usesAllowed, usesConsumed } = ticket;
  const usesRemaining = usesAllowed - usesConsumed;
  return { ticketId: id, ticketType, usesAllowed, usesConsumed, usesRemaining };
}

function windowOf(ticket: Ticket): Record<string, unknown> {
  return { validFrom: isoTime(ticket.validFrom), validUntil: isoTime(ticket.validUntil) };
}
