import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { protocolOf } from '../../src/kit/foreign-protocols.ts';
import { CONNECTION_REFUSALS, type ConnectionRefusal } from '../../src/kit/refused-connections.ts';
import { RecordingProxy } from '../../src/record/proxy/proxy.ts';
import { Upstream } from '../../src/record/proxy/upstream.ts';
import { makeSelfSigned } from '../../src/serve/certificate.ts';
import { startJudge } from '../check/support/judge.ts';
import { PATIENTLY } from '../support/patience.ts';
import { OPENINGS, reasonOf } from './support/protocols.ts';
import { open, serve } from './support/served.ts';

type Port = 'plain' | 'tls';

/** What each opening is to be called on a port, by its name. */
const wanted = (port: Port) =>
  Object.fromEntries(
    Object.entries(OPENINGS).map(([name, opening]) => [name, reasonOf(opening, port)]),
  );

/** Sends each opening, and waits for what is told of it. @param told the reasons so far, one for each refusal */
async function tell(port: number, told: () => Promise<readonly string[]>) {
  const reasons: Record<string, string | undefined> = {};
  for (const [name, { bytes }] of Object.entries(OPENINGS)) {
    const before = await told();
    open(port).write(bytes, 'latin1');
    await expect.poll(async () => (await told()).length, PATIENTLY).toBe(before.length + 1);
    const after = [...(await told())];
    for (const one of before) after.splice(after.indexOf(one), 1);
    reasons[name] = after[0];
  }
  return reasons;
}

const COUNT = /^ticketscan_refused_requests_total\{reason="(\w+)"\} (\d+)$/gm;

describe.each<[Port, Record<string, string | boolean>]>([
  ['plain', {}],
  ['tls', { tlsSelfSigned: true }],
])('on a port that is %s', (port, flags) => {
  test('the service tells the protocols that are not for it', async () => {
    const { port: number, metrics } = await serve(flags);
    for (const { bytes } of Object.values(OPENINGS)) open(number).write(bytes, 'latin1');
    const times: Record<string, number> = {};
    for (const reason of Object.values(wanted(port))) times[reason] = (times[reason] ?? 0) + 1;
    const told = async () =>
      Object.fromEntries(
        [...(await metrics()).matchAll(COUNT)].flatMap(([, reason, count]) =>
          count === '0' ? [] : [[reason, Number(count)]],
        ),
      );
    await expect.poll(told, PATIENTLY).toEqual(times);
  });

  test('the judge of devices tells the same', async () => {
    const judge = await startJudge(port === 'tls');
    expect(await tell(judge.port, async () => [...judge.refused])).toEqual(wanted(port));
  });
});

/** A recording that serves TLS, and what it warned of. Nothing gets as far as its server. */
async function startRecording() {
  const warnings: string[] = [];
  const proxy = await RecordingProxy.listen({
    host: '127.0.0.1',
    port: 0,
    tls: await makeSelfSigned(['127.0.0.1']),
    upstream: new Upstream('http://127.0.0.1:9'),
    finished: () => undefined,
    warn: (text) => void warnings.push(text),
  });
  onTestFinished(() => proxy.close());
  return { proxy, warnings };
}

test('a recording tells what came instead of TLS, in the same words', async () => {
  const { proxy, warnings } = await startRecording();
  const whats = Object.entries(CONNECTION_REFUSALS);
  const told = async () =>
    warnings.map((text) => whats.find(([, { what }]) => text.includes(`${what}. `))?.[0] ?? text);
  expect(await tell(proxy.port, told)).toEqual(wanted('tls'));
});

const OFFERS: readonly (readonly [string[], ConnectionRefusal | undefined])[] = [
  [['h2'], 'http2'],
  [['h2-16', 'h2'], 'http2'],
  [['acme-tls/1'], 'tls_protocol'],
  [['spdy/3.1', 'spdy/3'], 'tls_protocol'],
  [['h2', 'http/1.1'], undefined],
  [['http/1.0'], undefined],
];

/** Offers protocols by ALPN. @returns whether the server took one */
async function offer(port: number, protocols: string[]): Promise<boolean> {
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
  const client = connectTls({ ...options, ALPNProtocols: protocols });
  onTestFinished(() => void client.destroy());
  const ended = new Promise<false>((resolve) => client.on('error', () => resolve(false)));
  return Promise.race([ended, once(client, 'secureConnect').then(() => true)]);
}

