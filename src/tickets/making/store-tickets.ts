import type { NewTicket } from '../../core/ticket.ts';
import { storedTicket, type TicketRun } from './make-ticket.ts';

/** Where minted tickets go. */
export interface TicketSink {
  /** All of them or none, durable when it resolves. */
  insertTickets(tickets: readonly NewTicket[]): Promise<void>;
  findTicket(ticketId: string): Promise<unknown>;
}

/** A batch takes some 50 ms of the store's only writer; scans at the gates wait no longer than that. */
const BATCH_TICKETS = 5000;

/**
 * Puts the tickets of a run into the store, in batches that are there as a whole or not at all.
 * @param resumed when an earlier run may have put some of them there
 * @param onBatch called with the number of stored tickets; when it throws, no further batch begins
 */
export async function storeTickets(
  run: TicketRun,
  sink: TicketSink,
  resumed: boolean,
  onBatch: (count: number) => void,
): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  for (let start = 0; start < run.count; start += BATCH_TICKETS) {
    const end = Math.min(run.count, start + BATCH_TICKETS);
    const batch: NewTicket[] = [];
    for (let index = start; index < end; index += 1) batch.push(storedTicket(run, index));
    // The next batch is made while the store writes the one before it.
    await writing;
    onBatch(start);
    const first = batch[0];
    const isThere = resumed && first !== undefined && (await sink.findTicket(first.id));
    writing = isThere ? Promise.resolve() : sink.insertTickets(batch);
    // Awaited in the next round; until then a failure is not unhandled.
    writing.catch(() => undefined);
  }
  await writing;
  onBatch(run.count);
}
