import { expect, test } from 'vitest';
import {
  encodeChunk,
  MessageReader,
  requestFraming,
  responseFraming,
  statusOf,
} from '../../src/kit/http1.ts';
import { fc } from '../support/fast-check.ts';

interface Message {
  head: string;
  body: string;
}

function read(direction: 'request' | 'response', pieces: readonly Buffer[], ends = true) {
  const messages: Message[] = [];
  let current: Message = { head: '', body: '' };
  let unreadable = '';
  const reader = new MessageReader(direction, {
    head: (head) => {
      current = { head, body: '' };
      return direction === 'request'
        ? requestFraming(head)
        : responseFraming(head, statusOf(head), 'POST');
    },
    body: (bytes) => {
      current.body += bytes.toString('latin1');
    },
    end: () => messages.push(current),
    unreadable: (bytes) => {
      unreadable += bytes.toString('latin1');
    },
  });
  for (const piece of pieces) reader.push(piece);
  if (ends) reader.finish();
  return { messages, unreadable, held: reader.takeHeld().toString('latin1') };
}

/** The bytes in pieces that end at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const body = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const lineEnd = fc.constantFrom('\r\n', '\n');
const request = fc
  .tuple(body, lineEnd, fc.boolean(), fc.integer({ min: 1, max: 50 }))
  .map(([content, end, chunked, size]): Message => {
    const framing = chunked ? 'Transfer-Encoding: chunked' : `content-length:  ${content.length}`;
    const head = `POST /scan/hw/consume?key=x HTTP/1.1${end}Host: gate${end}${framing}${end}${end}`;
    const chunks: Buffer[] = [];
    for (let at = 0; at < content.length; at += size) {
      chunks.push(encodeChunk(content.subarray(at, at + size)).subarray(0, -'0\r\n\r\n'.length));
    }
    const wire = chunked
      ? Buffer.concat([...chunks, Buffer.from('0\r\nX-Sum: 1\r\n\r\n')])
      : content;
    return { head, body: wire.toString('latin1') };
  });

test('however a connection is cut into pieces, its messages are the same bytes', () => {
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(3000), { maxLength: 30 }),
      (messages, places) => {
        const wire = messages.map(({ head, body: text }) => head + text).join('');
        const seen = read('request', cut(Buffer.from(wire, 'latin1'), places));
        expect(seen).toEqual({ messages, unreadable: '', held: '' });
      },
    ),
  );
});

test('a response without a length ends with its connection', () => {
  const head = 'HTTP/1.0 200 OK\r\nServer: x\r\n\r\n';
  const pieces = [Buffer.from(`${head}code=`), Buffer.from('0000')];
  expect(read('response', pieces).messages).toEqual([{ head, body: 'code=0000' }]);
  expect(read('response', pieces, false).messages).toEqual([]);
});

test.each([
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
])('%j has no body', (head) => {
  const next = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  const { messages } = read('response', [Buffer.from(head + next)]);
  expect(messages.map((message) => message.head)).toEqual([head, next]);
});

test.each([
  ['a TLS greeting', Buffer.from('16030100c8010000', 'hex')],
  [
    'a chunk size that is none',
    Buffer.from('POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
  ],
  ['a head without an end', Buffer.from(`POST / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`)],
])('%s is no HTTP: its bytes are told as they are', (_name, bytes) => {
  const { messages, unreadable } = read('request', cut(bytes, [3, 40]));
  expect(messages).toEqual([]);
  expect(unreadable).not.toBe('');
  expect(bytes.toString('latin1').endsWith(unreadable)).toBe(true);
});

test.each([
  ['', false],
  ['\r\n', false],
  ['\r\nP', true],
  ['POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n', true],
  ['POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\na', true],
  ['POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab', false],
  ['POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', true],
  ['POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', false],
])('after %j a message has begun and is not complete: %s', (text, expected) => {
  const reader = new MessageReader('request', {
    head: requestFraming,
    body: () => undefined,
    end: () => undefined,
    unreadable: () => undefined,
  });
  reader.push(Buffer.from(text));
  expect(reader.isInside).toBe(expected);
});

test.each([
  ['HTTP/1.1 100 Continue\r\n\r\n', 'POST', 0],
  ['HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n', 'POST', 12],
  ['HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n', 'HEAD', 0],
  ['HTTP/1.1 200 OK\r\nContent-Length: 12x\r\n\r\n', 'POST', 'until-end'],
  ['HTTP/1.1 200 OK\r\nContent-Length: +12\r\n\r\n', 'POST', 'until-end'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 1234567890123456\r\n\r\n', 'POST', 'until-end'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 'POST', 'chunked'],
])('the body of %j to %s is framed by %s', (head, method, framing) => {
  expect(responseFraming(head, statusOf(head), method)).toBe(framing);
});

test.each(['H', 'HT', 'HTT', 'HTTP', 'HTTP/', 'HTTP/1.1 200', '\r\nHTTP/1.1'])(
  '%j may begin a response',
  (text) => {
    expect(read('response', [Buffer.from(text)])).toMatchObject({ unreadable: '', held: text });
  },
);

test.each(['T', 'HP', 'HTTPS', 'HTTX', 'xHTTP/1.1 200 OK', 'HTTP:'])(
  '%j begins no response',
  (text) => {
    expect(read('response', [Buffer.from(text)])).toMatchObject({ unreadable: text, held: '' });
  },
);

test.each([
  ['\r\n\r\nPOST', true],
  ['POST\t/', true],
  ['PO5T /', false],
  ['POSTx', false],
  ['\r\npost /', false],
  ['\r\n\r\n\r\n', true],
])('%j may begin a request: %s', (text, expected) => {
  const { unreadable, held } = read('request', [Buffer.from(text)]);
  expect([unreadable, held]).toEqual(expected ? ['', text] : [text, '']);
});

test('a head may have 64 KiB', () => {
  const head = (bytes: number) => {
    const start = 'POST / HTTP/1.1\r\nX: ';
    return `${start}${'x'.repeat(bytes - start.length - 4)}\r\n\r\n`;
  };
  const whole = head(65_536);
  expect(read('request', cut(Buffer.from(whole), [65_535])).messages).toHaveLength(1);
  expect(read('request', [Buffer.from(head(65_541))]).unreadable).not.toBe('');
});

test('empty lines between requests belong to the next head', () => {
  const text =
    'POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\na\r\nPOST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n';
  const { messages } = read('request', [Buffer.from(text)]);
  expect(messages.map(({ head, body: content }) => head + content).join('')).toBe(text);
});
