import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { JudgeServer } from '../../src/check/device/judge-server.ts';
import { REAL_DEVICE_WORLD } from '../../src/check/device/world.ts';
import { REAL_CLOCK } from '../../src/check/time/clock.ts';
import { selfSignedPaths } from '../../src/config/addresses.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { SERVER_SETTINGS } from '../../src/config/settings.ts';
import type { TlsKeyType } from '../../src/kit/served-tls.ts';
import { makeSelfSigned, ServedCertificate, selfSigned } from '../../src/serve/certificate.ts';
import { runServer } from '../../src/serve/run-server.ts';
import { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';
import { startRecorder } from '../record/support/recorder.ts';

const host = '127.0.0.1';
const NAMES = { needed: [[host]], findMore: async () => [] };

async function served(tlsKeyType?: TlsKeyType): Promise<number> {
  const flags = { port: '0', tlsSelfSigned: true, ...(tlsKeyType && { tlsKeyType }) };
  const read = loadSettings(SERVER_SETTINGS, { flags, environment: {}, configFile: undefined });
  const settings = { ...read, store: 'memory:' };
  const server = await runServer(
    new MemoryStore(),
    undefined,
    settings,
    new PassThrough().resume(),
  );
  onTestFinished(() => server.close());
  return Number(new URL(server.url).port);
}

async function judge(): Promise<JudgeServer> {
  const handler = {
    answer: () => ({ status: 200, headers: {}, body: '{}' }),
    clock: REAL_CLOCK,
    now: () => 0,
    broken: () => undefined,
    refused: () => undefined,
  };
  const certificate = await makeSelfSigned([host]);
  const server = new JudgeServer(
    handler,
    { host, port: 0, certificate },
    'server',
    REAL_DEVICE_WORLD.network,
  );
  await server.up();
  onTestFinished(() => server.down());
  return server;
}

async function recorder(): Promise<number> {
  const upstream = createServer().listen(0, host);
  await once(upstream, 'listening');
  onTestFinished(() => void upstream.close());
  const tls = await makeSelfSigned([host]);
  const { port, close } = await startRecorder(
    `http://${host}:${(upstream.address() as AddressInfo).port}`,
    { tls },
  );
  onTestFinished(close);
  return port;
}

/** A server of Node's own whose certificate is renewed: what the renewal sets counts. */
async function renewed(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-renewed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = selfSignedPaths(folder);
  const tls = await selfSigned(NAMES, paths);
  const server = createSecureServer(tls);
  const certificate = new ServedCertificate(tls, pino({ level: 'silent' }));
  certificate.watch(server);
  const next = await makeSelfSigned([host]);
  writeFileSync(paths.cert, next.cert);
  writeFileSync(paths.key, next.key);
  certificate.reload();
  certificate.stop();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

const SERVERS: Record<string, () => Promise<number>> = {
  serve: () => served(),
  'serve, after a renewal of its certificate': renewed,
  record: recorder,
  'check device': async () => (await judge()).port,
  'check device, with another certificate': async () => {
    const server = await judge();
    server.present(await makeSelfSigned([host]), false);
    return server.port;
  },
};

/** Whether a client that knows no TLS but 1.2 may begin it anew on an open connection. */
function renegotiates(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.on('secureConnect', () => {
      socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error === null));
    });
  });
}

test.each(Object.entries(SERVERS))('a client begins TLS anew with %s in vain', async (_, start) => {
  expect(await renegotiates(await start())).toBe(false);
});

test('whatever makes a server of TLS, or gives it another certificate, says how it is served', () => {
  const places = globSync('src/**/*.ts').flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const makers = /(?:setSecureContext|createTlsServer|createSecureServer|https\.createServer)\(/g;
    return [...text.matchAll(makers)].map(({ 0: maker, index }) => ({
      place: `${file}: ${maker}`,
      isServed: text.slice(index, index + 100).includes('...SERVED_TLS'),
    }));
  });
  expect(places.length).toBeGreaterThanOrEqual(5);
  expect(places.filter(({ isServed }) => !isServed)).toEqual([]);
});

/** Devices that know RSA only: with the exchange of keys of their time, and with the one before it. */
const RSA_ONLY = ['ECDHE-RSA-AES128-GCM-SHA256', 'AES128-GCM-SHA256'];

function connects(port: number, options: ConnectionOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, rejectUnauthorized: false, ...options });
    socket.on('error', () => resolve(false));
    socket.on('secureConnect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

test.each(RSA_ONLY)(
  'a device that knows %s only connects with --tls-key-type rsa',
  async (ciphers) => {
    const options: ConnectionOptions = { maxVersion: 'TLSv1.2', ciphers };
    expect(await connects(await served('rsa'), options)).toBe(true);
    expect(await connects(await served(), options)).toBe(false);
  },
);