test('the judge of devices and a recording tell a client that offers no HTTP/1.1 in TLS', async () => {
  const judge = await startJudge(true);
  const { proxy, warnings } = await startRecording();
  for (const [protocols, reason] of OFFERS) {
    const before = [judge.refused.length, warnings.length] as const;
    expect(await offer(judge.port, protocols), protocols.join()).toBe(reason === undefined);
    expect(await offer(proxy.port, protocols), protocols.join()).toBe(reason === undefined);
    if (reason === undefined) continue;
    await expect.poll(() => judge.refused.slice(before[0]), PATIENTLY).toEqual([reason]);
    const { what, advice } = CONNECTION_REFUSALS[reason];
    const told = () => warnings.slice(before[1]).join();
    await expect.poll(told, PATIENTLY).toContain(`${what}. ${advice}`);
  }
});

/** A connection on which the first byte of whatever is written goes alone. */
function inPieces(socket: Socket): Duplex {
  socket.setNoDelay(true);
  const pieces = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      socket.write(bytes.subarray(0, 1), () =>
        setImmediate(() => socket.write(bytes.subarray(1), done)),
      );
    },
  });
  socket.on('data', (bytes) => void pieces.push(bytes));
  return pieces;
}

/** Sends an opening byte by byte; the other side reads each before the next is sent. */
async function sendBytes(port: number, text: string): Promise<void> {
  const socket = open(port).setNoDelay(true);
  for (const byte of text) {
    socket.write(byte, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const timesOf = (reasons: readonly string[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(reasons, (one) => one)).map(([one, all = []]) => [
      one,
      all.length,
    ]),
  );

describe.each<[string, Port, Record<string, string | boolean>]>([
  ['the service over HTTP', 'plain', {}],
  ['the service over HTTPS', 'tls', { tlsSelfSigned: true }],
  ['the listener of the metrics', 'plain', {}],
])('%s', (place, port, flags) => {
  test('tells an opening that comes byte by byte as one that comes whole', async () => {
    const served = await serve(flags);
    const number = place.includes('metrics') ? served.metricsPort : served.port;
    // The metrics take 16 connections at a time, and a test reads them over one.
    for (const { bytes } of Object.values(OPENINGS)) await sendBytes(number, bytes);
    const told = async () => {
      const counts = [...(await served.metrics()).matchAll(COUNT)];
      return Object.fromEntries(
        counts.flatMap(([, reason, count]) => (count === '0' ? [] : [[reason, Number(count)]])),
      );
    };
    await expect.poll(told, PATIENTLY).toEqual(timesOf(Object.values(wanted(port))));
  });
});

test.each<[Port]>([['plain'], ['tls']])(
  'the judge of devices tells an opening that comes byte by byte as one that comes whole, on a port that is %s',
  async (port) => {
    const judge = await startJudge(port === 'tls');
    for (const [name, opening] of Object.entries(OPENINGS)) {
      const before = judge.refused.length;
      await sendBytes(judge.port, opening.bytes);
      await expect.poll(() => judge.refused.length, PATIENTLY).toBe(before + 1);
      expect([name, judge.refused.at(-1)]).toEqual([name, reasonOf(opening, port)]);
    }
  },
);

test('a client of TLS whose first message comes in pieces is served, and one that sends a single byte is ended', async () => {
  const { port, metrics } = await serve({ tlsSelfSigned: true });
  const client = connectTls({ socket: inPieces(open(port)), rejectUnauthorized: false });
  onTestFinished(() => void client.destroy());
  await once(client, 'secureConnect');
  client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(client, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);

  open(port).write('P');
  await expect.poll(metrics, PATIENTLY).toMatch(/reason="other_protocol"\} 1\n/);
});

/** A TLS server says no more than OpenSSL does of what is not TLS, unless it keeps the first bytes. */
const TLS_SERVERS = /create(?:Secure|Tls)Server\(|https\.createServer\(/g;

test('every server of TLS keeps the first bytes of its clients', () => {
  const servers = globSync('src/**/*.ts').flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const made = text.match(TLS_SERVERS)?.length ?? 0;
    return made === 0 ? [] : [[file, made, text.match(/keepFirstBytes\(/g)?.length ?? 0] as const];
  });
  expect(servers.length).toBeGreaterThan(2);
  for (const [file, made, kept] of servers) expect([file, kept]).toEqual([file, made]);
});

test('the beginning of a protocol is not taken for another that begins alike', () => {
  expect(protocolOf('')).toBe('http');
  expect(protocolOf('GET / HTTP/1.1\r\n')).toBe('http');
  expect(protocolOf('PROXYLIKE /scan HTTP/1.1\r\n')).toBe('http');
  expect(protocolOf('PRI / HTTP/1.1\r\n')).toBe('http');
  expect(protocolOf('SSH /scan HTTP/1.1\r\n')).toBe('http');
});
