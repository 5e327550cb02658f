import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.ts';
import { SERVER_SETTINGS } from '../../src/config/settings.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import { NO_DEVICE_NAMES } from '../../src/core/gate-name.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { LogEntry } from '../../src/core/records.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { Administration } from '../../src/features/administration.ts';
import { seed } from '../../src/features/seed/rules.ts';
import { openKeyring } from '../../src/features/store/opening.ts';
import { TicketAdministration } from '../../src/features/tickets/rules.ts';
import { scanMessage } from '../../src/features/webhooks/message.ts';
import { runServer } from '../../src/serve/run-server.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { temporaryFolder } from '../check/support/files.ts';

async function serve(flags: Record<string, string> = { metrics: '127.0.0.1:0' }) {
  const store = await openStore('memory:');
  const keyringFile = join(temporaryFolder(), 'keyring.json');
  const keyring = await openKeyring(store, keyringFile);
  const administration = new Administration(store, systemClock, randomBytes);
  const deps = { store, administration, keyring, clock: systemClock, random: randomBytes };
  const seeded = await seed(deps, { ticketsPerState: 3, limits: DEFAULT_LIMITS });
  const sources = {
    flags: { port: '0', logLevel: 'silent', ...flags },
    environment: {},
    configFile: undefined,
  };
  const settings = { ...loadSettings(SERVER_SETTINGS, sources), store: 'memory:' };
  const server = await runServer(store, keyringFile, settings, new PassThrough());
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), headers });
  const read = async (headers?: Record<string, string>) => {
    const response = await fetch(server.metricsUrl ?? '', headers && { headers });
    return { status: response.status, text: await response.text() };
  };
  return { server, seeded, store, post, read };
}

/** The sum of the samples that begin with `name`. */
function sumOf(text: string, name: string): number {
  const samples = text.split('\n').filter((line) => line.startsWith(name));
  if (samples.length === 0) throw new Error(`no sample ${name}`);
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

test('the page on metrics names every one that is served, and no other', async () => {
  const { read } = await serve();
  const { text } = await read();
  const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  const page = readFileSync('docs/gate/metrics.md', 'utf8');
  const named = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, name = '']) => name);
  const [families, single] = [true, false].map((isFamily) =>
    named.filter((name) => name.endsWith('*') === isFamily),
  );
  const isNamed = (name: string) =>
    single?.includes(name) || families?.some((family) => name.startsWith(family.slice(0, -1)));
  expect(served.filter((name) => !isNamed(name))).toEqual([]);
  expect(single?.filter((name) => !served.includes(name))).toEqual([]);
});

function tokenFile(text: string): string {
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, `${text}\n`);
  return file;
}

test('scans, refusals, commits and requests are counted by what came out of them', async () => {
  const { seeded, post, read } = await serve();
  const json = { 'content-type': 'application/json' };
  const rest = { ...json, 'x-api-key': seeded.keys['rest'] ?? '' };
  const ticketCode = seeded.tickets['single']?.[0];
  await post('/scan/consume', { ticketCode }, rest);
  await post('/scan/consume', { ticketCode }, rest);
  await post('/scan/validate', { ticketCode: 'TS1.tkt_none.forged' }, rest);
  await post('/scan/validate', { ticketCode }, { ...json, 'x-api-key': 'tscn_unknown' });
  await post(`/scan/hw/heartbeat?key=${seeded.keys['hardware']}`, { Serial: 'GATE-7', Key: '1' });

  const { text } = await read();

  const scans = (operation: string, outcome: string) =>
    sumOf(text, `ticketscan_scans_total{operation="${operation}",outcome="${outcome}"}`);
  expect(scans('consume', 'consumed')).toBe(1);
  expect(scans('consume', 'exhausted')).toBe(1);
  expect(scans('validate', 'invalid_ticket')).toBe(1);
  expect(sumOf(text, 'ticketscan_scans_total')).toBe(3);
  expect(sumOf(text, 'ticketscan_heartbeats_total')).toBe(1);
  expect(sumOf(text, 'ticketscan_commit_batch_size_sum')).toBe(4);
  expect(sumOf(text, 'ticketscan_commit_duration_seconds_count')).toBeGreaterThan(0);
  const refused = 'http_route="/scan/validate",http_response_status_code="401"';
  expect(
    sumOf(
      text,
      `http_server_request_duration_seconds_count{http_request_method="POST",${refused}}`,
    ),
  ).toBe(1);
  expect(sumOf(text, 'ticketscan_build_info{')).toBe(1);
});

