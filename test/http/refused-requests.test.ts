import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeApiKey } from '../../src/core/api-key.ts';
import { allRefusals, refusalsOf } from '../../src/features/log/operations.ts';
import { TestService } from '../support/service.ts';

const CARD = JSON.stringify({ Card: 'eA==', Serial: 'TOR1', Reader: 0 });

test.each([false, true])(
  'each refusal for a key or a limit is counted with device, address and endpoint, always 200: %s',
  async (hardwareAlways200) => {
    await using service = await TestService.start({
      store: 'memory',
      hardwareAlways200,
      trustedProxy: '127.0.0.1',
      limits: { burst: 2, ratePerSecond: 0.001 },
    });
    const code = await service.mint();
    const unknown = makeApiKey('hardware', randomBytes);
    const from = { 'x-forwarded-for': '203.0.113.9' };

    await service.post(`/scan/hw/consume?key=${unknown}`, CARD, from);
    await service.post(`/scan/hw/heartbeat?key=${unknown}`, '{"Serial":"TOR2"}');
    await service.post(`/scan/hw/validate?key=${service.key('hardwareDisabled')}`, CARD);
    await service.post(`/scan/hw/consume?key=${service.key('rest')}`, CARD);
    await service.rest('consume', code, { 'x-api-key': service.key('deleted') });
    for (let scan = 0; scan < 4; scan += 1) await service.rest('validate', code);
    const [organisation] = await service.store.list('organisation');
    await service.administration.organisations.edit(organisation?.id, {
      limits: { quotaPerMonth: 1 },
    });
    const scoped = { 'x-api-key': service.key('restScoped') };
    for (let scan = 0; scan < 2; scan += 1) await service.rest('consume', code, scoped);
    await service.writeRefusals();

    const now = service.clock.now();
    const { rows, others } = await allRefusals(service.store, now);
    const facts = rows.map(({ reason, serial, address, endpoint, times }) => {
      return `${reason} ${serial} ${address} ${endpoint} ${times}`;
    });
    expect(facts.sort()).toEqual([
      'deleted_key null 127.0.0.1 /scan/consume 1',
      'disabled_key TOR1 127.0.0.1 /scan/hw/validate 1',
      'monthly_quota null 127.0.0.1 /scan/consume 1',
      'rate_limit null 127.0.0.1 /scan/validate 2',
      'unknown_key TOR1 203.0.113.9 /scan/hw/consume 1',
      'unknown_key TOR2 127.0.0.1 /scan/hw/heartbeat 1',
      'wrong_key_type TOR1 127.0.0.1 /scan/hw/consume 1',
    ]);
    expect(others).toBeNull();
    const own = await refusalsOf(service.store, organisation?.id ?? '', false, now);
    expect(own.rows.map(({ reason }) => reason)).not.toContain('unknown_key');
    expect(own.rows).toHaveLength(5);
    for (const secret of [unknown, code, service.key('rest'), service.key('deleted')]) {
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
  },
);
