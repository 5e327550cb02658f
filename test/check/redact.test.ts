import { describe, expect, test } from 'vitest';
import { curlLine, Redactor } from '../../src/check/requests/redact.ts';
import { processorMs } from '../support/processor-time.ts';

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

const RANDOM = '7Ibvit0BFjuIP7FxRx2Cxn1hQz83LmWe4kTy9d';
const LONG_KEY = `tscn_hw_${RANDOM}`;
const CODE = 'TS1.tkt_ab12cd_0123456789abcdefghij.Zm9vYmFyYmF6cXV4cXV1eA';

const mapped = (text: string, spell: (code: number) => string) =>
  [...text].map((sign) => spell(sign.charCodeAt(0))).join('');
const hexOf = (code: number) => code.toString(16);
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  reversed: (text) => [...text].reverse().join(''),
  'in capitals': (text) => text.toUpperCase(),
  'percent-encoded': (text) => mapped(text, (code) => `%${hexOf(code)}`),
  'percent-encoded twice': (text) => mapped(text, (code) => `%25${hexOf(code)}`),
  'every second letter percent-encoded': (text) =>
    mapped(text, (code) => (code % 2 ? `%${hexOf(code)}` : String.fromCharCode(code))),
  'in decimal entities': (text) => mapped(text, (code) => `&#${code};`),
  'in hexadecimal entities': (text) => mapped(text, (code) => `&#x${hexOf(code)};`),
  'in escapes of JSON': (text) => mapped(text, (code) => `\\u00${hexOf(code)}`),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in Base64': (text) => Buffer.from(text).toString('base64url'),
  'in capitals, reversed and percent-encoded': (text) =>
    mapped([...text.toUpperCase()].reverse().join(''), (code) => `%${hexOf(code)}`),
};

function longRedactor() {
  const redactor = new Redactor();
  redactor.add(LONG_KEY, '$HARDWARE_KEY');
  redactor.add(LONG_KEY.slice(0, -1), '$CUT_KEY');
  redactor.add(LONG_KEY.slice(1), '$BEHEADED_KEY');
  return redactor;
}

describe.each(Object.entries(SPELLINGS))('a long key %s', (_, spell) => {
  test('is hidden', () => {
    expect(longRedactor().redact(`<${spell(LONG_KEY)}>`)).toBe('<$HARDWARE_KEY>');
  });

  test('is hidden with signs before and after it', () => {
    for (const before of ['"', '"~', '"~#']) {
      const shown = longRedactor().redact(spell(`${before}${LONG_KEY}"~`));
      expect(shown).toContain('$HARDWARE_KEY');
      expect(shown.length).toBeLessThan(spell(`${before}"~`).length + 16);
    }
  });

  test('is hidden where 12 characters of it are shown, wherever they begin', () => {
    for (let at = 0; at <= RANDOM.length - 12; at += 1) {
      for (const filler of ['', '.', '..', '...', '....', '.....'])
        expect(longRedactor().redact(filler + spell(RANDOM.slice(at, at + 12)))).toBe(
          `${filler}$HARDWARE_KEY`,
        );
    }
  });

  test('is a text like others where only its beginning is shown', () => {
    for (const text of ['tscn_hw_', 'tscn_hw_7Ibv…', 'tscn_api_', RANDOM.slice(3, 12), CODE])
      expect(longRedactor().redact(spell(text))).toBe(spell(text));
  });
});

test('a key that a service cuts to 32 bytes is hidden with what it begins with', () => {
  const note = `{"Note":"${LONG_KEY.slice(0, 32)}"}`;
  expect(longRedactor().redact(note)).toBe('{"Note":"$HARDWARE_KEY"}');
});

test('a key in the Base64 of a longer text is hidden', () => {
  for (const before of ['', 'a', 'ab', 'abc', '{"x-api-key":"']) {
    const text = Buffer.from(`${before}${LONG_KEY}"}`).toString('base64');
    expect(longRedactor().redact(text)).toMatch(/^[\w+/]{0,20}\$HARDWARE_KEY[\w+/]{0,4}={0,2}$/);
  }
});

test('a key that was changed has its own expression, not those of the parts that it shares', () => {
  expect(longRedactor().redact(`${LONG_KEY} ${LONG_KEY.slice(0, -1)} ${LONG_KEY.slice(1)}`)).toBe(
    '$HARDWARE_KEY $CUT_KEY $BEHEADED_KEY',
  );
});

test('of a short key only the whole is hidden, in any spelling', () => {
  const redactor = new Redactor();
  redactor.add('gate-key-12345', '$REST_KEY');
  for (const [name, spell] of Object.entries(SPELLINGS)) {
    expect(redactor.redact(`a ${spell('gate-key-12345')} b`), name).toBe('a $REST_KEY b');
    expect(redactor.redact(`a ${spell('gate-key-123')} b`), name).toBe(
      `a ${spell('gate-key-123')} b`,
    );
  }
});

test('a code of a ticket is hidden as a whole only: others of its event begin alike', () => {
  const redactor = new Redactor();
  redactor.add(CODE, '$TICKET');
  const other = 'TS1.tkt_ab12cd_zyxwvutsrqponmlkjihg.eHV4cXV1eFpvb3Zt';
  expect(redactor.redact(`${other} ${CODE}`)).toBe(`${other} $TICKET`);
});

test('signs outside of ASCII, line ends and escapes stay where nothing is hidden', () => {
  const text = 'İstanbul ÅΣ 😀 %C3%BC &amp; &#x1F600; \\n\\"\r\n%zz &#; \\u12';
  expect(longRedactor().redact(`${text}${LONG_KEY}${text}`)).toBe(`${text}$HARDWARE_KEY${text}`);
});

test('the body of a request that is printed in Base64 has no key in it', () => {
  const body = Buffer.concat([Buffer.from([0, 255]), Buffer.from(LONG_KEY)]);
  const line = curlLine(new URL('http://gate.test'), { path: '/x', body }, longRedactor());
  expect(line).toContain('$HARDWARE_KEY');
});

test('a large answer is read in time that grows with its length', async () => {
  const redactor = longRedactor();
  redactor.add('a'.repeat(40), '$REST_KEY');
  redactor.add('zz', '$OTHER_KEY');
  for (const row of ['a', 'aaaaaaaaaaa~', LONG_KEY, RANDOM.slice(0, 11), '%25', '%', '&#1', '\\']) {
    const redacted = () => redactor.redact(row.repeat((256 * 1024) / row.length));
    expect(await processorMs(redacted), row).toBeLessThan(1000);
  }
});