const PACKETS = 'fixtures/devices';
interface CardPacket {
  readonly file: string;
  readonly operation: string;
  readonly code?: string;
  readonly deviceFile?: string;
}

/** What the devices of each model send about a ticket, with their content type. */
function cardsWith(ticketCode: string) {
  const { packets } = JSON.parse(readFileSync(join(PACKETS, 'packets.json'), 'utf8'));
  return (packets as CardPacket[]).flatMap(({ file, operation, code, deviceFile }) => {
    if (code === undefined || deviceFile !== undefined) return [];
    const [head = '', body = ''] = readFileSync(join(PACKETS, file), 'utf8').split('\r\n\r\n');
    const coded = (text: string) => Buffer.from(text).toString('base64');
    const sent = body.replaceAll(coded(code), coded(ticketCode)).replaceAll(code, ticketCode);
    const type = /^content-type: *(.*)$/imu.exec(head)?.[1]?.trim() ?? 'application/json';
    return sent === body ? [] : [{ model: file.split('/')[0] ?? '', operation, sent, type }];
  });
}

/** What staff write on a ticket, and nothing that leaves the page may say. So short that it is found in what a display cuts off, too. */
const WRITTEN = { reference: 'Xk9!', note: 'Qz7!', attention: true } as const;

test('what is written on a ticket is in no answer of the five endpoints, in no webhook and in no metric', async () => {
  const { server, seeded, store, post, read } = await serve();
  const tickets = new TicketAdministration(store, systemClock, randomBytes, COMMAND_LINE);
  const rest = { 'content-type': 'application/json', 'x-api-key': seeded.keys['rest'] ?? '' };
  const hardware = (operation: string) =>
    `${server.url}/scan/hw/${operation}?key=${seeded.keys['hardware']}`;
  const texts: string[] = [];
  const models = new Set<string>();
  const take = async (answer: Response) => {
    texts.push(await answer.text(), JSON.stringify([...answer.headers]));
  };
  const entries: LogEntry[] = [];
  const names = { events: new Map(), keys: new Map(), devices: NO_DEVICE_NAMES };
  const codes = Object.values(seeded.tickets).flatMap(([code]) => code ?? []);
  const ids = codes.map((code) => code.split('.')[1] ?? '');
  const there = new Set((await store.findTickets(ids)).map(({ id }) => id));
  for (const [index, ticketId] of ids.entries()) {
    if (!there.has(ticketId)) continue;
    const ticketCode = codes[index] ?? '';
    await tickets.edit(ticketId, WRITTEN);
    expect(await store.findTicket(ticketId)).toMatchObject(WRITTEN);
    for (const action of ['validate', 'consume', 'consume'])
      await take(await post(`/scan/${action}`, { ticketCode }, rest));
    for (const { model, operation, sent, type } of cardsWith(ticketCode)) {
      const request = { method: 'POST', body: sent, headers: { 'content-type': type } };
      await take(await fetch(hardware(operation), request));
      models.add(model);
    }
    entries.push(...(await store.readLog({ ticketId, limit: 100 })));
  }
  await take(await post(`/scan/hw/heartbeat?key=${seeded.keys['hardware']}`, { Serial: 'S-1' }));
  texts.push((await read()).text);
  for (const type of ['scan.granted', 'scan.denied'] as const)
    texts.push(...entries.map((one) => JSON.stringify(scanMessage('wh_1', type, one, names))));
  // Each kind of answer was looked at, in the format of each model.
  expect([...models].sort()).toEqual(['access-controller', 'bas-ip', 'vguang']);
  const statuses = new Set(entries.map(({ status }) => status));
  expect([...statuses].sort()).toEqual(['consumed', 'exhausted', 'rejected', 'validated']);
  const shown = texts.join('\n');
  expect(shown).toContain('"valid":true');
  const { reference, note } = WRITTEN;
  for (const text of [reference, note, 'attention', '"note"', '"reference"', 'byHand'])
    expect(shown, text).not.toContain(text);
});

