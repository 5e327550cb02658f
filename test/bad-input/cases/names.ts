import { type Case, named, requestOf, utf8 } from './case.ts';
import { CODES } from './world.ts';

/** A name that somebody gives to a key, an event or a person. */
export interface NameCase {
  readonly says: string;
  /** `record` for keys and events, `holder` for persons. */
  readonly name: 'record' | 'holder';
  readonly text: string;
  readonly expect: 'accepted' | 'refused';
}

const FINE = [
  'A',
  'Gate 1',
  'Erika',
  'Ærøskøbing',
  'Müller-Lüdenscheidt',
  "O'Brien",
  'D’Arcy',
  'Jean-Luc',
  'de la Cruz',
  '李',
  '山田 太郎',
  'Νίκος',
  'Владимир',
  'محمد',
  'שלום',
  'ประเทศไทย',
  'हिन्दी',
  'Nguyễn Văn A',
  'é',
  'e\u0301',
  '👩\u200d👩\u200d👧\u200d👦',
  '🇩🇪',
  '👍🏽',
  '\u200b',
  '\u200f',
  '"',
  "'",
  '`',
  '\\',
  '/',
  '<b>',
  '<script>alert(1)</script>',
  '&amp;',
  `$\{x}`,
  '{{x}}',
  '%s',
  '%00',
  "'; DROP TABLE ticket; --",
  '../..',
  'a,b',
  'a;b',
  'a\tb'.replace('\t', ' '),
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  'null',
  'undefined',
  'true',
  '0',
  '__proto__',
  'constructor',
  'x'.repeat(199),
  'x'.repeat(200),
  'ä'.repeat(200),
  '😀'.repeat(100),
  '\ufffd',
  '\uffff',
  '\u{10ffff}',
  ' x',
  'x ',
];
const REFUSED = [
  'x'.repeat(201),
  'x'.repeat(1000),
  '😀'.repeat(101),
  'ä'.repeat(201),
  '\ud800',
  'x\udc00',
  '\udbff\udbff',
  ...Array.from({ length: 32 }, (_, code) => `a${String.fromCharCode(code)}b`),
  'a\x7fb',
  // They turn the text around them, or end a line.
  ...['\u202a', '\u202e', '\u2066', '\u2069', '\u2028', '\u2029'].map((one) => `a${one}b`),
  ...Array.from({ length: 32 }, (_, code) => `a${String.fromCharCode(128 + code)}b`),
];

/** Names of people, keys and events: what a display, a log or a table could stumble over. */
export function names(): NameCase[] {
  const kinds = ['record', 'holder'] as const;
  return kinds.flatMap((name) => [
    ...FINE.map(
      (text): NameCase => ({
        says: `${name} named ${named(text)}`,
        name,
        text,
        expect: 'accepted',
      }),
    ),
    ...REFUSED.map(
      (text): NameCase => ({ says: `${name} named ${named(text)}`, name, text, expect: 'refused' }),
    ),
    // A record has to have a name that can be seen; a person may have any.
    ...['\u00a0', '\u2003', '\ufeff', ' '].map(
      (text): NameCase => ({
        says: `${name} named ${named(text)}`,
        name,
        text,
        expect: name === 'record' ? 'refused' : 'accepted',
      }),
    ),
    ...(name === 'record' ? [''] : []).map(
      (text): NameCase => ({ says: 'record without a name', name, text, expect: 'refused' }),
    ),
  ]);
}

/** The name of a request that may be repeated: 1 to 255 visible ASCII characters. */
export function retryNames(): Case[] {
  const good = `{"ticketCode":"${CODES.exhausted}"}`;
  const send = (header: string, action = 'consume') =>
    requestOf(
      `/scan/${action}`,
      ['x-api-key: ‹api›', 'Content-Type: application/json', header],
      good,
    );
  const refused = [
    '',
    ' ',
    'a b',
    'a\tb',
    'ä',
    '\xe4',
    '\x80',
    '\xff',
    '\xa0',
    'a, b',
    'x'.repeat(256),
    'x'.repeat(1000),
    'x'.repeat(5000),
    '日本',
    '😀',
    'a\xadb',
    'a b c',
    '\u200b',
  ];
  const fine = [
    'x',
    '0',
    '-',
    '"',
    "'",
    '\\',
    '{}',
    '[]',
    '<>',
    '%00',
    '%20',
    '__proto__',
    'constructor',
    'null',
    "' OR 1=1 --".replaceAll(' ', '/'),
    '../..',
    'x'.repeat(255),
    '~',
    '!',
    '550e8400-e29b-41d4-a716-446655440000',
  ];
  return [
    ...refused.map(
      (name): Case => ({
        says: `Idempotency-Key ${named(name)}`,
        bytes: send(`Idempotency-Key: ${utf8(name)}`),
        expect: 'retry_name_refused',
      }),
    ),
    ...fine.map(
      (name): Case => ({
        says: `Idempotency-Key ${named(name)}`,
        bytes: send(`Idempotency-Key: ${name}`),
        expect: 'exhausted',
      }),
    ),
    ...refused.map(
      (name): Case => ({
        says: `Idempotency-Key ${named(name)} on validate, where it means nothing`,
        bytes: send(`Idempotency-Key: ${utf8(name)}`, 'validate'),
        expect: 'exhausted',
      }),
    ),
    {
      says: 'Idempotency-Key twice',
      bytes: requestOf(
        '/scan/consume',
        [
          'x-api-key: ‹api›',
          'Content-Type: application/json',
          'Idempotency-Key: a',
          'Idempotency-Key: b',
        ],
        good,
      ),
      expect: 'retry_name_refused',
    },
  ];
}
