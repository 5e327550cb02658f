import { expect, test } from 'vitest';
import { Redactor } from '../../src/check/requests/redact.ts';

/** In Base64 it has a plus and a slash, in an address and in JSON it has escapes. */
const KEY = 'k~~?>?"key\\ÿ';

test.each([
  ['as it is', KEY],
  ['in capitals', KEY.toUpperCase()],
  ['in an address', encodeURIComponent(KEY)],
  ['in JSON', JSON.stringify(KEY).slice(1, -1)],
  ['in Base64', Buffer.from(KEY).toString('base64')],
  ['in Base64 for addresses', Buffer.from(KEY).toString('base64url')],
  ['in hexadecimal', Buffer.from(KEY).toString('hex')],
])('a key is taken out %s', (_, spelling) => {
  const redactor = new Redactor();
  redactor.add(KEY, '$REST_KEY');
  expect(redactor.redact(`a ${spelling} b`)).toMatch(/^a \$REST_KEY=* b$/);
});

test('a whole key is not printed as a cut one and the rest', () => {
  const redactor = new Redactor();
  redactor.add('secret-ke', '$CUT');
  redactor.add('secret-key', '$WHOLE');
  expect(redactor.redact('secret-key, secret-ke.')).toBe('$WHOLE, $CUT.');
});

test('text without a key stays as it is', () => {
  expect(new Redactor().redact('a.*b')).toBe('a.*b');
});

test('a key in another letter case has an expression of its own', () => {
  const redactor = new Redactor();
  redactor.add('Secret-Key', '$REST_KEY');
  redactor.add('Secret-key', '$CHANGED');
  expect(redactor.redact('Secret-Key Secret-key SECRET-KEY')).toBe('$REST_KEY $CHANGED $REST_KEY');
});
