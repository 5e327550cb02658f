import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readPlainHead, takeOriginForm } from '../../src/scan/http/request-head.ts';

const START = 'POST /scan/consume HTTP/1.1';
const HEADERS = ['Host: gate.example', 'Content-Length: 90'];
const read = (start: string, ...headers: string[]) =>
  readPlainHead([start, ...headers].join('\r\n'));
const readWith = (...headers: string[]) => read(START, ...HEADERS, ...headers);

test('a plain head says where it goes, what it names and how long its body is', () => {
  const start = 'POST /scan/hw/consume?key=tscn_hw_a-b.c~1&x=&y HTTP/1.1';

  expect(read(start, 'HOST:gate', 'X-API-Key: a b', 'content-length: 8192')).toEqual({
    url: '/scan/hw/consume?key=tscn_hw_a-b.c~1&x=&y',
    path: '/scan/hw/consume',
    query: 'key=tscn_hw_a-b.c~1&x=&y',
    headers: { host: 'gate', 'x-api-key': 'a b', 'content-length': '8192' },
    bodyBytes: 8192,
  });
  expect(read(START, ...HEADERS)).toMatchObject({ path: '/scan/consume', query: '' });
  expect(read(START.replace(' HTTP', '? HTTP'), ...HEADERS)).toMatchObject({ query: '' });
});

describe('read without Node', () => {
  test.each([
    'Accept: */*',
    'Accept-Encoding: gzip',
    'Accept-Language: de',
    'Cache-Control: no-cache',
    'Connection: keep-alive',
    'Connection: Keep-Alive',
    'Content-Type: application/json',
    'Forwarded: for=192.0.2.1',
    'Idempotency-Key: a',
    'Pragma: no-cache',
    'Sec-Fetch-Mode: cors',
    'Traceparent: 00-1',
    'Tracestate: a=b',
    'User-Agent: x',
    'Via: 1.1 a',
    'X-Api-Key: a',
    'X-Forwarded-For: 192.0.2.1',
    'X-Forwarded-Host: a',
    'X-Forwarded-Port: 1',
    'X-Forwarded-Proto: https',
    'X-Real-Ip: 192.0.2.1',
    'X-Request-Id: a',
    'User-Agent: !',
    'User-Agent: ~ !',
  ])('%s', (header) => {
    expect(readWith(header)).toBeDefined();
  });

  test.each(['1', '9', '10', '8192'])('a length of %s', (length) => {
    expect(read(START, 'Host: x', `Content-Length: ${length}`)?.bodyBytes).toBe(Number(length));
  });
});

describe('left to Node', () => {
  test.each([
    '',
    'GET /scan/consume HTTP/1.1',
    'xPOST /scan/consume HTTP/1.1',
    'POST  /scan/consume HTTP/1.1',
    'POST /scan/ HTTP/1.1',
    'POST /other/consume HTTP/1.1',
    'POST http://a/scan/consume HTTP/1.1',
    'POST /scan/Consume HTTP/1.1',
    'POST /scan/con%73ume HTTP/1.1',
    'POST /scan/consume?a=%20 HTTP/1.1',
    'POST /scan/consume?a#b HTTP/1.1',
    'POST /scan/consume HTTP/1.0',
    'POST /scan/consume HTTP/1.12',
    'POST /scan/consume HTTP/1x1',
  ])('the line “%s”', (start) => {
    expect(read(start, ...HEADERS)).toBeUndefined();
  });

  test.each([
    'X-Mine: 1',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Upgrade: h2c',
    'Cookie: a=b',
    'Connection: close',
    'Connection: keep-alive, close',
    'Connection: keep-alive, keep-alive',
    'Host: b',
    'HOST: gate.example',
    'Content-Length: 90',
    'Accept : */*',
    ' Accept: */*',
    '-Accept: */*',
    'Accept:  */*',
    'Accept: */* ',
    'Accept:\t*/*',
    'Accept: a\tb',
    'Accept: \x7f',
    'Accept: a\x7f',
    'Accept: \xe4b',
    'Accept: a\xe4b',
    'Accept: a\nVia: b',
    'Accept:',
    'Accept: ',
    'Accept',
    ': x',
    '',
    '__proto__: 1',
    'constructor: 1',
  ])('the header “%s”', (header) => {
    expect(readWith(header)).toBeUndefined();
  });

  test.each(['', '0', '090', '8193', '10000', '-1', '+1', '1.0', '0x10', '1, 1', '1e3'])(
    'a length of “%s”',
    (length) => {
      expect(read(START, 'Host: x', `Content-Length: ${length}`)).toBeUndefined();
    },
  );

  test('no host, no length, no header at all', () => {
    expect(read(START, 'Content-Length: 1')).toBeUndefined();
    expect(read(START, 'Host: x')).toBeUndefined();
    expect(read(START)).toBeUndefined();
  });
});

test.each([
  ['http://gate.example/scan/validate?a=b', '/scan/validate?a=b', 'gate.example'],
  ['HTTPS://gate.example:8443/', '/', 'gate.example:8443'],
  ['http://gate.example', '/', 'gate.example'],
  ['http://gate.example?a=b', '/?a=b', 'gate.example'],
  ['/http://gate.example/', '/http://gate.example/', 'old'],
  ['http:///scan/validate', 'http:///scan/validate', 'old'],
  ['ftp://gate.example/', 'ftp://gate.example/', 'old'],
  ['*', '*', 'old'],
])('the target %s is %s on the host %s', (url, expected, host) => {
  const request = { url, headers: { host: 'old' } } as IncomingMessage;

  takeOriginForm(request);

  expect(request).toEqual({ url: expected, headers: { host } });
});
