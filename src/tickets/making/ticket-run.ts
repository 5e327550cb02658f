import { hash } from 'node:crypto';
import type { BatchedTicket, TicketTerms } from '../../core/ticket.ts';
import { type CodeFormat, type Keyring, makeTicketCode } from '../../core/ticket-code.ts';
import { makeBatchId, makeTicketId } from '../../core/ticket-id.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { PrintedTicket } from '../sheets/printed-ticket.ts';

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
function storedTicket(run: TicketRun, index: number): BatchedTicket {
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

export const SEED_BYTES = 32;

/**
 * Unpredictable bytes for ticket number `index` of a run, always the same for the same seed: a run that was cut short
 * finds its tickets again. The seed gives the ids of the tickets, so it is kept as the codes are.
 */
function ticketRandom(seed: Uint8Array, index: number): RandomBytes {
  const block = Buffer.alloc(SEED_BYTES + 16);
  block.set(seed);
  block.writeDoubleBE(index, SEED_BYTES);
  let counter = 0;
  return (size) => {
    const blocks: Buffer[] = [];
    for (let got = 0; got < size; got += 32) {
      block.writeDoubleBE(counter, SEED_BYTES + 8);
      counter += 1;
      blocks.push(hash('sha256', block, 'buffer'));
    }
    return Buffer.concat(blocks).subarray(0, size);
  };
}

/** Where minted tickets go. */
export interface TicketSink {
  /** All of them or none, durable when it resolves. */
  insertTickets(tickets: readonly BatchedTicket[]): Promise<void>;
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
    const batch: BatchedTicket[] = [];
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
