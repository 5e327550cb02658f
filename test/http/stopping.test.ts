import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { describe, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.ts';
import { SERVER_SETTINGS } from '../../src/config/settings.ts';
import { runServer } from '../../src/serve/run-server.ts';
import { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';

const STOP_TIMEOUT_MS = 300;
/** Longer than a test may take: only the stop timeout ends a connection. */
const NEVER_MS = 600_000;
const HEAD = 'POST /scan/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n';
const LARGE = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(64);
const CONNECT = 'CONNECT gate.example:443 HTTP/1.1\r\nHost: x\r\n\r\n';

/** What a client has sent when the server stops; it takes answers only where it says so. */
const STATES: readonly { name: string; sends: string; takes?: boolean }[] = [
  { name: 'nothing', sends: '' },
  { name: 'a part of a head', sends: HEAD.slice(0, 30) },
  { name: 'a part of a body', sends: `${HEAD}{` },
  { name: 'requests whose answers it does not take', sends: LARGE },
  { name: 'a request, answered, and nothing since then', sends: `${HEAD}{}   `, takes: true },
  { name: 'a request for a tunnel behind untaken answers', sends: LARGE + CONNECT },
];

async function start(tls: boolean) {
  const read = loadSettings(SERVER_SETTINGS, {
    flags: {
      port: '0',
      ...(tls && { tlsSelfSigned: true }),
      stopTimeoutMs: String(STOP_TIMEOUT_MS),
      requestTimeoutMs: String(NEVER_MS),
      headersTimeoutMs: String(NEVER_MS),
    },
    environment: {},
    configFile: undefined,
  });
  const store = new MemoryStore();
  const settings = { ...read, store: 'memory:' };
  const server = await runServer(store, undefined, settings, new PassThrough().resume());
  const address = { port: Number(new URL(server.url).port), host: '127.0.0.1' };
  return { server, address };
}

function opened(socket: Socket): Socket {
  onTestFinished(() => void socket.destroy());
  return socket.on('error', () => undefined);
}

describe.each([
  ['HTTP', false],
  ['HTTPS', true],
])('a server over %s ends within its stop timeout', (_name, tls) => {
  test.each(STATES)('with a client that has sent $name', async ({ sends, takes }) => {
    const { server, address } = await start(tls);
    const socket = opened(
      tls ? connectTls({ ...address, rejectUnauthorized: false }) : connect(address),
    );
    await new Promise((resolve) => socket.once(tls ? 'secureConnect' : 'connect', resolve));
    if (!takes) socket.pause();
    if (sends) socket.write(sends);
    if (takes) await new Promise((resolve) => socket.once('data', resolve));
    else await sleep(300);
    await server.close();
  });
});

test.each([
  ['nothing', ''],
  ['a part of its handshake', '\x16\x03\x01\x02\x00\x01'],
])('a server over HTTPS ends with a client that has sent %s', async (_name, sends) => {
  const { server, address } = await start(true);
  const socket = opened(connect(address));
  await new Promise((resolve) => socket.once('connect', resolve));
  if (sends) socket.write(sends, 'latin1');
  await sleep(100);
  await server.close();
});
