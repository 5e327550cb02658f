import { describe, expect, test } from 'vitest';
import { monthOf } from '../../src/core/clock.ts';
import { IDEMPOTENCY_MS } from '../../src/core/limits.ts';
import type { RetryToken } from '../../src/core/scan-requests.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { editKey } from '../support/records.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

/** A repeated request gets its first answer again (section 4.2 with an Idempotency-Key), on both engines. */
describe.each(ENGINES)('%s', (engine) => {
  const tokenOf = (gate: TestStore, changes: Partial<RetryToken> = {}): RetryToken => ({
    name: 'n',
    bodyHash: 'h',
    expiresAt: gate.clock.now() + 1000,
    ...changes,
  });

  test('repeats inside one batch take one use', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const repeated = gate.request(id, { retry: tokenOf(gate) });

    const outcomes = await gate.scan(repeated, gate.request(id), repeated, repeated);

    expect(outcomes.map(statusOfOutcome)).toEqual(Array(4).fill('consumed'));
    expect([outcomes[2], outcomes[3]]).toEqual([outcomes[0], outcomes[0]]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  });

  test('repeats from many sides at once take one use, and all are told the same', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 50 });
    const repeated = gate.request(id, { retry: tokenOf(gate) });

    const outcomes = (
      await Promise.all(Array.from({ length: 24 }, () => gate.scan(repeated)))
    ).flat();

    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
    const log = await gate.store.readLog({ limit: 100 });
    expect(log.map(({ replayed }) => replayed)).toEqual([false, ...Array(23).fill(true)]);
    expect(await gate.problems()).toEqual([]);
  });

  test('a repeated answer keeps its language and what was wrong with the body', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const german = tokenOf(gate, { language: 'de' });
    const unusable = { kind: 'unreadable', issue: 'too_deep' } as const;
    const bad = gate.request(id, { subject: unusable, retry: tokenOf(gate, { name: 'bad' }) });

    const [first, refused] = await gate.scan(gate.request(id, { retry: german }), bad);
    const english = gate.request(id, { retry: tokenOf(gate, { language: 'en' }) });
    const again = await gate.scan(english, { ...bad, subject: { kind: 'unreadable' } });

    expect(first).toMatchObject({ decision: { status: 'consumed' } });
    expect(refused).toEqual({
      kind: 'decided',
      decision: { status: 'rejected', reason: 'missing_ticket_code', fault: 'too_deep' },
    });
    expect(again).toMatchObject([{ decision: { status: 'consumed', language: 'de' } }, refused]);
    expect((await gate.store.readLog({ limit: 9 })).map(({ replayed }) => replayed)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('a name that cannot be one is refused by the key, the quota and then by name; it counts', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const misnamed = gate.request(id, { subject: { kind: 'bad_retry_name' } });

    const [outcome] = await gate.scan(misnamed);
    await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);
    const [refused] = await gate.scan(misnamed);

    expect([outcome, refused].map(statusOfOutcome)).toEqual(['bad_retry_name', 'key_refused']);
    expect(await gate.store.requestsInMonth(gate.keyId, monthOf(gate.clock.now()))).toBe(1);
    expect(await gate.store.readLog({ limit: 9 })).toEqual([]);
  });

  test('a denial is repeated too, even when it would be a grant by now', async () => {
    await using gate = await TestStore.open(engine);
    const validFrom = gate.clock.now() + 10;
    const { id } = await gate.mint({ validFrom });
    const retry = tokenOf(gate);

    const [early] = await gate.scan(gate.request(id, { retry }));
    const [again] = await gate.scan(gate.request(id, { retry, now: validFrom }));
    const [other] = await gate.scan(gate.request(id, { now: validFrom }));

    expect(statusOfOutcome(early)).toBe('not_yet_valid');
    expect(again).toEqual(early);
    expect(statusOfOutcome(other)).toBe('consumed');
  });

  test('the first answer stands although the ticket was cancelled since', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({
      kind: 'multi',
      uses: 5,
      firstName: 'Ada',
      lastName: 'Lovelace',
    });
    const repeated = gate.request(id, { retry: tokenOf(gate) });

    const [first] = await gate.scan(repeated);
    await gate.store.cancelTickets([id], gate.clock.now(), AN_AUDIT_ENTRY);

    expect(await gate.scan(repeated)).toEqual([first]);
  });

  test('a refused key gets no stored answer', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const repeated = gate.request(id, { retry: tokenOf(gate) });
    await gate.scan(repeated);
    await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);

    expect((await gate.scan(repeated)).map(statusOfOutcome)).toEqual(['key_refused']);
  });

  test('keys do not share the names of retries', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const options = { name: 'second', type: 'api', events: 'all' } as const;
    const second = (await gate.administration.keys.create(options)).key.id;
    const retry = tokenOf(gate);

    const outcomes = await gate.scan(
      gate.request(id, { retry }),
      gate.request(id, { retry: { ...retry, bodyHash: 'other' }, keyId: second }),
      gate.request(id, { retry: { ...retry, bodyHash: 'other' } }),
    );

    expect(outcomes.map(statusOfOutcome)).toEqual(['consumed', 'consumed', 'retry_conflict']);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  });

  test('an expired answer is replaced, and the new one is repeated from then on', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const expiresAt = gate.clock.now() + 1000;
    await gate.scan(gate.request(id, { retry: tokenOf(gate, { expiresAt }) }));
    const renewed = tokenOf(gate, { bodyHash: 'another body', expiresAt: expiresAt + 1000 });

    const [justBefore] = await gate.scan(gate.request(id, { retry: renewed, now: expiresAt - 1 }));
    const [after] = await gate.scan(gate.request(id, { retry: renewed, now: expiresAt }));
    const [again] = await gate.scan(gate.request(id, { retry: renewed, now: expiresAt + 1 }));

    expect(statusOfOutcome(justBefore)).toBe('retry_conflict');
    expect(after).toMatchObject({ decision: { status: 'consumed', ticket: { usesConsumed: 2 } } });
    expect(again).toEqual(after);
  });

  test('an answer from the future is none: the clock was set back since', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 9 });
    const windowMs = 3000;
    const at = (now: number) =>
      gate.request(id, { now, retry: tokenOf(gate, { expiresAt: now + windowMs }) });
    const start = gate.clock.now();
    const usesAt = async (now: number) => {
      const [outcome] = await gate.scan(at(now));
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
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 9 });
    const start = gate.clock.now();
    const usesAt = async (now: number) => {
      const retry = tokenOf(gate, { expiresAt: now + IDEMPOTENCY_MS });
      const [outcome] = await gate.scan(gate.request(id, { now, retry }));
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
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const retry = tokenOf(gate);

    await gate.scan(gate.request(id, { retry }));
    await gate.scan(gate.request(id, { retry }));
    await gate.scan(gate.request(id, { retry: tokenOf(gate, { bodyHash: 'other' }) }));

    expect(await gate.store.requestsInMonth(gate.keyId, 202607)).toBe(3);
    expect(await gate.store.readLog({ limit: 10 })).toHaveLength(2);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  });
});
