import { execFile, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { httpsSender, networkPolicy } from '../../src/features/webhooks/network.ts';
import { selfSigned } from '../../src/serve/certificate.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { temporaryFolder } from '../check/support/files.ts';
import { TestClock } from '../support/clock.ts';
import { ENGINES } from '../support/stores.ts';
import { delivering, eventually, LEASE_MS } from './support/delivering.ts';
import { Receiver } from './support/receiver.ts';

const HOUR_MS = 60 * 60_000;
/** Longer than a test may take. */
const NEVER_MS = HOUR_MS;

test.each(ENGINES)(
  '%s: scans arrive in order, each once, signed, with ids and names alone',
  async (engine) => {
    const { test: at, receiver, start, create, scan } = await delivering(engine);
    await scan(2);
    const { webhook, secret } = await create();
    start();
    await scan(6);
    await receiver.until(8);

    const accepted = receiver.accepted(secret);

    expect(accepted.map(({ body }) => body.type)).toEqual(
      ['granted', 'granted', 'granted', 'denied', 'granted', 'granted', 'granted', 'denied'].map(
        (one) => `scan.${one}`,
      ),
    );
    const sequences = accepted.map(({ body }) => body.data.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(accepted[3]?.body.data).toEqual({
      sequence: sequences[3],
      operation: 'consume',
      direction: null,
      outcome: 'exhausted',
      ticketId: expect.stringMatching(/^tkt_/),
      usesConsumed: 1,
      event: { id: at.eventId, name: 'Pool' },
      key: { id: at.keyId, name: 'gate' },
      gate: { name: null, serial: 'GATE-1', reader: '0' },
    });
    expect(accepted[0]?.id).toBe(`msg_${webhook.id}_scan_${sequences[0]}`);
    expect(receiver.received.map(({ text }) => text).join()).not.toMatch(/Ada|Lovelace|tscn|TS1/);
  },
);

test('a receiver that fails, breaks connections and is away gets everything, in order, once it is back', async () => {
  const { receiver, webhooks, organisationId, start, create, scan, told } = await delivering();
  const { webhook, secret } = await create();
  receiver.behaviour = { status: 500 };
  start();
  await scan(5);
  const failing = async () => (await webhooks.find(organisationId, webhook.id)).progress?.failing;
  await eventually(async () => ((await failing())?.attempts ?? 0) >= 2);
  receiver.behaviour = { breaks: true };
  await eventually(async () => ((await failing())?.attempts ?? 0) >= 4);
  expect(receiver.received).toEqual([]);
  receiver.behaviour = {};
  await receiver.until(6);
  const sequences = receiver.accepted(secret).map(({ body }) => body.data.sequence);
  expect(sequences).toHaveLength(6);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  await eventually(async () => (await failing()) === null);
  expect(told.map((one) => one.split(' {')[0])).toEqual([
    'a webhook cannot be delivered; it is tried again',
    'a webhook is delivered again',
  ]);
  expect(told.join()).not.toContain('t0p');
  const { progress } = await webhooks.find(organisationId, webhook.id);
  const [first, ...rest] = [...(progress?.deliveries ?? [])].reverse();
  expect(first).toMatchObject({ attempt: 1, status: 500, error: 'HTTP 500' });
  expect(rest.filter(({ status }) => status === null).length).toBeGreaterThan(0);
});

test('an answer that does not come in time is a failure', async () => {
  const receiver = await Receiver.start();
  receiver.behaviour = { waitMs: NEVER_MS };
  const network = receiver.network(100);
  const request = { url: receiver.url, headers: {}, body: '{}' };
  const sent = await network.send(request, new AbortController().signal);
  expect(sent.status).toBeNull();
  expect(sent.error).toContain('gives no answer in time');
});

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';
const again = (socket: Socket, text: string) => {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(timer));
};
/** What a receiver does once it has the request; without TLS, once it has the connection. */
const ODD_RECEIVERS: readonly [string, (socket: Socket) => void, tls?: boolean][] = [
  ['closes without an answer', (socket) => socket.end()],
  ['resets the connection', (socket) => socket.destroy()],
  ['sends half a head', (socket) => socket.write('HTTP/1.1 200 OK\r\nX: ')],
  ['sends half a head and closes', (socket) => socket.end('HTTP/1.1 200 OK\r\nX: ')],
  ['sends 103 without end', (socket) => again(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ['sends a head without end', (socket) => again(socket, 'X')],
  ['does nothing', () => undefined],
  ['is silent in the handshake', () => undefined, false],
  ['closes in the handshake', (socket) => socket.end(), false],
];

/** Receivers that answer with and without the header that changes the protocol, by which Node tells them apart. */
const SWITCHING_RECEIVERS: readonly [string, (socket: Socket) => void][] = [
  ['answers 101', (socket) => socket.write(SWITCHING)],
  ['answers 101 and closes', (socket) => socket.end(SWITCHING)],
  [
    'answers 101 without Upgrade',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  ],
];

test.each(SWITCHING_RECEIVERS)('a receiver that %s is told as that', async (_name, act) => {
  expect(await sentTo(act, true)).toMatchObject({
    error: expect.stringMatching(/^HTTP 101$|another protocol \(status 101\)/),
  });
});

test.each(ODD_RECEIVERS)(
  'a receiver that %s is a failure, within the limit',
  async (_name, act, tls = true) => {
    const answer = await sentTo(act, tls);
    expect(answer).toMatchObject({ status: null, error: expect.stringMatching(/\w/) });
  },
);

/** What became of a message to such a receiver. */
async function sentTo(act: (socket: Socket) => void, tls: boolean): Promise<unknown> {
  const names = { needed: [['localhost'], ['127.0.0.1']], findMore: async () => [] };
  const { cert, key } = await selfSigned(names, undefined);
  const begin = (socket: Socket) => {
    sockets.push(socket.on('error', () => undefined));
    if (tls) socket.once('data', () => act(socket));
    else act(socket);
  };
  const sockets: Socket[] = [];
  const server = tls ? createTlsServer({ cert, key }, begin) : createServer(begin);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const network = httpsSender(
    networkPolicy((address) => address === '127.0.0.1'),
    cert,
    400,
  );
  onTestFinished(() => network.close());
  return await network.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
}

const CAN_HIDE_NAMES = spawnSync('unshare', ['--mount', 'true']).status === 0;

test.runIf(CAN_HIDE_NAMES)(
  'a name server that says nothing is a failure, within the limit',
  async () => {
    const silent = createSocket('udp4').on('message', () => undefined);
    silent.bind(53, '127.0.0.99');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const file = join(temporaryFolder(), 'resolv.conf');
    writeFileSync(file, 'nameserver 127.0.0.99\noptions timeout:30 attempts:1\n');
    const script = `
    const { writeSync } = await import('node:fs');
    const { httpsSender } = await import('${resolve('src/features/webhooks/network.ts')}');
    const { send } = httpsSender(undefined, undefined, 300);
    const signal = new AbortController().signal;
    const sent = await send({ url: 'https://silent.example/', headers: {}, body: '' }, signal);
    writeSync(1, JSON.stringify({ sent, waitsFor: process.getActiveResourcesInfo() }));
    // Any other end waits for the name server too.
    process.kill(process.pid, 'SIGKILL');`;
    const bind = `mount --bind ${file} /etc/resolv.conf && exec "$0" "$@"`;
    const program = [process.execPath, '--input-type=module', '--eval', script];
    const command = ['--mount', 'sh', '-c', bind, ...program];
    const { stdout, stderr } = await promisify(execFile)('unshare', command).catch((end) => end);
    expect(JSON.parse(stdout), stderr).toEqual({
      sent: expect.objectContaining({
        status: null,
        error: expect.stringContaining('gives no answer in time'),
      }),
      waitsFor: expect.arrayContaining(['GetAddrInfoReqWrap']),
    });
  },
);

test.each(['the receiver', 'the store'])('closing does not wait for ever for %s', async (what) => {
  const never = new Promise<never>(() => undefined);
  const { test: at, start, create, scan } = await delivering();
  await create();
  await scan(1);
  let asked = 0;
  const ask = () => {
    asked += 1;
    return never;
  };
  const store = what === 'the store' ? { ...at.store, list: ask } : at.store;
  const deliverer = start(store as typeof at.store, { send: ask, timing: { closeMs: 100 } });
  await eventually(() => asked > 0);
  await deliverer.close();
});

test('redirects are not followed', async () => {
  const [receiver, other] = [await Receiver.start(), await Receiver.start()];
  receiver.behaviour = { status: 307, headers: { location: other.url } };
  const sent = await receiver
    .network()
    .send({ url: receiver.url, headers: {}, body: '{}' }, new AbortController().signal);
  expect(sent).toMatchObject({ status: 307, error: expect.stringContaining('not followed') });
  expect(other.received).toEqual([]);
});

test('after 72 hours of failures it is switched off, which shows; enabled again it continues where it stopped', async () => {
  const clock = new TestClock();
  const { receiver, webhooks, organisationId, start, create, scan, told } = await delivering(
    'memory',
    clock,
  );
  const { webhook } = await create();
  receiver.behaviour = { status: 503 };
  start();
  await scan(2);
  const progress = async () => (await webhooks.find(organisationId, webhook.id)).progress;
  const attempts = async () => (await progress())?.failing?.attempts ?? 0;
  await eventually(async () => (await attempts()) === 1);
  clock.advance(71 * HOUR_MS);
  await eventually(async () => (await attempts()) === 2);
  expect((await progress())?.switchedOff).toBeNull();
  clock.advance(HOUR_MS);
  await eventually(async () => (await progress())?.switchedOff !== null);
  expect((await progress())?.switchedOff?.reason).toBe('failed_too_long');
  expect(told.join()).toContain('a webhook was switched off');
  receiver.behaviour = {};
  clock.advance(HOUR_MS);
  await scan(1);
  await wait(100);
  expect(receiver.received).toEqual([]);
  await webhooks.edit(organisationId, webhook.id, { active: true });
  await receiver.until(3);
  const sequences = receiver.received.map(({ body }) => body.data.sequence);
  expect(sequences).toEqual([1, 2, 3]);
});

test('a clock that is set back by a day does not put the next attempt off by a day', async () => {
  const clock = new TestClock();
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering(
    'memory',
    clock,
  );
  const { webhook } = await create();
  receiver.behaviour = { status: 503 };
  start();
  await scan(1);
  const progress = async () => (await webhooks.find(organisationId, webhook.id)).progress;
  await eventually(async () => (await progress())?.failing?.attempts === 1);
  receiver.behaviour = {};
  clock.nowMs -= 24 * HOUR_MS;
  await receiver.until(1);
  await eventually(async () => (await progress())?.failing === null);
});

test('what was switched off while the clock was ahead can be enabled when it is right again', async () => {
  const clock = new TestClock();
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering(
    'memory',
    clock,
  );
  const { webhook } = await create();
  receiver.behaviour = { status: 410 };
  start();
  const switchedOff = async () =>
    (await webhooks.find(organisationId, webhook.id)).progress?.switchedOff;
  clock.nowMs += 100 * HOUR_MS;
  await scan(1);
  await eventually(async () => (await switchedOff())?.reason === 'gone');
  clock.nowMs -= 100 * HOUR_MS;
  receiver.behaviour = {};

  await webhooks.edit(organisationId, webhook.id, { active: true });

  await receiver.until(1);
  await eventually(async () => (await switchedOff()) === null);
});

test('an endpoint that answers 410 is switched off at once', async () => {
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering();
  const { webhook } = await create();
  receiver.behaviour = { status: 410 };
  start();
  await scan(1);
  const switchedOff = async () =>
    (await webhooks.find(organisationId, webhook.id)).progress?.switchedOff;
  await eventually(async () => (await switchedOff())?.reason === 'gone');
});

test('paused, it gets later what happens meanwhile; with fewer events only those', async () => {
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering();
  const { webhook } = await create();
  start();
  await scan(1);
  await receiver.until(1);
  await webhooks.edit(organisationId, webhook.id, { active: false });
  await wait(50);
  await scan(3);
  await wait(100);
  expect(receiver.received).toHaveLength(1);
  await webhooks.edit(organisationId, webhook.id, { active: true, events: ['scan.denied'] });
  await receiver.until(2);
  await wait(50);
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['scan.granted', 'scan.denied']);
});

test('pruning does not wait: the gap is told, and what is left is delivered', async () => {
  const clock = new TestClock();
  const { test: at, receiver, start, create, scan } = await delivering('sqlite', clock);
  await create();
  await scan(3, clock.now());
  await scan(2, clock.now() + HOUR_MS);
  expect(await at.store.pruneLog(clock.now() + HOUR_MS, 100)).toBe(4);
  start();
  await receiver.until(3);
  expect(receiver.received.map(({ body }) => [body.type, body.data.sequence])).toEqual([
    ['webhook.gap', undefined],
    ['scan.granted', 5],
    ['scan.granted', 6],
  ]);
  expect(receiver.received[0]?.body.data).toEqual({
    fromSequence: 1,
    toSequence: 4,
    notices: 0,
    reason: 'pruned',
  });
});

test('a new secret signs beside the earlier one, so that a receiver can change over', async () => {
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering();
  const { webhook, secret: earlier } = await create();
  const change = () => webhooks.edit(organisationId, webhook.id, { newSecret: true });
  // The answer with the first one is lost, so that somebody makes another.
  const lost = (await change()).secret;
  const { secret } = await change();
  start();
  await scan(1);
  await receiver.until(1);
  expect(secret).toMatch(/^whsec_/);
  expect(new Set([earlier, lost, secret]).size).toBe(3);
  for (const one of [earlier, lost, secret]) expect(receiver.accepted(one ?? '')).toHaveLength(1);
  await change();
  await change();
  await expect(change()).rejects.toMatchObject({ reason: 'webhook_secrets' });
});

test.each(ENGINES)(
  '%s: one of two processes delivers; the other goes on when it is gone',
  async (engine) => {
    const clock = new TestClock(Date.now());
    const { test: at, receiver, start, create, scan } = await delivering(engine, clock);
    const { secret } = await create();
    const gone = await openStore(at.url);
    const first = start(gone);
    await scan(3);
    await receiver.until(4);
    start(await at.another());
    await scan(3);
    await receiver.until(8);
    expect(receiver.received).toHaveLength(8);
    // As a kill does: nothing is given back, and the store answers it no more.
    await gone.close();
    await scan(3);
    clock.advance(LEASE_MS);
    await receiver.until(12);
    await first.close();
    const sequences = receiver.accepted(secret).map(({ body }) => body.data.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  },
);

test('what is scanned while messages are delivered follows at once, without another look', async () => {
  const { receiver, start, create, scan } = await delivering();
  await create();
  receiver.behaviour = { waitMs: 200 };
  await scan(3);
  start(undefined, { timing: { pollMs: 60_000, leaseMs: 600_000 } });
  await receiver.until(1);
  await scan(2);
  await receiver.until(6);
});
