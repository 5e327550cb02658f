import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/new-ticket.ts';
import { OutcomeStatistics } from '../../src/service/manage/statistics/outcome-statistics.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, LASTING_ENGINES, TestStore } from '../support/stores.ts';

const DAY_MS = 86_400_000;
/** What an older version let in, or a clock that was wrong when the ticket was used. */
const FAR_AHEAD = Date.UTC(9999, 11, 30);

/** A multi-use card whose last use is said to be in the future. */
async function futureCard(it: TestStore, lastConsumedAt = FAR_AHEAD): Promise<string> {
  const options = { kind: 'multi', uses: 100, eventId: it.eventId } as const;
  const ticket = newTicket(options, it.clock.now(), randomBytes);
  await it.store.insertTickets(
    [{ ...ticket, usesConsumed: 1, lastConsumedAt, cancelledAt: null }],
    AN_AUDIT_ENTRY,
  );
  return ticket.id;
}

const retryFor = (it: TestStore, windowMs: number, name = 'gate-1') => ({
  name,
  bodyHash: 'h',
  expiresAt: it.clock.now() + windowMs,
});

/** Stored answers, statistics and the parts of the log go by the server's clock, never by a time in the data. */
describe.each(ENGINES)('%s', (engine) => {
  test('a use with a time in the future costs nobody a stored answer', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const repeated = it.request(id, { retry: retryFor(it, DAY_MS) });
    const [first] = await it.scan(repeated);
    const [ahead] = await it.scan(it.request(await futureCard(it)));

    expect(ahead).toMatchObject({ decision: { status: 'consumed', scannedAt: FAR_AHEAD } });
    expect(await it.scan(repeated)).toEqual([first]);
    if (LASTING_ENGINES.includes(engine)) await it.reopen();
    expect(await it.scan(repeated)).toEqual([first]);
    expect(await it.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  });

  test('expired answers are dropped while scans go on, others stay', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'permanent' });
    const kept = it.request(id, { retry: retryFor(it, DAY_MS, 'kept') });
    await it.scan(kept);
    for (let batch = 0; batch < 10; batch += 1) {
      const requests = Array.from({ length: 50 }, (_, index) =>
        it.request(id, { retry: retryFor(it, 1, `${batch} ${index}`) }),
      );
      await it.scan(...requests);
    }
    expect((await it.store.info()).counts.answers).toBeGreaterThan(100);

    for (let count = 0; count < 20; count += 1) {
      it.clock.advance(2);
      await it.scan(it.request(id, { retry: retryFor(it, 1, `later ${count}`) }));
    }

    const withTheLast = 2;
    expect((await it.store.info()).counts.answers).toBe(withTheLast);
    if (LASTING_ENGINES.includes(engine)) await it.reopen();
    expect((await it.store.info()).counts.answers).toBe(withTheLast);
    const [again] = await it.scan(it.request(id, { retry: retryFor(it, DAY_MS, 'kept') }));
    expect(again).toMatchObject({ decision: { ticket: { usesConsumed: 1 } } });
  });

  test('"today" is the day of the clock, whatever times the log holds', async () => {
    await using it = await TestStore.open(engine);
    const statistics = new OutcomeStatistics(it.store, it.clock);
    const [{ organisationId = '' } = {}] = await it.store.listEvents();
    const { id } = await it.mint({ kind: 'multi', uses: 9 });
    const today = async () => {
      const { counts } = await statistics.of(organisationId);
      return counts.todayAt(Math.floor(it.clock.now() / 60_000)).admitted;
    };
    await it.scan(it.request(id));
    expect(await today()).toBe(1);

    await it.scan(it.request(await futureCard(it)));
    await it.scan(it.request(id), it.request(id));
    expect(await today()).toBe(3);

    it.clock.nowMs += DAY_MS;
    await it.scan(it.request(id));
    expect(await today()).toBe(1);
    it.clock.nowMs -= DAY_MS;
    expect(await today()).toBe(3);
  });
});
