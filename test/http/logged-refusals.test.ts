import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeApiKey } from '../../src/core/api-key.ts';
import { TestService } from '../support/service.ts';

function refusalsOf(service: TestService): Record<string, unknown>[] {
  return service.logs
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 40);
}

test.each([false, true])(
  'refused scans are told, always 200 for devices: %s',
  async (hardwareAlways200) => {
    await using service = await TestService.start({
      store: 'memory',
      hardwareAlways200,
      trustedProxy: '127.0.0.1',
      limits: { burst: 3, ratePerSecond: 0.001 },
    });
    const code = await service.mint();
    const unknown = makeApiKey('api', randomBytes);
    const device = makeApiKey('hardware', randomBytes);
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const elsewhere = await service.mint({}, service.seeded.events.other);

    await service.rest('consume', code, { 'x-api-key': unknown, ...headers });
    await service.rest('consume', code, { 'x-api-key': 'my password' });
    await service.post(`/scan/hw/consume?key=${device}`, '{}', headers);
    await service.post('/scan/hw/heartbeat', '{}');
    for (let scan = 0; scan < 5; scan += 1) await service.rest('validate', code);
    await service.rest('validate', elsewhere, { 'x-api-key': service.key('restScoped') });

    const limited = expect.stringMatching(/^key_/);
    const from = { address: '203.0.113.9' };
    expect(refusalsOf(service)).toMatchObject([
      { status: 401, path: '/scan/consume', key: `${unknown.slice(0, 13)}…`, ...from },
      { status: 401, path: '/scan/consume', key: '11 characters', address: '127.0.0.1' },
      { status: 401, path: '/scan/hw/consume', key: `${device.slice(0, 12)}…`, ...from },
      { status: 401, path: '/scan/hw/heartbeat', key: null },
      { status: 429, path: '/scan/validate', keyId: limited },
      { status: 403, path: '/scan/validate', keyId: expect.stringMatching(/^key_/) },
    ]);
    for (const secret of [unknown, device, service.key('rest'), service.key('restScoped'), code]) {
      expect(service.logs).not.toContain(secret);
    }
  },
);

test('a device is known by its own address behind a trusted proxy', async () => {
  await using service = await TestService.start({ store: 'memory', trustedProxy: '127.0.0.1' });
  const path = `/scan/hw/heartbeat?key=${service.key('hardware')}`;

  await service.post(path, JSON.stringify({ Key: 'x', Serial: 'S-9' }), {
    'x-forwarded-for': '10.9.9.9, 192.0.2.44',
  });

  const keys = await service.store.list('key');
  const organisationId = keys[0]!.organisationId;
  expect(await service.store.listDevices(organisationId)).toMatchObject([
    { serial: 'S-9', address: '192.0.2.44' },
  ]);
});
