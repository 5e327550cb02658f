import { describe, expect, test } from 'vitest';
import { monthOf } from '../../src/core/clock.ts';
import { IDEMPOTENCY_MS } from '../../src/core/limits.ts';
import type { RetryToken } from '../../src/core/scan-batch.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

/** A repeated request gets its first answer again (section 4.2 with an Idempotency-Key), on every engine. */
describe.each(ENGINES)('%s', (engine) => {
  const tokenOf = (it: TestStore, changes: Partial<RetryToken> = {}): RetryToken => ({
    name: 'n',
    bodyHash: 'h',
    expiresAt: it.clock.now() + 1000,
    ...changes,
  });

  test('repeats inside one batch take one use', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const repeated = it.request(id, { retry: tokenOf(it) });

    const outcomes = await it.scan(repeated, it.request(id), repeated, repeated);

    expect(outcomes.map(statusOfOutcome)).toEqual(Array(4).fill('consumed'));
    expect([outcomes[2], outcomes[3]]).toEqual([outcomes[0], outcomes[0]]);
    expect(await it.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  });

  test('repeats from many sides at once take one use, and all are told the same', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 50 });
    const repeated = it.request(id, { retry: tokenOf(it) });

    const outcomes = (
      await Promise.all(Array.from({ length: 24 }, () => it.scan(repeated)))
    ).flat();

    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(await it.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
    const log = await it.store.readLog({ limit: 100 });
    expect(log.map(({ replayed }) => replayed)).toEqual([false, ...Array(23).fill(true)]);
    expect((await it.store.verify()).problems).toEqual([]);
  });

  test('a repeated answer keeps its language and what was wrong with the body', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint();
    const german = tokenOf(it, { language: 'de' });
    const unusable = { kind: 'unreadable', fault: 'too_deep' } as const;
    const bad = it.request(id, { subject: unusable, retry: tokenOf(it, { name: 'bad' }) });

    const [first, refused] = await it.scan(it.request(id, { retry: german }), bad);
    const english = it.request(id, { retry: tokenOf(it, { language: 'en' }) });
    const again = await it.scan(english, { ...bad, subject: { kind: 'unreadable' } });

    expect(first).toMatchObject({ decision: { status: 'consumed' } });
    expect(refused).toEqual({
      kind: 'decided',
      decision: { status: 'rejected', reason: 'missing_ticket_code', fault: 'too_deep' },
    });
    expect(again).toMatchObject([{ decision: { status: 'consumed', language: 'de' } }, refused]);
    expect((await it.store.readLog({ limit: 9 })).map(({ replayed }) => replayed)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('a name that cannot be one is refused by the key, the quota and then by name; it counts', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint();
    const misnamed = it.request(id, { subject: { kind: 'bad_retry_name' } });

    const [outcome] = await it.scan(misnamed);
    await it.store.updateKey(it.keyId, { active: false }, AN_AUDIT_ENTRY);
    const [refused] = await it.scan(misnamed);

    expect([outcome, refused].map(statusOfOutcome)).toEqual(['bad_retry_name', 'key_refused']);
    expect(await it.store.requestsInMonth(it.keyId, monthOf(it.clock.now()))).toBe(1);
    expect(await it.store.readLog({ limit: 9 })).toEqual([]);
  });

  test('a denial is repeated too, even when it would be a grant by now', async () => {
    await using it = await TestStore.open(engine);
    const validFrom = it.clock.now() + 10;
    const { id } = await it.mint({ validFrom });
    const retry = tokenOf(it);

    const [early] = await it.scan(it.request(id, { retry }));
    const [again] = await it.scan(it.request(id, { retry, now: validFrom }));
    const [other] = await it.scan(it.request(id, { now: validFrom }));

    expect(statusOfOutcome(early)).toBe('not_yet_valid');
    expect(again).toEqual(early);
    expect(statusOfOutcome(other)).toBe('consumed');
  });

  test('the first answer stands although the ticket was cancelled since', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({
      kind: 'multi',
      uses: 5,
      firstName: 'Ada',
      lastName: 'Lovelace',
    });
    const repeated = it.request(id, { retry: tokenOf(it) });

    const [first] = await it.scan(repeated);
    await it.store.cancelTicket(id, it.clock.now(), AN_AUDIT_ENTRY);

    expect(await it.scan(repeated)).toEqual([first]);
  });

  test('a refused key gets no stored answer', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const repeated = it.request(id, { retry: tokenOf(it) });
    await it.scan(repeated);
    await it.store.updateKey(it.keyId, { active: false }, AN_AUDIT_ENTRY);

    expect((await it.scan(repeated)).map(statusOfOutcome)).toEqual(['key_refused']);
  });

  test('keys do not share the names of retries', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const options = { name: 'second', type: 'api', events: 'all' } as const;
    const second = (await it.administration.createKey(options)).key.id;
    const retry = tokenOf(it);

    const outcomes = await it.scan(
      it.request(id, { retry }),
      it.request(id, { retry: { ...retry, bodyHash: 'other' }, keyId: second }),
      it.request(id, { retry: { ...retry, bodyHash: 'other' } }),
    );

    expect(outcomes.map(statusOfOutcome)).toEqual(['consumed', 'consumed', 'retry_conflict']);
    expect(await it.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  });

  test('an expired answer is replaced, and the new one is repeated from then on', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const expiresAt = it.clock.now() + 1000;
    await it.scan(it.request(id, { retry: tokenOf(it, { expiresAt }) }));
    const renewed = tokenOf(it, { bodyHash: 'another body', expiresAt: expiresAt + 1000 });

    const [justBefore] = await it.scan(it.request(id, { retry: renewed, now: expiresAt - 1 }));
    const [after] = await it.scan(it.request(id, { retry: renewed, now: expiresAt }));
    const [again] = await it.scan(it.request(id, { retry: renewed, now: expiresAt + 1 }));

    expect(statusOfOutcome(justBefore)).toBe('retry_conflict');
    expect(after).toMatchObject({ decision: { status: 'consumed', ticket: { usesConsumed: 2 } } });
    expect(again).toEqual(after);
  });

  test('an answer from the future is none: the clock was set back since', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 9 });
    const windowMs = 3000;
    const at = (now: number) =>
      it.request(id, { now, retry: tokenOf(it, { expiresAt: now + windowMs }) });
    const start = it.clock.now();
    const usesAt = async (now: number) => {
      const [outcome] = await it.scan(at(now));
      return outcome?.kind === 'decided' && 'ticket' in outcome.decision
        ? outcome.decision.ticket.usesConsumed
        : undefined;
    };

    expect(await usesAt(start)).toBe(1);
    // Requests that were under way together reach the store in any order.
    expect(await usesAt(start - windowMs + 1)).toBe(1);
    expect(await usesAt(start - windowMs)).toBe(2);
    expect(await usesAt(start - 86_400_000)).toBe(3);
    expect(await usesAt(start - 86_400_000 + 1)).toBe(3);
  });

  test('clocks of several servers may differ by a few seconds; more is the future, however long the window', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 9 });
    const start = it.clock.now();
    const usesAt = async (now: number) => {
      const retry = tokenOf(it, { expiresAt: now + IDEMPOTENCY_MS });
      const [outcome] = await it.scan(it.request(id, { now, retry }));
      return outcome?.kind === 'decided' && 'ticket' in outcome.decision
        ? outcome.decision.ticket.usesConsumed
        : undefined;
    };

    expect(await usesAt(start)).toBe(1);
    expect(await usesAt(start - 4999)).toBe(1);
    expect(await usesAt(start - 60_000)).toBe(2);
    expect(await usesAt(start - 60_000)).toBe(2);
  });

  test('a conflict and a repeat count against the quota, but register nothing', async () => {
    await using it = await TestStore.open(engine);
    const { id } = await it.mint({ kind: 'multi', uses: 5 });
    const retry = tokenOf(it);

    await it.scan(it.request(id, { retry }));
    await it.scan(it.request(id, { retry }));
    await it.scan(it.request(id, { retry: tokenOf(it, { bodyHash: 'other' }) }));

    expect(await it.store.requestsInMonth(it.keyId, 202607)).toBe(3);
    expect(await it.store.readLog({ limit: 10 })).toHaveLength(2);
    expect(await it.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  });
});
