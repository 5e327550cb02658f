import { isoTime } from '../../core/clock.ts';
import type { CodeFormat, Keyring } from '../../core/keyring.ts';
import type { NewTicket } from '../../core/ticket.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { makeTicketId } from '../../core/ticket-id.ts';
import type { TicketSpec } from '../lists/ticket-spec.ts';
import type { PrintedTicket } from './printed-ticket.ts';
import { seededRandom } from './seeded-random.ts';

/** Everything that decides what tickets a run makes. The same run makes the same tickets, every time it is asked. */
export interface TicketRun {
  readonly event: { readonly id: string; readonly name: string };
  readonly seed: Uint8Array;
  readonly count: number;
  /** What ticket number `index` is to be. */
  readonly specAt: (index: number) => TicketSpec;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  readonly keyring: Keyring;
  readonly codeFormat: CodeFormat;
}

/** Ticket number `index` as a store takes it. */
export function storedTicket(run: TicketRun, index: number): NewTicket {
  const { ticketType, usesAllowed, holder, validFrom, validUntil } = run.specAt(index);
  return {
    id: makeTicketId(run.event.id, seededRandom(run.seed, index)),
    eventId: run.event.id,
    ticketType,
    usesAllowed,
    holder,
    validFrom,
    validUntil,
    createdAt: run.createdAt,
  };
}

/** Ticket number `index` as it is handed out. */
export function printedTicket(run: TicketRun, index: number): PrintedTicket {
  const { id, ticketType, usesAllowed, holder, validFrom, validUntil } = storedTicket(run, index);
  const code = makeTicketCode(id, run.keyring, run.codeFormat);
  const { event } = run;
  return { ticketId: id, code, event, ticketType, usesAllowed, holder, validFrom, validUntil };
}

/** All tickets of a run, one after the other. */
export function* printedTickets(run: TicketRun): Generator<PrintedTicket> {
  for (let index = 0; index < run.count; index += 1) yield printedTicket(run, index);
}

/** A ticket as lists of codes show it: the shape of `tickets.json`. */
export function ticketListing(ticket: PrintedTicket): Record<string, unknown> {
  return {
    ticketId: ticket.ticketId,
    code: ticket.code,
    event: ticket.event.id,
    ticketType: ticket.ticketType,
    usesAllowed: ticket.usesAllowed,
    holder: ticket.holder,
    validFrom: isoTime(ticket.validFrom),
    validUntil: isoTime(ticket.validUntil),
  };
}
