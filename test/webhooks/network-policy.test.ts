import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { checkedUrl, networkPolicy } from '../../src/features/webhooks/network.ts';
import { Receiver } from './support/receiver.ts';

const PRIVATE = [
  ...['127.0.0.1', '127.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '0.0.0.0', '192.0.2.1', '198.18.0.1', '224.0.0.1'],
  ...['255.255.255.255', '::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'ff02::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:7f00:1::', '2001:db8::1'],
  ...['not an address', ''],
];
const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'];

test('public addresses are allowed, all others are not', () => {
  const isAllowed = networkPolicy();
  expect(PRIVATE.filter(isAllowed)).toEqual([]);
  expect(PUBLIC.filter((address) => !isAllowed(address))).toEqual([]);
});

test("the server's own addresses are not, unless the operator allows them", () => {
  const own = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address }) => address);
  expect(own.filter(networkPolicy())).toEqual([]);
  expect(own.filter(networkPolicy((address) => own.includes(address)))).toEqual(own);
});

test.each([
  'http://example.org/',
  'ftp://example.org/',
  'nothing',
  'https://user:secret@example.org/',
  'https://example.org/#part',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://2130706433/',
  'https://0x7f.1/',
  `https://example.org/${'x'.repeat(2000)}`,
])('%s is refused', (url) => {
  expect(() => checkedUrl(url, networkPolicy())).toThrow();
});

test('a name that leads to a private address is refused when it connects; nothing is sent', async () => {
  const receiver = await Receiver.start();
  const { httpsSender } = await import('../../src/features/webhooks/network.ts');
  const told: unknown[] = [];
  const onRefused = (facts: unknown) => told.push(facts);
  const { send, close } = httpsSender(networkPolicy(), receiver.ca, undefined, onRefused);
  const message = { url: receiver.url, headers: {}, body: '{}' };
  const byName = { ...message, url: receiver.url.replace('127.0.0.1', 'localhost') };
  for (const one of [message, byName]) {
    const sent = await send(one, new AbortController().signal);
    expect(sent.error).toMatch(/is a private address.*--webhook-networks/);
  }
  // The name tells its owner nothing of the network behind it; the operator's log does.
  const { error } = await send(byName, new AbortController().signal);
  expect(error).not.toMatch(/127\.0\.0\.1|::1/);
  const leadsTo = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
  expect(told.at(-1)).toEqual({ host: 'localhost', address: leadsTo });
  close();
  expect(receiver.received).toEqual([]);
});
