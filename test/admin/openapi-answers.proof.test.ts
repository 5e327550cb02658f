import { expect, test } from 'vitest';
import { check, type TargetInput } from '../../src/check/index.ts';
import { DEVICE_MODELS } from '../../src/scan/devices/detect.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH, REST_PATHS } from '../../src/scan/http/scan-paths.ts';
import { startTicketscan } from '../../src/testing/index.ts';
import { rawExchange } from '../support/raw-http.ts';
import type { TestService } from '../support/service.ts';
import { startHeard } from './support/heard-service.ts';

/** What each device model posts for a code. */
const SCANS: Record<string, (code: string) => string> = {
  'access-controller': (code) => JSON.stringify({ Card: Buffer.from(code).toString('base64') }),
  'bas-ip': (code) => JSON.stringify({ identifier_number: code }),
  vguang: (code) => `vgdecoderesult=${code}&&devicenumber=1`,
};
const REST = (code: string) => JSON.stringify({ ticketCode: code });
const DEVICE_PATHS = Object.values({ ...HARDWARE_PATHS, heartbeat: HEARTBEAT_PATH });
const PATHS = [...Object.values(REST_PATHS), ...DEVICE_PATHS];

test('allows what the checker is answered', async () => {
  const { service, answers, problems } = await startHeard({ ticketsPerState: 40 });
  const { keys, tickets } = service.seeded;
  const target = { keys, tickets } as TargetInput;
  await check({ baseUrl: service.url, target, consume: true, maxRate: 5000 });

  expect(answers.length).toBeGreaterThan(500);
  expect(problems()).toEqual([]);
});

/** Whatever each model may send to a path: tickets in every state, refused keys, what nobody can read. */
async function askAsDevices(service: TestService, path: string): Promise<void> {
  const states = Object.values(service.seeded.tickets).flatMap((some) => some.slice(0, 1));
  const post = (body: string, key = service.key('hardware')) =>
    service.post(`${path}?key=${key}`, body);
  for (const { id } of DEVICE_MODELS) {
    const scan = SCANS[id];
    if (!scan) throw new Error(`no scan of the model ${id} here`);
    for (const code of ['forged', '', ...states]) await post(scan(code));
    for (const key of ['none', service.key('rest'), service.key('hardwareScoped')])
      await post(scan(states.at(-1) ?? ''), key);
  }
  for (const body of ['{', 'x'.repeat(20_000)]) await post(body);
}

test.each([false, true])(
  'allows what every device model is answered, with always 200: %s',
  async (hardwareAlways200) => {
    const { service, answers, problems } = await startHeard({ hardwareAlways200 });
    for (const path of DEVICE_PATHS) await askAsDevices(service, path);
    const own = '{"Key":12345678901234567890}';
    await service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}&Key=own`, own);
    await fetch(`${service.url}/scan/hw/consume`);

    const told = answers.map(({ text }) => text).join('\n');
    for (const answer of ['"AcsRes":"1"', '"granted":true', 'code=0000']) {
      expect(told).toContain(answer);
      expect(told).toContain(answer.replace('"1"', '"0"').replace('true', 'false'));
    }
    expect(told).toContain('code=0001');
    expect(problems()).toEqual([]);
  },
);

test('allows refusals for limits, slow and broken requests', async () => {
  const { service, problems, kinds } = await startHeard({
    limits: { ratePerSecond: 1, burst: 1 },
    requestTimeoutMs: 300,
    headersTimeoutMs: 300,
  });
  const { url } = service;
  const headers = { 'content-type': 'application/json', 'x-api-key': service.key('rest') };
  await Promise.all(
    PATHS.map(async (path) => {
      for (const scan of [...Object.values(SCANS), REST])
        for (let count = 0; count < 3; count += 1)
          await service.post(`${path}?key=${service.key('hardware')}`, scan('forged'), headers);
      const post = `POST ${path} HTTP/1.1\r\n`;
      await rawExchange(url, `${post}host: x\r\ncontent-length: 9\r\n\r\n{`);
      await rawExchange(url, `${post}connection: close\r\ncontent-length: 0\r\n\r\n`);
      await fetch(`${url}${path}`);
    }),
  );
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
