import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../src/core/api-key.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { deleteKey, editKey, editOrganisation } from '../support/records.ts';
import { serviceOn } from '../support/scan-service.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

/** What is taken back holds for every scan that starts after the answer to it. */
describe.each(ENGINES)('%s', (engine) => {
  test('under load: no scan that starts after a revocation is granted', async () => {
    await using gate = await TestStore.open(engine);
    for (let round = 0; round < 10; round += 1) {
      const { id } = await gate.mint({ kind: 'permanent' });
      let revoked = false;
      let grantedLate = 0;
      const scanner = async () => {
        for (let scans = 0; scans < 12; scans += 1) {
          const startedAfter = revoked;
          const status = await gate.consume(id);
          if (startedAfter && status === 'consumed') grantedLate += 1;
        }
      };
      const revoke = async () => {
        await gate.scan(gate.request(id));
        await gate.store.cancelTickets([id], gate.clock.now(), AN_AUDIT_ENTRY);
        revoked = true;
      };
      await Promise.all([scanner(), scanner(), revoke(), scanner()]);
      expect(grantedLate).toBe(0);
      expect(await gate.consume(id)).toBe('ticket_cancelled');
    }
    expect(await gate.problems()).toEqual([]);
  });

  test('a deleted key is unknown from then on, a disabled one is known as disabled', async () => {
    await using gate = await TestStore.open(engine);
    const options = { name: 'x', type: 'api', events: 'all' } as const;
    const { key, value } = await gate.administration.keys.create(options);
    const find = () => gate.store.findKeyByHash(hashApiKey(value));

    const scan = async () => gate.consume((await gate.mint()).id, { keyId: key.id });

    expect(await find()).toMatchObject({ key, limits: DEFAULT_LIMITS });
    expect(await scan()).toBe('consumed');
    const disabled = await editKey(gate.store, key.id, { active: false }, AN_AUDIT_ENTRY);
    expect((await find())?.key).toEqual(disabled);
    expect(await scan()).toBe('key_refused');
    await editKey(gate.store, key.id, { active: true }, AN_AUDIT_ENTRY);
    expect(await scan()).toBe('consumed');
    await deleteKey(gate.store, key.id, gate.clock.now(), AN_AUDIT_ENTRY);
    expect(await find()).toBeUndefined();
    expect(await scan()).toBe('key_refused');
    // The log keeps naming it.
    expect(await gate.store.readLog({ limit: 1 })).toMatchObject([{ keyId: key.id }]);
  });

  test('software, and devices with a serial, are refused alike by every rule', async () => {
    await using gate = await TestStore.open(engine);
    const now = gate.clock.now();
    const ids = {
      ticket_cancelled: (await gate.mint()).id,
      not_yet_valid: (await gate.mint({ validFrom: now + 1000 })).id,
      expired: (await gate.mint({ validUntil: now - 1000 })).id,
      exhausted: (await gate.mint()).id,
      not_found: `tkt_${gate.eventId}_nobody`,
    };
    await gate.store.cancelTickets([ids.ticket_cancelled], now, AN_AUDIT_ENTRY);
    await gate.consume(ids.exhausted);
    const answers = async (id: string) => {
      const device = { serial: 'S-1', reader: '1' };
      const asked = [{}, device].flatMap((who) =>
        (['consume', 'validate'] as const).map((operation) =>
          gate.request(id, { ...who, operation }),
        ),
      );
      return new Set((await gate.scan(...asked)).map(statusOfOutcome));
    };

    for (const [reason, id] of Object.entries(ids))
      expect(await answers(id)).toEqual(new Set([reason]));
    await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);
    for (const id of Object.values(ids))
      expect(await answers(id)).toEqual(new Set(['key_refused']));
  });

  test('a disabled key costs no quota, leaves no log and still counts as one of the organisation; a deleted one makes room', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);
    await gate.scan(gate.request(id), gate.limited());
    const options = { type: 'api', events: 'all' } as const;
    const create = (name: string) => gate.administration.keys.create({ ...options, name });
    await create('two');
    await create('three');

    expect(await gate.store.requestsInMonth(gate.keyId, 202607)).toBe(0);
    expect(await gate.store.readLog({ limit: 10 })).toEqual([]);
    await expect(create('four')).rejects.toMatchObject({ code: 'limit_reached' });
    await gate.administration.keys.delete('three');
    await create('four');
    expect((await gate.store.list('key')).map(({ name }) => name)).toEqual(['gate', 'two', 'four']);
  });

  test('new limits hold for the next batch, and for whoever asks for a key', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'permanent' });
    const { id: organisation } = await gate.administration.organisations.find(undefined);
    const limits = { ratePerSecond: 0.5, burst: 3, quotaPerMonth: 1, keysMax: 1 };
    const scan = async () => await gate.consume(id);

    expect(await scan()).toBe('consumed');
    await editOrganisation(gate.store, organisation, { limits }, [AN_AUDIT_ENTRY]);
    expect(await scan()).toBe('quota_exceeded');
    expect(await gate.store.list('organisation')).toMatchObject([{ limits }]);
    await editOrganisation(gate.store, organisation, { limits: { ...limits, quotaPerMonth: 2 } }, [
      AN_AUDIT_ENTRY,
    ]);
    expect(await scan()).toBe('consumed');
    await expect(
      editOrganisation(gate.store, 'org_none', { limits }, [AN_AUDIT_ENTRY]),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('another rate holds for the next scan: a lower one refuses at once, a higher one lets in at once', async () => {
    await using gate = await TestStore.open(engine);
    const service = await serviceOn(gate);
    const { id: organisation } = await gate.administration.organisations.find(undefined);
    const setRate = (ratePerSecond: number, burst: number) =>
      editOrganisation(
        gate.store,
        organisation,
        { limits: { ...DEFAULT_LIMITS, ratePerSecond, burst } },
        [AN_AUDIT_ENTRY],
      );

    expect(await service.scans(2)).toEqual(['decided', 'decided']);
    await setRate(0.001, 1);
    expect(await service.scans(3)).toEqual(['decided', 'limited', 'limited']);
    await setRate(1e6, 5);
    gate.clock.advance(1000);
    expect(await service.scans(3)).toEqual(['decided', 'decided', 'decided']);
    await setRate(0.001, 1);
    expect([await service.heartbeat(), await service.heartbeat()]).toEqual(['alive', 'limited']);
  });

  test('another name of a key leaves its bucket as it is', async () => {
    await using gate = await TestStore.open(engine);
    const service = await serviceOn(gate);
    const { id: organisation } = await gate.administration.organisations.find(undefined);
    const limits = { ...DEFAULT_LIMITS, ratePerSecond: 0.001, burst: 2 };
    await editOrganisation(gate.store, organisation, { limits }, [AN_AUDIT_ENTRY]);

    expect(await service.scans(1)).toEqual(['decided']);
    await editKey(gate.store, service.keyId, { name: 'renamed' }, AN_AUDIT_ENTRY);
    expect(await service.scans(2)).toEqual(['decided', 'limited']);
  });
});

describe.each(ENGINES)('two processes on %s', (engine) => {
  test('a rate that the other one lowered holds for the next scan', async () => {
    await using gate = await TestStore.open(engine);
    const service = await serviceOn(gate);
    const other = await gate.another();
    const { id: organisation } = await gate.administration.organisations.find(undefined);

    expect(await service.scans(2)).toEqual(['decided', 'decided']);
    const limits = { ...DEFAULT_LIMITS, ratePerSecond: 0.001, burst: 1 };
    await editOrganisation(other, organisation, { limits }, [AN_AUDIT_ENTRY]);
    expect(await service.scans(3)).toEqual(['decided', 'limited', 'limited']);
  });
});
