import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/new-ticket.ts';
import { AN_ACT } from '../support/an-act.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

/** Tickets that come from another store, whose log is not here. */
describe.each(ENGINES)('%s', (engine) => {
  test('a ticket keeps its history, and its uses are counted on from there', async () => {
    await using it = await TestStore.open(engine);
    const now = it.clock.now();
    const wish = { eventId: it.eventId, kind: 'multi', uses: 5 } as const;
    const history = { usesConsumed: 3, lastConsumedAt: now - 1000, cancelledAt: null };
    const card = { ...newTicket(wish, now - 5000, randomBytes), ...history };
    const gone = { ...newTicket(wish, now - 5000, randomBytes), cancelledAt: now - 10 };
    await it.store.insertTickets([card, gone], AN_ACT);

    expect(await it.store.findTicket(card.id)).toEqual(card);
    const outcomes = await it.scan(
      ...[card.id, gone.id, card.id, card.id].map((id) => it.request(id)),
    );

    expect(outcomes.map(statusOfOutcome)).toEqual([
      'consumed',
      'ticket_cancelled',
      'consumed',
      'exhausted',
    ]);
    expect(await it.store.findTicket(card.id)).toMatchObject({ usesConsumed: 5 });
    expect(await it.store.findTicket(gone.id)).toMatchObject({ cancelledAt: now - 10 });
    expect((await it.store.audit()).problems).toEqual([]);
  });
});
