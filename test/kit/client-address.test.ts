import { describe, expect, test } from 'vitest';
import {
  addressOfRequest,
  clientAddress,
  networkOf,
  readProxies,
} from '../../src/kit/client-address.ts';

const trusted = readProxies('10.0.0.0/8, 192.168.7.1,2001:db8:1::/48')!;

describe('who sent a request', () => {
  test.each([
    ['a peer that is no proxy, whatever it says', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy forwards one client', '10.0.0.5', '203.0.113.9', '203.0.113.9'],
    ['the client wrote the header first', '10.0.0.5', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['two proxies', '192.168.7.1', '1.1.1.1, 203.0.113.9, 10.2.3.4', '203.0.113.9'],
    ['a proxy of IPv6', '2001:db8:1::5', '2001:db8:2::9', '2001:db8:2::9'],
    ['IPv4 on a socket of IPv6', '::ffff:10.0.0.5', '::ffff:203.0.113.9', '203.0.113.9'],
    ['ports behind the addresses', '10.0.0.5', '203.0.113.9:4711', '203.0.113.9'],
    ['a port behind IPv6', '10.0.0.5', '[2001:db8:2::9]:4711', '2001:db8:2::9'],
    ['a proxy that says nothing', '10.0.0.5', undefined, '10.0.0.5'],
    ['a proxy that says nonsense', '10.0.0.5', '203.0.113.9, unknown', '10.0.0.5'],
    ['proxies all the way', '10.0.0.5', '10.0.0.7', '10.0.0.7'],
    ['a client that has gone', undefined, '203.0.113.9', ''],
    ['an address in brackets', '10.0.0.5', '[2001:db8:2::9]', '2001:db8:2::9'],
    ['text before the brackets', '10.0.0.5', 'x[::1]', '10.0.0.5'],
    ['text after the port', '10.0.0.5', '203.0.113.9:1x', '10.0.0.5'],
    ['text before an address with a port', '10.0.0.5', ':203.0.113.9:1', '10.0.0.5'],
    ['text after the brackets', '10.0.0.5', '[203.0.113.9]x', '10.0.0.5'],
    ['IPv4 inside another address', '10.0.0.5', '1::ffff:203.0.113.9', '1::ffff:203.0.113.9'],
    ['more than IPv4 behind ::ffff:', '10.0.0.5', '::ffff:1.2:3', '10.0.0.5'],
  ])('%s', (_what, peer, header, expected) => {
    expect(clientAddress(peer, header, trusted)).toBe(expected);
  });

  test('several headers are one, and nobody is trusted unless it is said', () => {
    const request = {
      headers: { 'x-forwarded-for': ['203.0.113.9', '10.0.0.7'] },
      socket: { remoteAddress: '10.0.0.5' },
    };
    expect(addressOfRequest(request, trusted)).toBe('203.0.113.9');
    expect(addressOfRequest(request, undefined)).toBe('10.0.0.5');
    expect(addressOfRequest({ headers: {}, socket: {} }, trusted)).toBe('');
    const silent = { headers: {}, socket: { remoteAddress: '10.0.0.5' } };
    expect(addressOfRequest(silent, trusted)).toBe('10.0.0.5');
  });
});

test.each([
  ['10.0.0.1', true],
  ['10.0.0.1,::1', true],
  ['10.0.0.0/8', true],
  ['', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8/9', false],
  ['::1/129', false],
  ['proxy.example.org', false],
  ['10.0.0.1,', false],
  ['10.0.0.1/-1', false],
])('"%s" names proxies: %s', (list, isGood) => {
  expect(readProxies(list) !== undefined).toBe(isGood);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:a:b:c:d:e:f', '2001:db8:a:b::/64'],
  ['2001:db8:a:b::', '2001:db8:a:b::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4::/64'],
  ['1:2::5:6:7:8:9', '1:2:0:5::/64'],
  ['::3:4:5:6:7:8', '0:0:3:4::/64'],
  ['::3:4:5:6:1.2.3.4', '0:0:3:4::/64'],
  ['::', '0:0:0:0::/64'],
])('%s is at %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