test('no label names an organisation, an event, a key, a device, a ticket or a path of a client', async () => {
  const { seeded, store, post, read } = await serve();
  await post(`/scan/hw/heartbeat?key=${seeded.keys['hardware']}`, { Serial: 'GATE-7', Key: '1' });
  await post('/scan/secret-of-a-client?x=1', {});
  const { text } = await read();
  const names = [
    ...(await store.list('organisation')).flatMap(({ id, name }) => [id, name]),
    ...(await store.list('event')).flatMap(({ id, name }) => [id, name]),
    ...(await store.list('key')).flatMap(({ id }) => [id]),
    'GATE-7',
    'secret-of-a-client',
    'tkt_',
    'tscn',
  ];
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => text.includes(name))).toEqual([]);
});

test('devices and the highest share of a quota are read from the store before the first scrape', async () => {
  const { read } = await serve();
  const { text } = await read();
  expect(sumOf(text, 'ticketscan_devices{state="online"}')).toBe(0);
  // The seed has asked once to use up what a ticket may be used.
  expect(sumOf(text, 'ticketscan_quota_used_ratio_max')).toBeCloseTo(
    3 / DEFAULT_LIMITS.quotaPerMonth,
    9,
  );
  const at = sumOf(text, 'ticketscan_state_read_timestamp_seconds');
  expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(60);
});

test('metrics are off unless asked for, and never on the address of the gates', async () => {
  const off = await serve({});
  expect(off.server.metricsUrl).toBeUndefined();
  const { server } = await serve();
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  expect((await fetch(new URL('/scan/validate', server.metricsUrl))).status).toBe(404);
  await expect(serve({ port: '18080', metrics: '127.0.0.1:18080' })).rejects.toThrow(
    '--metrics must have a port of its own',
  );
});

test('with a token, only those who send it read the metrics', async () => {
  const token = randomBytes(16).toString('hex');
  const { read } = await serve({
    metrics: '0.0.0.0:0',
    metricsTokenFile: tokenFile(token),
  });
  expect((await read()).status).toBe(401);
  expect((await read({ authorization: `Bearer ${token}x` })).status).toBe(401);
  expect((await read({ authorization: `Bearer ${token}` })).status).toBe(200);
});

test.each([
  [{ metrics: '0.0.0.0:0' }, 'add --metrics-token-file FILE'],
  [{ metrics: 'gate.example.org:9464' }, 'add --metrics-token-file FILE'],
  [{ metrics: 'nowhere' }, '--metrics must be HOST:PORT'],
  [{ metrics: '127.0.0.1:70000' }, '--metrics must be HOST:PORT'],
  [{ metricsTokenFile: '/tmp/token' }, '--metrics-token-file needs --metrics'],
  [{ metrics: '127.0.0.1:0', metricsTokenFile: '/nowhere/token' }, 'cannot be read'],
])('%j is refused with what to do', async (flags, message) => {
  await expect(serve(flags as Record<string, string>)).rejects.toThrow(message);
});

test('a token that can be guessed is refused', async () => {
  const metricsTokenFile = tokenFile('short');
  await expect(serve({ metrics: '127.0.0.1:0', metricsTokenFile })).rejects.toThrow(
    'at least 16 letters',
  );
});

test('readers that leave in the middle of the metrics harm nobody', async () => {
  const { server, post, read } = await serve();
  const { port } = new URL(server.metricsUrl ?? '');
  const leave = [
    (socket: Socket) => socket.resetAndDestroy(),
    (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
    (socket: Socket) => socket.end(),
  ];
  for (let reader = 0; reader < 30; reader += 1) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    leave[reader % leave.length]?.(socket);
    await closed;
  }
  expect((await read()).status).toBe(200);
  expect((await post('/scan/validate', {})).status).toBe(401);
});
