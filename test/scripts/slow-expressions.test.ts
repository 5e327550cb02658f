import { describe, expect, test } from 'vitest';
import { slowExpressions } from '../../scripts/slow-expressions.ts';
import { requestLine } from '../../src/kit/http1.ts';
import { fieldsOf } from '../../src/record/kinds/fields.ts';
import { storeBytes } from '../../src/record/recording.ts';
import { readTicketCode } from '../../src/scan/http/rest-endpoints.ts';
import { jsonElements } from '../../src/tickets/lists/json-elements.ts';
import { processorMs } from '../support/processor-time.ts';

const found = (code: string) => slowExpressions('some.ts', code).map(({ why }) => why);

describe('the check of regular expressions', () => {
  test.each([
    [
      'a content type with blanks that two parts can take',
      String.raw`/^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$/i`,
    ],
    ['a field of a form', String.raw`/^\s*([^=:]*?)\s*[=:]\s*(.*?)\s*$/s`],
    ['an element of XML', String.raw`/<([\w:.-]+)[^<>]*>([^<>]*)<\/\1\s*>/g`],
    ['a row that is tried from each of its places', String.raw`/\/+$/`],
    ['a row in a row', '/^(a+)+$/'],
  ])('finds %s', (_name, literal) => {
    expect(found(`const OLD = ${literal};`)).toEqual([expect.stringContaining('too long')]);
  });

  test('finds what is put together at run time, and tells the line', () => {
    const code = 'const ok = /^a+b/;\nconst made = new RegExp(text);';
    expect(slowExpressions('some.ts', code)).toEqual([
      { line: 2, expression: 'new RegExp(text)', why: 'is put together at run time' },
    ]);
  });

  test('leaves linear ones alone', () => {
    expect(found(String.raw`/^[ \t]*a[ \t]*$/; /(?<!\/)\/+$/; /[?&]([^=&#?]+)=([^&#]*)/g`)).toEqual(
      [],
    );
  });
});

const message = (head: string, body: string) => ({
  head,
  body: storeBytes(Buffer.from(body)),
  whole: true,
});

describe('long input is read once', () => {
  const blanks = ' '.repeat(64_000);
  const cases: [string, () => unknown][] = [
    ['a content type', () => readTicketCode(Buffer.from('{}'), `application/json${blanks}x`)],
    ['a request line', () => requestLine(`POST /${blanks}x y z\n`.repeat(2) + '\n'.repeat(64_000))],
    ['strings that never end', () => [...jsonElements(`[{"a":"${'\\"'.repeat(64_000)}`)]],
    ['XML', () => fieldsOf(message('POST / HTTP/1.1\r\n', `<${'a'.repeat(64_000)}`))],
    ['a form', () => fieldsOf(message('POST / HTTP/1.1\r\n', `a=b&${blanks}x`))],
    [
      'a form with blanks inside',
      () => fieldsOf(message('POST / HTTP/1.1\r\n', `a=${`b${blanks}`.repeat(2)}c`)),
    ],
  ];
  test.each(cases)('%s', async (_name, work) => {
    expect(await processorMs(work)).toBeLessThan(400);
  });
});
