import { isGranted } from '../../core/decision.ts';
import { DISPLAY_NAME_BYTES_MAX, DISPLAY_NOTE_BYTES_MAX } from '../../core/limits.ts';
import type { DoorSettings } from '../../core/records.ts';
import type { ToldDecision } from '../../core/scan-batch.ts';
import { kindOf, type Ticket } from '../../core/ticket.ts';
import { truncateUtf8 } from '../../kit/utf8.ts';
import type { DeviceAnswer } from './device-model.ts';

/** The texts of section 7.3 and, where it has none, of ADR 0005. */
export const NOTES = {
  exhausted: 'Ticket erschöpft',
  expired: 'Ticket abgelaufen',
  invalid_ticket: 'Ungültiges Ticket',
  missing_ticket_code: 'Ungültiges Ticket',
  not_found: 'Ticket nicht gefunden',
  not_yet_valid: 'Noch nicht gültig',
  not_used: 'Noch nicht benutzt',
  event_not_allowed: 'Kein Zugriff',
  ticket_cancelled: 'Ticket storniert',
  key_refused: 'Kein Zugriff',
  too_many_requests: 'Zu viele Anfragen',
  server_error: 'Serverfehler',
} as const;

const KIND_NAMES = {
  single: 'Einzelticket',
  multi: 'Mehrfachkarte',
  permanent: 'Dauerkarte',
} as const;

/** A denial with one of the fixed notes. */
export function deny(note: keyof typeof NOTES): DeviceAnswer {
  return { granted: false, note: truncateUtf8(NOTES[note], DISPLAY_NOTE_BYTES_MAX) };
}

/** The answer to a device for a decision. Its direction picks the relay, else the key's door settings, else `reader`. */
export function deviceAnswer(
  decision: ToldDecision,
  reader: string | null,
  door: DoorSettings,
): DeviceAnswer {
  if (!isGranted(decision)) {
    return deny(decision.status === 'rejected' ? decision.reason : decision.status);
  }
  const { ticket } = decision;
  const note = `Ticket gültig (${ticket.usesConsumed}/${ticket.usesAllowed})`;
  return {
    granted: true,
    relay: relayFor(decision, reader, door),
    openSeconds: door.openSeconds,
    name: truncateUtf8(displayName(ticket), DISPLAY_NAME_BYTES_MAX),
    note: truncateUtf8(note, DISPLAY_NOTE_BYTES_MAX),
  };
}

/** The holder of the ticket, else its kind; not shortened. */
export function displayName(ticket: Ticket): string {
  if (!ticket.holder) return KIND_NAMES[kindOf(ticket)];
  return `${ticket.holder.firstName} ${ticket.holder.lastName}`.trim();
}

/** A grant for the way out never opens the way in, whatever the door settings are. */
function relayFor(
  { direction }: ToldDecision,
  reader: string | null,
  { relay }: DoorSettings,
): 'in' | 'out' {
  if (direction === 'out') return 'out';
  return relay === 'auto' ? (direction ?? relayOf(reader)) : relay;
}

function relayOf(reader: string | null): 'in' | 'out' {
  return Math.abs(Number(reader ?? 0)) % 2 === 1 ? 'out' : 'in';
}
