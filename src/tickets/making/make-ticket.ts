import type { CodeFormat, Keyring } from '../../core/keyring.ts';
import type { NewTicket, TicketTerms } from '../../core/ticket.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { makeBatchId, makeTicketId } from '../../core/ticket-id.ts';
import type { PrintedTicket } from './printed-ticket.ts';
import { ticketRandom } from './ticket-random.ts';

/** Cells of a list that only pass through. */
export interface KeptColumns {
  readonly headings: readonly string[];
  readonly cellsAt: (index: number) => readonly string[];
}

/** Everything that decides what tickets a run makes. The same run makes the same tickets, every time it is asked. */
export interface TicketRun {
  readonly event: { readonly id: string; readonly name: string };
  readonly seed: Uint8Array;
  readonly count: number;
  /** What ticket number `index` is to be. */
  readonly specAt: (index: number) => TicketTerms;
  /** Columns of the list that go into the CSV file of the run, and nowhere else. */
  readonly kept?: KeptColumns | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  readonly keyring: Keyring;
  readonly codeFormat: CodeFormat;
}

/** The batch of a run; a resumed run keeps it. */
export function batchOf({ seed, count }: Pick<TicketRun, 'seed' | 'count'>): string {
  return makeBatchId(ticketRandom(seed, count));
}

/** Ticket number `index` as a store takes it. */
export function storedTicket(run: TicketRun, index: number): NewTicket {
  return {
    ...run.specAt(index),
    id: makeTicketId(run.event.id, ticketRandom(run.seed, index)),
    eventId: run.event.id,
    createdAt: run.createdAt,
    batch: batchOf(run),
  };
}

/** Ticket number `index` as it is handed out. */
export function printedTicket(run: TicketRun, index: number): PrintedTicket {
  const ticket = storedTicket(run, index);
  const code = makeTicketCode(ticket.id, run.keyring, run.codeFormat);
  return { ...ticket, code, eventName: run.event.name };
}

/** All tickets of a run, one after the other. */
export function* printedTickets(run: TicketRun): Generator<PrintedTicket> {
  for (let index = 0; index < run.count; index += 1) yield printedTicket(run, index);
}
