import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { linksOf } from '../../src/core/ticket-changes.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { TicketAdministration } from '../../src/features/tickets/rules.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';
import { tryAgain } from '../support/try-again.ts';

const administrationOn = (gate: TestStore, store = gate.store) =>
  new TicketAdministration(store, gate.clock, randomBytes, COMMAND_LINE);

/** A card with 3 of 5 uses left. */
async function usedCard(gate: TestStore) {
  const card = await gate.mint({ kind: 'multi', uses: 5, firstName: 'Ada', validUntil: 4e12 });
  await gate.scan(gate.request(card.id), gate.request(card.id));
  return card;
}

describe.each(ENGINES)('%s', (engine) => {
  test('a lost card is cancelled, and another has what was left of it', async () => {
    await using gate = await TestStore.open(engine);
    const lost = await usedCard(gate);
    const before = await gate.store.findTicket(lost.id);

    const made = await administrationOn(gate).replace(lost.id);

    await gate.reopen();
    const at = gate.clock.now();
    expect(made).toEqual({ ...before, id: made.id, createdAt: at });
    expect(made).toMatchObject({ usesConsumed: 2, usesAllowed: 5, holder: lost.holder });
    expect(await gate.store.findTicket(made.id)).toEqual(made);
    expect(await gate.store.findTicket(lost.id)).toEqual({ ...before, cancelledAt: at });
    const [entry, ...others] = await gate.store.readAuditLog({ limit: 2 });
    expect(entry).toMatchObject({
      act: 'ticket.replace',
      subject: lost.id,
      details: { replacedBy: made.id },
    });
    expect(others[0]?.act).not.toBe('ticket.cancel');
    const answers = await gate.scan(
      gate.request(lost.id),
      ...Array.from({ length: 4 }, () => gate.request(made.id)),
    );
    expect(answers.map(statusOfOutcome)).toEqual([
      'ticket_cancelled',
      ...['consumed', 'consumed', 'consumed', 'exhausted'],
    ]);
    expect(await gate.problems()).toEqual([]);
  });

  test('a cancelled or unknown ticket is not replaced; a replacement can be', async () => {
    await using gate = await TestStore.open(engine);
    const tickets = administrationOn(gate);
    const lost = await gate.mint();
    const { id: second } = await tickets.replace(lost.id);
    const cancelled = await gate.mint();
    await tickets.cancel([cancelled.id]);
    const count = (await gate.store.readAuditLog({ limit: 99 })).length;

    await expect(tickets.replace(lost.id)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'ticket_replaced',
      message: expect.stringContaining(second),
    });
    await expect(tickets.replace(cancelled.id)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'replace_cancelled',
    });
    const unknown = `tkt_${gate.eventId}_${'0'.repeat(20)}`;
    await expect(tickets.replace(unknown)).rejects.toMatchObject({ code: 'not_found' });

    expect(await gate.store.readAuditLog({ limit: 99 })).toHaveLength(count);
    expect(await gate.store.countTickets()).toBe(3);
    const { id: third } = await tickets.replace(second);
    expect(await gate.consume(third)).toBe('consumed');
  });

  test('a replaced ticket stays cancelled, by itself and with all of its event', async () => {
    await using gate = await TestStore.open(engine);
    const tickets = administrationOn(gate);
    const [lost, other] = [await gate.mint(), await gate.mint()];
    await tickets.replace(lost.id);
    await tickets.cancel([other.id]);

    await expect(tickets.reinstate([other.id, lost.id])).rejects.toMatchObject({
      code: 'conflict',
      reason: 'ticket_replaced',
    });
    expect(await gate.store.findTicket(other.id)).not.toMatchObject({ cancelledAt: null });
    const done = await tickets.step('reinstate', { eventIds: [gate.eventId] }, null);

    expect(done).toMatchObject({ changed: 1, kept: 2, next: null });
    expect((await gate.scan(gate.request(lost.id))).map(statusOfOutcome)).toEqual([
      'ticket_cancelled',
    ]);
    expect(await gate.consume(other.id)).toBe('consumed');
  });

  test('neither of both is deleted by itself; with their event both go, and what links them', async () => {
    await using gate = await TestStore.open(engine);
    const tickets = administrationOn(gate);
    const lost = await gate.mint();
    const { id } = await tickets.replace(lost.id);

    expect(await tickets.delete([lost.id, id])).toEqual([]);
    for (const { kind, id: one, value } of linksOf(lost.id, id))
      expect(await gate.store.read(kind, one)).toMatchObject({ value });

    const ended = { id: gate.eventId, name: 'Pool', what: 'event', ended: AN_AUDIT_ENTRY } as const;
    const request = { ...ended, timeZone: 'Europe/Berlin', accounts: [] };
    await gate.store.beginDeletion(request, AN_AUDIT_ENTRY);
    await expect(tickets.replace(id)).rejects.toMatchObject({ code: 'not_found' });
    while (await gate.store.continueDeletion(gate.eventId, gate.clock.now()));

    for (const { kind } of linksOf(lost.id, id)) expect(await gate.store.list(kind)).toEqual([]);
    expect(await gate.problems()).toEqual([]);
  });

  test('of two replacements at the same moment exactly one is made', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    for (let round = 1; round <= 10; round += 1) {
      const lost = await gate.mint();
      const both = await Promise.allSettled([
        tryAgain(() => administrationOn(gate).replace(lost.id)),
        tryAgain(() => administrationOn(gate, other).replace(lost.id)),
      ]);
      const refused = both.filter((one) => one.status === 'rejected');
      expect(refused).toMatchObject([{ reason: { code: 'conflict' } }]);
      expect(await gate.store.countTickets()).toBe(2 * round);
    }
    expect(await gate.problems()).toEqual([]);
  });

  test('a lost card that is reinstated at the same moment stays cancelled beside its replacement', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    for (let round = 0; round < 20; round += 1) {
      const lost = await gate.mint();
      const reinstate = () => tryAgain(() => other.cancelTickets([lost.id], null, AN_AUDIT_ENTRY));
      const replace = () => tryAgain(() => administrationOn(gate).replace(lost.id));
      await Promise.all([replace(), reinstate(), reinstate()]);

      expect(await gate.store.findTicket(lost.id)).not.toMatchObject({ cancelledAt: null });
    }
  });

  test('a use that is taken at the same moment is on one of both cards, never on none', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    for (let round = 0; round < 10; round += 1) {
      const lost = await usedCard(gate);
      const [made, { outcomes }] = await Promise.all([
        tryAgain(() => administrationOn(gate).replace(lost.id)),
        other.commitScans([gate.request(lost.id)]),
      ]);
      const isTaken = statusOfOutcome(outcomes[0]) === 'consumed';
      expect(made.usesConsumed).toBe(isTaken ? 3 : 2);
    }
    expect(await gate.problems()).toEqual([]);
  });
});
