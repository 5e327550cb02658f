import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stateOf, TICKET_STATES, type TicketState } from '../../src/core/decision.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

const DAY_MS = 86_400_000;
const STEPS_MS = [0, -1, 1, 2, -2, DAY_MS, DAY_MS + 1, -DAY_MS, -2 * DAY_MS];
const ANSWERS: Readonly<Record<string, TicketState>> = {
  ticket_cancelled: 'cancelled',
  validated: 'valid',
};

/** Unused, used up and cancelled ones with every window whose ends lie around the time of the store. */
async function everyTicket(gate: TestStore): Promise<Ticket[]> {
  const now = gate.clock.now();
  const bounds = [null, now - DAY_MS, now - 1, now, now + 1, now + DAY_MS];
  const windows = bounds
    .flatMap((validFrom) => bounds.map((validUntil) => ({ validFrom, validUntil })))
    .filter(({ validFrom, validUntil }) => (validUntil ?? now) >= (validFrom ?? 0));
  const histories = [{}, { usesConsumed: 1, lastConsumedAt: now }, { cancelledAt: now }];
  const tickets = windows.flatMap((window) =>
    histories.map((history) => ({
      ...newTicket({ kind: 'single', eventId: gate.eventId }, now, randomBytes),
      ...window,
      ...history,
    })),
  );
  await gate.store.insertTickets(tickets, AN_AUDIT_ENTRY);
  return gate.store.listTickets({ limit: 1000 });
}

const idsOf = (tickets: readonly Ticket[]) => tickets.map(({ id }) => id);

describe.each(ENGINES)('the state of a ticket in %s', (engine) => {
  test('the filter of the store finds it, at both ends of a window and on a clock that steps', async () => {
    await using gate = await TestStore.open(engine);
    const all = await everyTicket(gate);

    for (const step of STEPS_MS) {
      const now = gate.clock.now() + step;
      for (const is of TICKET_STATES) {
        const listed = await gate.store.listTickets({ state: { is, now }, limit: 1000 });
        const expected = all.filter((ticket) => stateOf(ticket, now) === is);
        expect(idsOf(listed), `${is} after ${step} ms`).toEqual(idsOf(expected));
      }
    }
  });

  test('a scan says it', async () => {
    await using gate = await TestStore.open(engine);
    const all = await everyTicket(gate);
    const asked = all.map(({ id }) => gate.request(id, { operation: 'validate' }));

    const said = (await gate.scan(...asked)).map(statusOfOutcome);

    const states = all.map((ticket) => stateOf(ticket, gate.clock.now()));
    expect(said.map((one) => ANSWERS[one] ?? one)).toEqual(states);
  });

  test('the pages of a search have each ticket in it once', async () => {
    await using gate = await TestStore.open(engine);
    const all = await everyTicket(gate);
    const now = gate.clock.now();
    const state = { is: 'expired', now } as const;
    const bounds = { state, eventIds: [gate.eventId], limit: 3, searchMax: 10 };

    const found: Ticket[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page = await gate.store.searchTickets({ ...bounds, ...(next && { afterId: next }) });
      found.push(...page.tickets);
      ({ next } = page);
    }

    const expired = all.filter((ticket) => stateOf(ticket, now) === 'expired');
    expect(expired.length).toBeGreaterThan(bounds.limit);
    expect(idsOf(found)).toEqual(idsOf(expired));
  });
});
