import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { withoutCoding } from '../../src/check/requests/content-codings.ts';

const TEXT = '{"valid":true}';
const asking = (accepted: string) => ({
  path: '/scan/validate',
  headers: [['Accept-Encoding', accepted] as const],
});
const coded = (coding: string) => ({
  'content-type': 'application/json',
  'content-encoding': coding,
});

test.each([
  ['gzip', gzipSync(TEXT), 'gzip, deflate'],
  ['GZIP', gzipSync(TEXT), 'br;q=1.0, gzip;q=0.8'],
  ['x-gzip', gzipSync(TEXT), 'gzip'],
  ['deflate', deflateSync(TEXT), 'gzip, deflate'],
  ['deflate', deflateRawSync(TEXT), 'deflate'],
  ['br', brotliCompressSync(TEXT), '*'],
])('%s comes off a body where it was asked for', (coding, bytes, accepted) => {
  const { bytes: plain, headers } = withoutCoding(bytes, coded(coding), asking(accepted));
  expect(plain.toString()).toBe(TEXT);
  expect(headers).toEqual({ 'content-type': 'application/json' });
});

test.each([
  ['nobody asked for it', gzipSync(TEXT), 'gzip', 'identity'],
  ['another was asked for', brotliCompressSync(TEXT), 'br', 'gzip, deflate'],
  ['the body is in none', Buffer.from(TEXT), 'gzip', 'gzip'],
  ['the body ends too early', gzipSync(TEXT).subarray(0, 12), 'gzip', 'gzip'],
  ['the body is longer than any answer', gzipSync(Buffer.alloc(1024 * 1024)), 'gzip', 'gzip'],
  ['its name is unknown', gzipSync(TEXT), 'constructor', '*'],
])('a coding stays, and is told, where %s', (_why, bytes, coding, accepted) => {
  const headers = coded(coding);
  expect(withoutCoding(bytes, headers, asking(accepted))).toEqual({ bytes, headers });
  expect(withoutCoding(bytes, headers, { path: '/scan/validate' })).toEqual({ bytes, headers });
});
