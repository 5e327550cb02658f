import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { httpsSender, networkPolicy } from '../../src/features/webhooks/network.ts';
import { Receiver } from './support/receiver.ts';

const LATE_MS = 60_000;
const here = networkPolicy((address) => address === '127.0.0.1');

/** What a delivery to that address says. */
async function told(url: string, ca?: string, timeoutMs?: number): Promise<string> {
  const { send, close } = httpsSender(here, ca, timeoutMs);
  onTestFinished(close);
  const { error } = await send({ url, headers: {}, body: '{}' }, new AbortController().signal);
  return error ?? '';
}

/** A server of plain TCP at an address of https. */
async function plain(onConnection: (socket: Socket) => void): Promise<string> {
  const server: Server = createServer(onConnection).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

test('a certificate that is not trusted: the option of webhooks is named, not that of --url', async () => {
  const error = await told((await Receiver.start()).url);
  expect(error).toContain('with --webhook-ca FILE');
  expect(error).not.toMatch(/--ca\b/);
});

test('a receiver without TLS: http://, which is always refused, is not the advice', async () => {
  const url = await plain((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const error = await told(url);
  expect(error).toMatch(/does not speak TLS: name the port where the receiver has TLS/);
  expect(error).not.toContain('http://');
});

test('a receiver that has the message and answers late is told from one that nobody reaches', async () => {
  const receiver = await Receiver.start();
  receiver.behaviour = { waitMs: LATE_MS };
  const late = await told(receiver.url, receiver.ca, 300);
  expect(late).toMatch(/gives no answer in time: it has the request/);
  expect(late).not.toContain('firewall');

  // The port takes connections, and nothing answers the handshake: nothing was sent.
  const silent = await plain((socket) => onTestFinished(() => void socket.destroy()));
  expect(await told(silent, undefined, 300)).toMatch(/gives no answer in time: .*firewall/);
});
