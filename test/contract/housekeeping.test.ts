import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { figuresOfToday } from '../../src/features/statistics/scan-statistics.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const DAY_MS = 86_400_000;
/** What an older version let in, or a clock that was wrong when the ticket was used. */
const FAR_AHEAD = Date.UTC(9999, 11, 30);

/** A multi-use card whose last use is said to be in the future. */
async function futureCard(gate: TestStore, lastConsumedAt = FAR_AHEAD): Promise<string> {
  const options = { kind: 'multi', uses: 100, eventId: gate.eventId } as const;
  const ticket = newTicket(options, gate.clock.now(), randomBytes);
  await gate.store.insertTickets(
    [{ ...ticket, usesConsumed: 1, lastConsumedAt, cancelledAt: null }],
    AN_AUDIT_ENTRY,
  );
  return ticket.id;
}

const retryFor = (gate: TestStore, windowMs: number, name = 'gate-1') => ({
  name,
  bodyHash: 'h',
  expiresAt: gate.clock.now() + windowMs,
});

/** Other processes on the store have other clocks: what has expired by one is not removed before it has by all. */
const CLOCKS_DIFFER_MS = 5000;

/** Stored answers, statistics and the parts of the log go by the server's clock, never by a time in the data. */
describe.each(ENGINES)('%s', (engine) => {
  test('a use with a time in the future costs nobody a stored answer', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const repeated = gate.request(id, { retry: retryFor(gate, DAY_MS) });
    const [first] = await gate.scan(repeated);
    const [ahead] = await gate.scan(gate.request(await futureCard(gate)));

    expect(ahead).toMatchObject({ decision: { status: 'consumed', scannedAt: FAR_AHEAD } });
    expect(await gate.scan(repeated)).toEqual([first]);
    await gate.reopen();
    expect(await gate.scan(repeated)).toEqual([first]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  });

  test('a process whose clock is ahead leaves the answers of the others', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const now = gate.clock.now();
    const windowMs = 1000;
    const device = (at: number) =>
      gate.request(id, { now: at, retry: { name: 'n', bodyHash: 'h', expiresAt: at + windowMs } });
    const ahead = gate.request(id, {
      now: now + 4000,
      retry: { name: 'other', bodyHash: 'h', expiresAt: now + 4000 + windowMs },
    });

    const [first] = await gate.scan(device(now));
    for (let batch = 0; batch < 3; batch += 1) await gate.scan(ahead);

    expect(await gate.scan(device(now + windowMs / 2))).toEqual([first]);
  });

  test('expired answers are dropped while scans go on, others stay', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const kept = gate.request(id, { retry: retryFor(gate, DAY_MS, 'kept') });
    await gate.scan(kept);
    for (let batch = 0; batch < 10; batch += 1) {
      const requests = Array.from({ length: 50 }, (_, index) =>
        gate.request(id, { retry: retryFor(gate, 1, `${batch} ${index}`) }),
      );
      await gate.scan(...requests);
    }
    expect((await gate.store.info()).counts.answers).toBeGreaterThan(100);

    for (let count = 0; count < 20; count += 1) {
      gate.clock.advance(CLOCKS_DIFFER_MS + 2);
      await gate.scan(gate.request(id, { retry: retryFor(gate, 1, `later ${count}`) }));
    }

    const withTheLast = 2;
    expect((await gate.store.info()).counts.answers).toBe(withTheLast);
    await gate.reopen();
    expect((await gate.store.info()).counts.answers).toBe(withTheLast);
    const [again] = await gate.scan(gate.request(id, { retry: retryFor(gate, DAY_MS, 'kept') }));
    expect(again).toMatchObject({ decision: { ticket: { usesConsumed: 1 } } });
  });

  test('"today" is the day of the clock, whatever times the log holds', async () => {
    await using gate = await TestStore.open(engine);
    const [{ organisationId = '' } = {}] = await gate.store.list('event');
    const { id } = await gate.mint({ kind: 'multi', uses: 9 });
    const today = async () => {
      const now = gate.clock.now();
      return (await figuresOfToday(gate.store, organisationId, now)).admitted;
    };
    await gate.scan(gate.request(id));
    expect(await today()).toBe(1);

    await gate.scan(gate.request(await futureCard(gate)));
    await gate.scan(gate.request(id), gate.request(id));
    expect(await today()).toBe(3);

    gate.clock.nowMs += DAY_MS;
    await gate.scan(gate.request(id));
    expect(await today()).toBe(1);
    gate.clock.nowMs -= DAY_MS;
    expect(await today()).toBe(3);
  });
});
