import type {
  ApiKeyRecord,
  EventRecord,
  LogEntry,
  Organisation,
} from '../../../../core/records.ts';
import type { Ticket } from '../../../../core/ticket.ts';
import type { Key } from '../../../admin/wire/keys.ts';
import type { LogEntry as WireLogEntry } from '../../../admin/wire/log.ts';
import type { Event, Organisation as WireOrganisation } from '../../../admin/wire/organisation.ts';
import type { Ticket as WireTicket } from '../../../admin/wire/tickets.ts';

export function organisationFrom(wire: WireOrganisation): Organisation {
  return { ...wire, createdAt: Date.parse(wire.createdAt) };
}

export function eventFrom({ id, organisationId, name, createdAt }: Event): EventRecord {
  return { id, organisationId, name, createdAt: Date.parse(createdAt) };
}

export function keyFrom({ usage: _, createdAt, ...key }: Key): ApiKeyRecord {
  return { ...key, createdAt: Date.parse(createdAt) };
}

export function ticketFrom(wire: WireTicket): Ticket {
  const { ticketId, event, ticketType, usesAllowed, usesConsumed, holder } = wire;
  return {
    id: ticketId,
    eventId: event,
    ticketType,
    usesAllowed,
    usesConsumed,
    holder,
    validFrom: timeFrom(wire.validFrom),
    validUntil: timeFrom(wire.validUntil),
    createdAt: Date.parse(wire.createdAt),
    lastConsumedAt: timeFrom(wire.lastConsumedAt),
    cancelledAt: timeFrom(wire.cancelledAt),
  };
}

export function logEntryFrom({ at, operation, outcome, ...entry }: WireLogEntry): LogEntry {
  return { ...entry, at: Date.parse(at), action: operation, status: outcome };
}

function timeFrom(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
