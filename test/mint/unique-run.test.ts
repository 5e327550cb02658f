import { expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import type { TicketTerms } from '../../src/core/ticket.ts';
import { newTerms } from '../../src/core/ticket-changes.ts';
import {
  madeCount,
  onlyMade,
  printedTickets,
  storeTickets,
  type TicketRun,
} from '../../src/tickets/making/ticket-run.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { TestStore } from '../support/stores.ts';

/** Rows of three tickets each: one lies across the end of a batch. */
const rowOf = (index: number) => Math.floor(index / 3);
const COUNT = 1002 + 6;

function runOf(eventId: string, seed: number): TicketRun {
  const specAt = (index: number): TicketTerms =>
    newTerms({ kind: 'single', reference: `R-${rowOf(index)}` });
  const kept = { headings: ['Row'], cellsAt: (index: number) => [String(rowOf(index))] };
  const identity = { seed: new Uint8Array(32).fill(seed), createdAt: 1 };
  const event = { id: eventId, name: 'Pool' };
  const codes = { keyring: temporaryKeyring(), codeFormat: 'TS1' as const };
  return { event, count: COUNT, specAt, kept, references: 'unique', ...identity, ...codes };
}

function sinkOf({ store }: TestStore, batches: number[] = [], failsAt = Number.POSITIVE_INFINITY) {
  return {
    findTickets: (ids: readonly string[]) => store.findTickets(ids),
    insertTickets: async (
      tickets: Parameters<typeof store.insertTickets>[0],
      references?: 'unique',
    ) => {
      if (batches.length >= failsAt) throw new Error('the power is gone');
      batches.push(tickets.length);
      return store.insertTickets(tickets, AN_AUDIT_ENTRY, {
        existing: 'refuse',
        ...(references && { references }),
      });
    },
  };
}

test('the tickets of a row are stored together, and a run that was cut short makes the others when it goes on', async () => {
  await using gate = await TestStore.open('sqlite');
  const run = runOf(gate.eventId, 1);
  const batches: number[] = [];
  const cut = storeTickets(run, sinkOf(gate, batches, 1), false, () => undefined);
  await expect(cut).rejects.toThrow('the power is gone');
  expect(batches).toEqual([1002]);
  await storeTickets(run, sinkOf(gate), true, () => undefined);
  expect(await gate.store.countTickets()).toBe(COUNT);
  expect(madeCount(await onlyMade(run, sinkOf(gate)))).toBe(COUNT);
});

test('another run after one that was cut short makes only what is missing, and hands out nothing else', async () => {
  await using gate = await TestStore.open('sqlite');
  const cut = storeTickets(runOf(gate.eventId, 1), sinkOf(gate, [], 1), false, () => undefined);
  await expect(cut).rejects.toThrow('the power is gone');
  const other = runOf(gate.eventId, 2);
  await storeTickets(other, sinkOf(gate), false, () => undefined);
  const made = await onlyMade(other, sinkOf(gate));
  const printed = [...printedTickets(made)];
  expect(printed).toHaveLength(6);
  for (const [place, { id, reference }] of printed.entries()) {
    expect(await gate.store.findTicket(id)).toMatchObject({ reference });
    expect(`R-${made.kept?.cellsAt(place)[0]}`).toBe(reference);
  }
  expect(await gate.store.countTickets()).toBe(COUNT);
});
