import { once } from 'node:events';
import { expect, test } from 'vitest';
import { metricOf, open, serve } from './support/served.ts';

/** Codings of a body that no reader here undoes, in each of the ways in which Node takes or refuses them. */
const CODINGS = [
  ...[
    'gzip',
    'identity',
    'gzip, chunked',
    'identity, chunked',
    'chunked, chunked',
    'chunked, gzip',
  ],
  ...['xchunked', 'chunked;a=b', ',chunked', 'chunked,', ''],
  ...['gzip\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding: chunked'],
];

test('every other coding than chunked is told once, with its own reason, on every path', async () => {
  const served = await serve({});
  const { key, hardwareKey, port } = served;
  const paths = [
    '/scan/consume',
    `/scan/hw/consume?key=${hardwareKey}`,
    '/admin/v1/sessions',
    '/nope',
  ];
  const heads = paths.flatMap((path) => [
    ...CODINGS.map((coding) => ({ path, version: '1.1', coding })),
    { path, version: '1.0', coding: 'chunked' },
  ]);
  const content = '2\r\n{}\r\n0\r\n\r\n';
  for (const { path, version, coding } of heads) {
    const socket = open(port);
    const ended = once(socket, 'close');
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.end(
      `POST ${path} HTTP/${version}\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n${content}`,
    );
    await ended;
    expect([path, coding, answer.slice(0, 12)]).toEqual([path, coding, 'HTTP/1.1 400']);
  }
  const metrics = await served.metrics();
  const counted = metrics.split('\n').filter((line) => /refused_requests_total.* [1-9]/.test(line));
  expect(counted).toEqual([`${metricOf('transfer_encoding')} ${heads.length}`]);
});

test('a body that breaks off is counted once, with the reason why, on every path', async () => {
  const served = await serve({});
  const { key, hardwareKey, port } = served;
  const headers = `X-Api-Key: ${key}\r\nContent-Type: application/json\r\n`;
  const paths = [
    '/scan/consume',
    `/scan/hw/consume?key=${hardwareKey}`,
    '/admin/v1/sessions',
    '/nope',
  ];
  for (const path of paths) {
    for (const rest of [
      'Content-Length: 50\r\n\r\n{}',
      'Transfer-Encoding: chunked\r\n\r\nzz\r\n',
    ]) {
      const socket = open(port);
      const ended = once(socket, 'close');
      socket.end(`POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}${rest}`);
      await ended;
    }
  }
  const metrics = await served.metrics();
  const counted = metrics.split('\n').filter((line) => /refused_requests_total.* [1-9]/.test(line));
  expect(counted.sort()).toEqual([
    `${metricOf('chunk_invalid')} ${paths.length}`,
    `${metricOf('cut_off')} ${paths.length}`,
  ]);
});
