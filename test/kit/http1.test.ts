import { describe, expect, test } from 'vitest';
import {
  ChunkReader,
  contentOf,
  encodeChunk,
  headerOf,
  headersOf,
  isChunked,
  pathOf,
  requestLine,
  statusOf,
  staysOpen,
  withHeader,
  withTarget,
} from '../../src/kit/http1.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('the head of a message', () => {
  test.each([
    ['GET /a?b HTTP/1.1\r\n', { method: 'GET', target: '/a?b' }],
    ['\r\n\tPOST  \t/a   HTTP/2  \r\n', { method: 'POST', target: '/a' }],
    ['GET /a', { method: 'GET', target: '/a' }],
    ['GET /a\n', { method: 'GET', target: '/a' }],
    ['GET\r\n', undefined],
    ['GET /a HTTP/1.1 x\r\n', undefined],
    ['', undefined],
  ])('%j asks for %j', (head, expected) => {
    expect(requestLine(head)).toEqual(expected);
  });

  test.each([
    ['/a/b?c#d', '/a/b'],
    ['/a#b?c', '/a'],
    ['/a', '/a'],
    ['?', ''],
  ])('the path of %s is %j', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });

  test.each([
    ['HTTP/1.1 204 No Content\r\n', 204],
    ['\r\nHTTP/1  200', 200],
    ['x HTTP/1.1 200 OK\r\n', 0],
    ['GET / HTTP/1.1\r\n', 0],
  ])('the status of %j is %d', (head, status) => {
    expect(statusOf(head)).toBe(status);
  });

  test('headers keep their order and spelling; a line without a name is none', () => {
    const head = '\r\nHTTP/1.1 200 OK\r\nA: 1\nb:\t2 \r\nno header\r\n: x\r\nc:\r\n\r\n';
    expect(headersOf(head)).toEqual([
      ['A', '1'],
      ['b', '2'],
      ['c', ''],
    ]);
    expect(headerOf(head, 'a')).toBe('1');
    expect(headerOf(head, 'd')).toBeUndefined();
  });

  test.each([
    ['chunked', true],
    ['gzip, chunked ', true],
    ['gzip,CHUNKED', true],
    ['gzip chunked', true],
    ['chunked, gzip', false],
    ['unchunked', false],
    ['chunkedly', false],
    ['', false],
  ])('a body in the encoding %j is in chunks: %s', (encoding, expected) => {
    expect(isChunked(`POST / HTTP/1.1\r\nTransfer-Encoding: ${encoding}\r\n\r\n`)).toBe(expected);
    expect(isChunked('POST / HTTP/1.1\r\n\r\n')).toBe(false);
  });

  test.each([
    ['HTTP/1.1 200 OK\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\nConnection: Close\r\n\r\n', false],
    ['HTTP/1.0 200 OK\r\n\r\n', false],
    ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n', true],
    ['HTTP/1.0 200 OK\r\nVia: HTTP/1.1\r\n\r\n', false],
  ])('after %j the connection stays open: %s', (head, expected) => {
    expect(staysOpen(head)).toBe(expected);
  });

  test('another header or target changes its own bytes only', () => {
    const head = '\r\nGET  /a?a HTTP/1.1\r\nhost :\tgate \r\nX-Host: b\r\n\r\n';
    expect(withHeader(head, 'Host', '$1')).toBe(
      '\r\nGET  /a?a HTTP/1.1\r\nhost :\t$1\r\nX-Host: b\r\n\r\n',
    );
    expect(withHeader(head, 'Date', 'x')).toBe(head);
    expect(withTarget(head, (target) => `${target}&b`)).toBe(
      '\r\nGET  /a?a&b HTTP/1.1\r\nhost :\tgate \r\nX-Host: b\r\n\r\n',
    );
    expect(withTarget('G G HTTP/1.1\r\n', () => '/')).toBe('G / HTTP/1.1\r\n');
    expect(withTarget('nothing', () => '/')).toBe('nothing');
  });
});

describe('a body in chunks', () => {
  const read = (wire: string) => {
    const parts: string[] = [];
    const reader = new ChunkReader((bytes) => parts.push(bytes.toString()));
    return { read: reader.read(Buffer.from(wire)), done: reader.done, said: parts.join('') };
  };

  test.each([
    ['5\r\nadmit\r\n0\r\n\r\n', 'admit'],
    ['5 \t;name=value\r\nadmit\r\n0;x\r\nX-Sum: 1\r\n\r\n', 'admit'],
    ['0000000a\nabcdefghij\n0\n\n', 'abcdefghij'],
    ['1\r\na\r\n1;\r\nb\r\n00\r\n\r\n', 'ab'],
  ])('%j is read to its end, and no further', (wire, said) => {
    expect(read(`${wire}next`)).toEqual({ read: wire.length, done: true, said });
  });

  test.each([
    ' 5\r\n',
    'x5\r\n',
    '000000005\r\n',
    '5 x\r\n',
    '5\r;\r\n',
    '\r\n',
    '1\r\na \r\n',
    '1\r\nabc\r\n',
    `5;${'x'.repeat(4096)}\r\n`,
    `5;${'x'.repeat(4096)}`,
  ])('%j is no chunked body', (wire) => {
    expect(read(wire)).toEqual(expect.objectContaining({ read: -1, done: false }));
  });

  test('a line of the framing may be 4,096 bytes long, however it arrives', () => {
    const line = `1;${'x'.repeat(4094)}`;
    expect(read(`${line}\na\r\n0\r\n\r\n`).said).toBe('a');
    const reader = new ChunkReader();
    for (const piece of [line.slice(0, 3000), line.slice(3000)]) {
      expect(reader.read(Buffer.from(piece))).toBe(piece.length);
    }
    expect(reader.read(Buffer.from('x'))).toBe(-1);
  });

  test('its content comes without the framing; of one that broke off, what has arrived', () => {
    expect(contentOf(CHUNKED, Buffer.from('2\r\nad\r\n3\r\nmi')).toString()).toBe('admi');
    expect(contentOf('HTTP/1.1 200 OK\r\n\r\n', Buffer.from('2\r\nad')).toString()).toBe('2\r\nad');
    for (const content of ['', 'a', 'x'.repeat(26)]) {
      const wire = encodeChunk(Buffer.from(content));
      expect(contentOf(CHUNKED, wire).toString()).toBe(content);
      expect(read(wire.toString())).toEqual({ read: wire.length, done: true, said: content });
    }
  });
});
