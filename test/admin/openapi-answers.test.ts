import { expect, test } from 'vitest';
import { check, type TargetInput } from '../../src/check/index.ts';
import { DEVICE_MODELS } from '../../src/scan/devices/detect.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH, REST_PATHS } from '../../src/scan/http/scan-paths.ts';
import { startTicketscan } from '../../src/testing/index.ts';
import { rawExchange } from '../support/raw-http.ts';
import type { TestServiceOptions } from '../support/service.ts';
import { startHeard } from './support/heard-service.ts';

/** What each device model posts for a code. */
const SCANS: Record<string, (code: string) => string> = {
  'access-controller': (code) => JSON.stringify({ Card: Buffer.from(code).toString('base64') }),
  'bas-ip': (code) => JSON.stringify({ identifier_number: code }),
  vguang: (code) => `vgdecoderesult=${code}&&devicenumber=1`,
};

const DEVICE_PATHS = Object.values({ ...HARDWARE_PATHS, heartbeat: HEARTBEAT_PATH });
const PATHS = [...Object.values(REST_PATHS), ...DEVICE_PATHS];

const SETTINGS: [string, TestServiceOptions][] = [
  ['as they are', {}],
  ['always 200', { hardwareAlways200: true }],
];

test.each(SETTINGS)('allows what the checker is answered, with statuses %s', async (_, options) => {
  const { service, answers, problems } = await startHeard({ ticketsPerState: 40, ...options });
  const { keys, tickets } = service.seeded;
  const target = { keys, tickets } as TargetInput;
  await check({ baseUrl: service.url, target, consume: true, maxRate: 5000 });

  expect(answers.length).toBeGreaterThan(500);
  expect(problems()).toEqual([]);
});

test.each(SETTINGS)(
  'allows what every device model is answered, with statuses %s',
  async (_, options) => {
    const { service, answers, problems } = await startHeard(options);
    const { seeded } = service;
    const hardware = service.key('hardware');
    const codes = ['forged', ...Object.values(seeded.tickets).flatMap((some) => some.slice(0, 1))];
    for (const { id } of DEVICE_MODELS) {
      const scan = SCANS[id];
      if (!scan) throw new Error(`no scan of the model ${id} here`);
      for (const path of DEVICE_PATHS) {
        for (const code of codes) await service.post(`${path}?key=${hardware}`, scan(code));
        await service.post(`${path}?key=none`, scan('forged'));
        await service.post(`${path}?key=${hardware}`, scan(''));
        await service.post(`${path}?key=${hardware}`, 'x'.repeat(20_000));
      }
    }
    await service.post(
      `/scan/hw/heartbeat?key=${hardware}&Key=own`,
      '{"Key":12345678901234567890}',
    );

    const told = answers.map(({ text }) => text).join('\n');
    for (const part of [
      '"AcsRes":"1"',
      '"AcsRes":"0"',
      '"granted":true',
      '"granted":false',
      'code=0000',
      'code=0001',
    ])
      expect(told).toContain(part);
    expect(problems()).toEqual([]);
  },
);

test('allows refusals for limits, slow and broken requests', async () => {
  const limits = { ratePerSecond: 1, burst: 1 };
  const { service, problems, kinds } = await startHeard({
    limits,
    requestTimeoutMs: 300,
    headersTimeoutMs: 300,
  });
  const { url } = service;
  for (const path of PATHS) {
    for (const scan of [
      ...Object.values(SCANS),
      (code: string) => JSON.stringify({ ticketCode: code }),
    ]) {
      const headers = { 'content-type': 'application/json', 'x-api-key': service.key('rest') };
      for (let i = 0; i < 3; i += 1)
        await service.post(`${path}?key=${service.key('hardware')}`, scan('forged'), headers);
    }
    await rawExchange(url, `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{`);
    await rawExchange(
      url,
      `POST ${path} HTTP/1.1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
    await fetch(`${url}${path}`);
  }
  for (const path of PATHS) {
    for (const status of [405, 408, 429]) expect([...kinds()]).toContain(`${path} ${status}`);
  }
  expect(problems()).toEqual([]);
});

test('allows answers of a service that fails', async () => {
  const { problems, kinds } = await startHeard({});
  await using service = await startTicketscan();
  await service.fail({ effect: 'server-error' });
  for (const path of PATHS) {
    for (const scan of Object.values(SCANS)) {
      const headers = { 'content-type': 'application/json', 'x-api-key': service.keys.rest };
      const url = `${service.url}${path}?key=${service.keys.hardware}`;
      await (await fetch(url, { method: 'POST', headers, body: scan('forged') })).text();
    }
    expect([...kinds()]).toContain(`${path} 500`);
  }
  expect(problems()).toEqual([]);
});
