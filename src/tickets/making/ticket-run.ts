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
  /** The numbers of the tickets that were made, in their order; absent where none was left out. */
  readonly made?: readonly number[] | undefined;
  /** `unique`: tickets whose reference is known are left out; those of one row are stored together. */
  readonly references?: 'unique' | undefined;
  /** The terms of ticket number `index`. */
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

/** A ticket as it is handed out, at its place among those that are. */
export function printedTicket(run: TicketRun, place: number): PrintedTicket {
  const ticket = storedTicket(run, numberAt(run, place));
  const code = makeTicketCode(ticket.id, run.keyring, run.codeFormat);
  return { ...ticket, code, eventName: run.event.name };
}

/** How many tickets of a run are handed out. */
export function madeCount({ made, count }: TicketRun): number {
  return made?.length ?? count;
}

/** The number in the run of the ticket that is handed out at a place. */
function numberAt({ made }: TicketRun, place: number): number {
  return made?.[place] ?? place;
}

/** All tickets of a run, one after the other. */
export function* printedTickets(run: TicketRun): Generator<PrintedTicket> {
  for (let place = 0; place < madeCount(run); place += 1) yield printedTicket(run, place);
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

/** The destination of minted tickets. */
export interface TicketSink {
  /** Inserts all of the tickets or none; they are durable when it resolves. */
  insertTickets(tickets: readonly BatchedTicket[], references?: 'unique'): Promise<unknown>;
  /** Returns the tickets that exist, in any order. */
  findTickets(ticketIds: readonly string[]): Promise<readonly { readonly id: string }[]>;
}

/** A batch takes some 50 ms of the store's only writer; scans at the gates wait no longer than that. */
export const BATCH_TICKETS = 5000;
/** Tickets whose references are looked for at once: each look costs as much as storing several tickets. */
const UNIQUE_AT_ONCE = 1000;

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
  let writing: Promise<unknown> = Promise.resolve();
  let end = 0;
  for (let start = 0; start < run.count; start = end) {
    end = batchEnd(run, start);
    const batch: BatchedTicket[] = [];
    for (let index = start; index < end; index += 1) batch.push(storedTicket(run, index));
    // The next batch is made while the store writes the one before it.
    await writing;
    onBatch(start);
    writing =
      resumed && (await isThere(sink, run, batch))
        ? Promise.resolve()
        : sink.insertTickets(batch, run.references);
    // Awaited in the next round; until then a failure is not unhandled.
    writing.catch(() => undefined);
  }
  await writing;
  onBatch(run.count);
}

/** Where a batch ends. After a crash a row whose reference is known must have all of its tickets. */
function batchEnd({ count, references, specAt }: TicketRun, start: number): number {
  if (references !== 'unique') return Math.min(count, start + BATCH_TICKETS);
  let end = Math.min(count, start + UNIQUE_AT_ONCE);
  while (end < count && specAt(end).reference === specAt(end - 1).reference) end += 1;
  return end;
}

/** A batch is there as a whole, but for the tickets whose reference was known. */
async function isThere(
  sink: TicketSink,
  { references }: TicketRun,
  batch: readonly BatchedTicket[],
): Promise<boolean> {
  const looked = references === 'unique' ? batch : batch.slice(0, 1);
  return (await sink.findTickets(looked.map(({ id }) => id))).length > 0;
}

/** The run with those tickets alone that the store took. */
export async function onlyMade(run: TicketRun, sink: TicketSink): Promise<TicketRun> {
  const made: number[] = [];
  for (let start = 0; start < run.count; start += BATCH_TICKETS) {
    const size = Math.min(BATCH_TICKETS, run.count - start);
    const ids = Array.from({ length: size }, (_, at) => storedTicket(run, start + at).id);
    const there = new Set((await sink.findTickets(ids)).map(({ id }) => id));
    made.push(...ids.flatMap((id, at) => (there.has(id) ? [start + at] : [])));
  }
  const { kept } = run;
  const keptOfMade = kept && {
    headings: kept.headings,
    cellsAt: (place: number) => kept.cellsAt(made[place] ?? place),
  };
  return { ...run, made, kept: keptOfMade };
}
