import { expect, test } from 'vitest';
import { parseAnswer } from '../../../src/check/explore/wire/parse-answer.ts';

const read = (text: string, ended = false) => parseAnswer(Buffer.from(text), ended);

test('an answer with a length ends where it says, and the next one begins there', () => {
  const first = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
  const arrived = read(`${first}HTTP/1.1 404 Not Found\r\n`);
  expect(arrived).toMatchObject({ bytes: first.length, closes: false });
  expect(arrived?.answer).toMatchObject({ status: 200, json: {} });
});

test('nothing is read before an answer is whole', () => {
  const whole =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n';
  for (let length = 0; length < whole.length; length += 1) {
    expect(read(whole.slice(0, length)), `${length} bytes`).toBe(undefined);
  }
  expect(read(whole)?.answer.json).toEqual({});
});

test('without a length the end of the connection ends the body', () => {
  const text = 'HTTP/1.0 200 OK\r\n\r\n{"a":1}';
  expect(read(text)).toBe(undefined);
  expect(read(text, true)).toMatchObject({ closes: true, answer: { json: { a: 1 } } });
});

test('an interim answer is passed over', () => {
  const arrived = read('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
  expect(arrived).toMatchObject({ bytes: 52, answer: { status: 204 } });
});

test('what is no HTTP is said to be none', () => {
  expect(() => read('SSH-2.0-OpenSSH\r\n\r\n')).toThrow('does not speak HTTP');
});
