import { isoTime } from '../../core/clock.ts';
import { type Decision, isGranted } from '../../core/decision.ts';
import type { Language } from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import { type LastUsed, messageFor } from './messages.ts';

/** The HTTP status of a decision (section 7.1); only what the specification names is not 200. */
export function statusOf(decision: Decision): 200 | 400 | 403 | 404 {
  if (decision.status === 'not_found') return 404;
  if (decision.status !== 'rejected') return 200;
  if (decision.reason === 'missing_ticket_code') return 400;
  return decision.reason === 'event_not_allowed' ? 403 : 200;
}

/** The body of an answer on REST. @param lastUsed for its message */
export function scanResultText(
  decision: Decision,
  language: Language,
  lastUsed?: LastUsed,
): string {
  return JSON.stringify(toScanResult(decision, messageFor(decision, language, lastUsed)));
}

/** The JSON scan result of section 2.3. Holder data goes out with a granted scan only (ADR 0004). */
function toScanResult(decision: Decision, message: string): Record<string, unknown> {
  if (isGranted(decision)) return grantedResult(decision, message);
  if (decision.status !== 'rejected') {
    const uses = decision.status === 'exhausted' ? generalAndUses(decision.ticket) : {};
    return { valid: false, status: decision.status, message, ...uses };
  }
  const { status, reason } = decision;
  return {
    valid: false,
    status,
    reason,
    message,
    ...('ticket' in decision && generalAndUses(decision.ticket)),
    ...('ticket' in decision && reason !== 'ticket_cancelled' && windowOf(decision.ticket)),
  };
}

function grantedResult(
  decision: Extract<Decision, { status: 'validated' | 'consumed' }>,
  message: string,
): Record<string, unknown> {
  const { status, ticket } = decision;
  return {
    valid: true,
    status,
    message,
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
