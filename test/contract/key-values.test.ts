import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { hashApiKey } from '../../src/core/api-key.ts';
import { KEY_CHOICE_NAMES, KEY_CHOICES, valuesOfChoice } from '../../src/core/key-settings.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { KeyCache } from '../../src/scan/key-cache.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import type { Store } from '../../src/stores/store.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const HOUR = 3_600_000;
const PLAIN = { name: 'box office', type: 'api', events: 'all' } as const;

/** How a value is answered by a process on this store. Devices cannot tell an unknown key from a refused one. */
function asker(gate: TestStore, store: Store = gate.store) {
  const keyring = temporaryKeyring();
  const { clock } = gate;
  const service = new ScanService({ store, keyring: () => keyring, clock, deviceRetryWindowMs: 0 });
  return async (value: string) => {
    const key = await service.findKey(value, 'api');
    if (!key) return 'refused';
    const input = { key, operation: 'consume', ticketCode: 'TS1.x.y' } as const;
    const { kind } = await service.scan(input);
    return kind === 'key_refused' ? 'refused' : kind;
  };
}

describe.each(ENGINES)('%s', (engine) => {
  test('the device file of a key is kept, and changed', async () => {
    await using gate = await TestStore.open(engine);
    const terms = { device: 'control-id' } as const;
    const gated = { name: 'turnstile', type: 'hardware', events: 'all', terms } as const;
    const { key, value } = await gate.administration.keys.create(gated);
    expect(key).toMatchObject(terms);
    expect(await gate.store.list('key')).toContainEqual(key);
    expect((await gate.store.findKeyByHash(hashApiKey(value)))?.key).toEqual(key);
    const { device: _, ...plain } = key;
    const kept = await gate.administration.keys.edit(key.id, { name: 'turnstile' });
    expect(kept).toEqual(key);
    const changed = await gate.administration.keys.edit(key.id, { device: '' });
    expect(changed).toEqual(plain);
    await expect(
      gate.administration.keys.create({ ...PLAIN, name: 'shop', terms }),
    ).rejects.toThrow('Only hardware keys have devices');
    await expect(gate.administration.keys.edit(key.id, { device: '../etc' })).rejects.toThrow(
      'is not the name of a device file',
    );
  });

  test.each(
    KEY_CHOICE_NAMES.flatMap((name) => valuesOfChoice(name).map((value) => [name, value] as const)),
  )(
    'a key keeps %s: %s, loses it again, and keeps it when something else changes',
    async (name, value) => {
      await using gate = await TestStore.open(engine);
      const terms = { [name]: value };
      const { usual } = KEY_CHOICES[name];
      const wanted = value === usual ? {} : terms;
      const gated = { name: 'turnstile', type: 'hardware', events: 'all', terms } as const;
      const { key, value: secret } = await gate.administration.keys.create(gated);
      const { id, organisationId, createdAt, name: called, type, events } = key;
      const door = { active: true, relay: 'auto', openSeconds: 5 };
      const plain = { id, organisationId, createdAt, name: called, type, events, ...door };
      expect(key).toEqual({ ...plain, ...wanted });
      expect((await gate.store.findKeyByHash(hashApiKey(secret)))?.key).toEqual(key);
      const cache = new KeyCache(gate.store, gate.clock);
      expect((await cache.find(secret, 'hardware'))?.door).toMatchObject(wanted);
      expect(await gate.administration.keys.edit(id, { openSeconds: 5 })).toEqual(key);
      expect(await gate.administration.keys.edit(id, { [name]: usual })).toEqual(plain);
      if (value === usual) return;
      await expect(
        gate.administration.keys.create({ ...PLAIN, name: 'shop', terms }),
      ).rejects.toThrow('Only hardware keys have');
    },
  );

  test('a rotated key holds with both values until the time that is named', async () => {
    await using gate = await TestStore.open(engine);
    const { key, value: first } = await gate.administration.keys.create(PLAIN);
    const ask = asker(gate);
    const { key: rotated, value: second } = await gate.administration.keys.rotate(key.id, HOUR);

    expect(rotated).toEqual({ ...key, rotations: 1, previousUntil: gate.clock.now() + HOUR });
    expect([await ask(first), await ask(second)]).toEqual(['decided', 'decided']);
    expect(await gate.store.requestsInMonth(key.id, 202607)).toBe(2);
    gate.clock.advance(HOUR - 1);
    expect(await ask(first)).toBe('decided');
    gate.clock.advance(1);
    expect([await ask(first), await ask(second)]).toEqual(['refused', 'decided']);
    expect((await gate.store.list('key')).map(({ id }) => id)).toEqual([gate.keyId, key.id]);
    expect((await gate.store.findKeyByHash(hashApiKey(second)))?.key).toEqual(rotated);
  });

  test('a value that was ended stays ended when the clock is set back', async () => {
    await using gate = await TestStore.open(engine);
    const ask = asker(gate);
    const { key: stolen, value: first } = await gate.administration.keys.create(PLAIN);
    await gate.administration.keys.rotate(stolen.id, 0);
    const { key, value: old } = await gate.administration.keys.create({ ...PLAIN, name: 'shop' });
    await gate.administration.keys.rotate(key.id, HOUR);
    await gate.administration.keys.edit(key.id, { previousUntil: gate.clock.now() });

    for (const stepMs of [0, -1000, -HOUR]) {
      gate.clock.advance(stepMs);
      expect([await ask(first), await ask(old)], `${stepMs} ms`).toEqual(['refused', 'refused']);
    }
  });

  test('the end of a running overlap is moved, both values stay, and the audit log names it', async () => {
    await using gate = await TestStore.open(engine);
    const { key, value: first } = await gate.administration.keys.create(PLAIN);
    const ask = asker(gate);
    const { value: second } = await gate.administration.keys.rotate(key.id, HOUR);
    const previousUntil = gate.clock.now() + 3 * HOUR;

    const moved = await gate.administration.keys.edit(key.id, { previousUntil });

    expect(moved).toMatchObject({ rotations: 1, previousUntil });
    const [entry] = await gate.store.readAuditLog({ limit: 1 });
    expect(entry).toMatchObject({
      act: 'key.change',
      details: { previousUntil: new Date(previousUntil).toISOString() },
    });
    gate.clock.advance(2 * HOUR);
    expect([await ask(first), await ask(second)]).toEqual(['decided', 'decided']);
    gate.clock.advance(HOUR);
    expect([await ask(first), await ask(second)]).toEqual(['refused', 'decided']);
    const late = gate.administration.keys.edit(key.id, { previousUntil: gate.clock.now() + HOUR });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    expect(await ask(first)).toBe('refused');
  });

  test('a second rotation ends the oldest value, an overlap of 0 the old one', async () => {
    await using gate = await TestStore.open(engine);
    const { key, value: first } = await gate.administration.keys.create(PLAIN);
    const ask = asker(gate);
    const { value: second } = await gate.administration.keys.rotate(key.id, HOUR);
    const { value: third } = await gate.administration.keys.rotate(second, HOUR);
    expect([await ask(first), await ask(second), await ask(third)]).toEqual([
      'refused',
      'decided',
      'decided',
    ]);
    const { value: fourth } = await gate.administration.keys.rotate(key.id, 0);
    expect([await ask(second), await ask(third), await ask(fourth)]).toEqual([
      'refused',
      'refused',
      'decided',
    ]);
  });

  test('one bucket, one switch and one place for both values', async () => {
    await using gate = await TestStore.open(engine);
    const { administration } = gate;
    await administration.organisations.edit(undefined, {
      limits: { burst: 2, ratePerSecond: 1, keysMax: 2 },
    });
    const { key, value: first } = await administration.keys.create(PLAIN);
    const { value: second } = await administration.keys.rotate(key.id);
    const ask = asker(gate);
    expect([await ask(first), await ask(second), await ask(first)]).toEqual([
      'decided',
      'decided',
      'limited',
    ]);
    await expect(administration.keys.create(PLAIN)).rejects.toMatchObject({
      code: 'limit_reached',
    });
    await administration.organisations.edit(undefined, { limits: DEFAULT_LIMITS });
    // PostgreSQL fills the bucket that there is, 50 tokens a second.
    await setTimeout(200);
    await administration.keys.edit(key.id, { active: false });
    expect([await ask(first), await ask(second)]).toEqual(['refused', 'refused']);
    await administration.keys.edit(key.id, { active: true });
    expect([await ask(first), await ask(second)]).toEqual(['decided', 'decided']);
    await administration.keys.delete(key.id);
    expect([await ask(first), await ask(second)]).toEqual(['refused', 'refused']);
  });

  test('a key that has expired is refused as a disabled one, and holds again when that is changed', async () => {
    await using gate = await TestStore.open(engine);
    const expiresAt = gate.clock.now() + HOUR;
    const { key, value } = await gate.administration.keys.create({
      ...PLAIN,
      terms: { expiresAt },
    });
    const ask = asker(gate);
    expect(key.expiresAt).toBe(expiresAt);
    gate.clock.advance(HOUR - 1);
    expect(await ask(value)).toBe('decided');
    gate.clock.advance(1);
    expect(await ask(value)).toBe('refused');
    const { id } = await gate.mint();
    const [late] = await gate.scan(gate.request(id, { keyId: key.id }));
    expect(late).toEqual({ kind: 'key_refused' });
    await gate.administration.keys.edit(key.id, { expiresAt: null });
    expect(await ask(value)).toBe('decided');
    expect((await gate.store.list('key')).at(-1)).not.toHaveProperty('expiresAt');
    const past = gate.administration.keys.edit(key.id, { expiresAt: gate.clock.now() });
    await expect(past).rejects.toThrow('in the past');
  });

  test('the minute of the last use is known, also after a restart', async () => {
    await using gate = await TestStore.open(engine);
    expect(await gate.store.keyLastUsedAt(gate.keyId)).toBeNull();
    gate.clock.advance(90_000);
    const minute = Math.floor(gate.clock.now() / 60_000) * 60_000;
    await gate.scan(gate.request((await gate.mint()).id), gate.heartbeat(null));
    gate.clock.advance(-3 * 60_000);
    await gate.scan(gate.request((await gate.mint()).id));
    await gate.reopen();
    expect(await gate.store.keyLastUsedAt(gate.keyId)).toBe(minute);
  });
});

describe.each(ENGINES)('%s, opened twice as by two processes', (engine) => {
  test('a second rotation in one process ends the oldest value in the other at once', async () => {
    await using gate = await TestStore.open(engine);
    const { key, value: first } = await gate.administration.keys.create(PLAIN);
    const ask = asker(gate, await gate.another());
    expect(await ask(first)).toBe('decided');
    await gate.administration.keys.rotate(key.id, HOUR);
    for (let seen = 0; seen < 3; seen += 1) expect(await ask(first)).toBe('decided');
    await gate.administration.keys.rotate(key.id, HOUR);
    expect(await ask(first)).toBe('refused');
  });
});
