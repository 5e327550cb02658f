import { gzipSync } from 'node:zlib';
import { CODES } from '../../support/fixed-world.ts';
import { API_KEY, CARD, CODE, GOOD, JSON_TYPE, json, named, type Row, send, utf8 } from './row.ts';

/** A usable body: one member with the code. The kinds of damage below are done to each of them. */
interface Parts {
  readonly name: 'ticketCode' | 'Card';
  readonly value: string;
  readonly good: string;
}
const SOFTWARE: Parts = { name: 'ticketCode', value: CODE, good: GOOD };
const CONTROLLER: Parts = { name: 'Card', value: CARD, good: `{"Card":"${CARD}"}` };

/** Texts that look like JSON to people or to other parsers, and are none. */
const noJson = ({ name, value, good }: Parts): string[] => [
  ...['', ' ', '{', '}', '[', '"', 'nul', 'NaN', 'undefined', '{]', '{,}', '{"a"}', '{"a":}'],
  ...['{:1}', '{"a":1,}', '{"a" 1}', '{"a"::1}', '{"a":1 "b":2}', '0{}', '{}0', '{}}', '[]]'],
  ...[`{'${name}':'${value}'}`, `{${name}:"${value}"}`, `{"${name}":'${value}'}`],
  ...[`{"${name}":${value}}`, `{"${name}":"${value}",}`, `{,"${name}":"${value}"}`],
  ...[`{"${name}" "${value}"}`, `{"${name}"="${value}"}`, `{"${name}":"${value}"/**/}`],
  ...[`${good},`, `${good};`, good + good, `${good}\n${good}`, `${good} x`, `x ${good}`],
  ...[`(${good})`, `callback(${good})`, `)]}',\n${good}`, `while(1);${good}`, `${good}//`],
  ...[`//\n${good}`, `/**/${good}`, `#\n${good}`, `\x1e${good}`, `${name}: ${value}`],
  ...[`<${name}>${value}</${name}>`, `${name}=${value}`, `--x\r\n\r\n${value}\r\n--x--`],
  ...[1, good.length / 2, good.length - 2, good.length - 1].map((end) => good.slice(0, end)),
  ...['01', '+1', '.5', '1.', '0x10', '1e', 'NaN', '-', '--1', '1_000', 'undefined', '"a'].map(
    (other) => `{"${name}":"${value}","a":${other}}`,
  ),
  ...['\\x41', '\\u12', '\\u{41}', "\\'", '\\U0041', '\\', '\\0', '\n', '\0', '\x1f'].map(
    (text) => `{"${name}":"${value}","a":"${text}"}`,
  ),
  // Between the parts only four characters may stand.
  ...[
    '\0',
    '\x08',
    '\x0b',
    '\x0c',
    '\x1b',
    '\x1f',
    '\x7f',
    '\xa0',
    '\xc2\xa0',
    '\xe2\x80\xa8',
  ].flatMap((space) => [space + good, good + space, `{${space}"${name}":"${value}"}`]),
];

/** JSON without one text in the member that counts. */
const noCode = ({ name, value, good }: Parts): string[] => [
  ...['null', 'true', '0', '-1', '3.14', '1e9', '""', `"${value}"`, '[]', '[{}]', '{}', '{"":""}'],
  ...[`[${good}]`, `[[${good}]]`, `["${name}","${value}"]`, `{"data":${good}}`],
  ...[name.toLowerCase(), name.toUpperCase(), `${name} `, ` ${name}`, `${name}\\u0000`, `${name}s`]
    .filter((other) => other !== name)
    .map((other) => `{"${other}":"${value}"}`),
  utf8(`{"${name.replace('a', 'а').replace('e', 'е')}":"${value}"}`),
  ...['__proto__', 'constructor', 'prototype'].map((other) => `{"${other}":${good}}`),
  ...['null', 'true', '0', '1.5', '1e400', '12345678901234567890', '[]', '{}', '""', '[null]'].map(
    (other) => `{"a":1,"${name}":${other} }`,
  ),
  ...[`["${value}"]`, `{"0":"${value}"}`, `{"value":"${value}"}`, good, '{"length":1}'].map(
    (other) => `{"${name}":${other}}`,
  ),
];

/** A reader on the way could take the first of two, another the last. */
function saidTwice({ name, value }: Parts): string[] {
  const escaped = (letters: string) =>
    [...letters].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
  const spellings = [
    name,
    escaped(name),
    escaped(name).toUpperCase().replaceAll('\\U', '\\u'),
    ...[...name].map((letter, at) => name.slice(0, at) + escaped(letter) + name.slice(at + 1)),
  ];
  return spellings.flatMap((spelling) =>
    [`"${value}"`, '"x"', 'null', '""', '{}'].flatMap((other) => [
      `{"${spelling}":${other},"${name}":"${value}"}`,
      `{"${name}":"${value}", "b":[1,{"c":2}], "${spelling}" : ${other}}`,
    ]),
  );
}

/** Values that add so many levels. */
const nested = (levels: number): string[] => [
  '['.repeat(levels) + ']'.repeat(levels),
  `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`,
  `${'[{"a":'.repeat(levels / 2)}${levels % 2 ? '[]' : '1'}${'}]'.repeat(levels / 2)}`,
];
const nesting = ({ name, value }: Parts, levels: readonly number[]): string[] =>
  levels
    .flatMap(nested)
    .flatMap((deep) => [
      `{"${name}":"${value}","x":${deep}}`,
      `{"x":${deep},"${name}":"${value}"}`,
    ]);

/** Sequences that are no UTF-8 (Unicode, table 3-7): overlong, surrogates, beyond U+10FFFF, cut short, alone. */
const NO_UTF8 = [
  ...['\xc0\x80', '\xc0\xaf', '\xc1\xbf', '\xe0\x80\x80', '\xe0\x9f\xbf', '\xf0\x80\x80\x80'],
  ...['\xf0\x8f\xbf\xbf', '\xed\xa0\x80', '\xed\xbf\xbf', '\xed\xa0\x80\xed\xb0\x80'],
  ...['\xf4\x90\x80\x80', '\xf5\x80\x80\x80', '\xf8\x88\x80\x80\x80', '\xfc\x84\x80\x80\x80\x80'],
  ...['\xc3', '\xe2\x82', '\xf0\x9f\x98', '\xc3(', '\xe2(\xa1', '\xe2\x82(', '\xf0(\x8c\xbc'],
  ...['\x80', '\xbf', '\xa0', '\xe9', '\xc3\xa9\xa9', '\xe2\x82\xac\x80', '\xfe\xff', '\xff'],
];
const noUtf8 = ({ name, value, good }: Parts): string[] => [
  ...NO_UTF8.map((text) => `{"${name}":"${value}","a":"${text}"}`),
  ...['\xc0\xaf', '\xed\xa0\x80', '\xc3', '\xff'].flatMap((text) => [
    `{"${name}":"${value}${text}"}`,
    `{"${text}":1,"${name}":"${value}"}`,
    text + good,
    good + text,
  ]),
];

/** The same text in another encoding, or with a mark of one. */
function otherEncodings({ name, value, good }: Parts): string[] {
  const little = Buffer.from(good, 'utf16le').toString('latin1');
  const big = Buffer.from(good, 'utf16le').swap16().toString('latin1');
  const mark = '\xef\xbb\xbf';
  return [
    ...[little, big, `\xff\xfe${little}`, `\xfe\xff${big}`, [...good].join('\0\0\0')],
    ...[mark + good, mark + mark + good, ` ${mark}${good}`, good + mark, mark],
    ...[`+AHs-"${name}":"${value}"+AH0-`, `{"${name}":"${value}","a":"\xfcber"}`],
    ...[gzipSync(good).toString('latin1'), `\x81\xaa${name}\xd9\x3a${value}`],
    ...['\xff\xd8\xff\xe0\x00\x10JFIF\x00', '\x89PNG\r\n\x1a\n', '\x16\x03\x01', '%PDF-1.7'],
  ];
}

/** Odd, but an object in UTF-8 with one such member. */
const usable = ({ name, value }: Parts): string[] => [
  `{"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":"${value}"}`,
  `{"${name}":"${[...value].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')}"}`,
  `{"${name}":"${value}","a":{"${name}":"x"}}`,
  `{"${name}":"${value}","a":"${name}","b":["${name}"]}`,
  `{"":"x","a":1,"a":2,"__proto__":{"a":1},"${name}":"${value}"}`,
  `{"a":"[[[[[[[[[[{{{{","${name}":"${value}"}`,
  `{"a":"\\"${name}\\":\\"x\\"","b":"\\/","${name}":"${value}"}`,
  `{"a":"\\ud800","b":1e999,"c":"\x7f","${name}":"${value}"}`,
  `\n\t { "${name}" : "${value}" } \r\n`,
  ...['é', '€', '汉字', '😀', '\u00ad', '\u202e', '\ufeff', '\uffff', '\u{10ffff}', '\u2028'].map(
    (text) => utf8(`{"${name}":"${value}","a":"${text}"}`),
  ),
];

/** A good body that is made longer. */
const longer = ({ good }: Parts, length: number): string[] => [
  good + ' '.repeat(length - good.length),
  '\n'.repeat(length - good.length) + good,
  `${good.slice(0, -1)},"a":"${'x'.repeat(length - good.length - 7)}"}`,
];

function chunked(body: string, to: 'validate' | 'consume'): string {
  const chunks = (body.match(/.{1,1000}/gs) ?? []).map(
    (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`,
  );
  const head = [`POST /scan/${to} HTTP/1.1`, 'Host: gate', API_KEY, JSON_TYPE];
  return `${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`;
}

const LENGTH_MAX = 8192;
const TOO_LONG = [LENGTH_MAX + 1, 16_385, 65_536, 1_000_000];

function damage(parts: Parts): string[] {
  return [
    ...noJson(parts),
    ...noCode(parts),
    ...saidTwice(parts),
    ...nesting(parts, [8, 9, 16, 64, 1000]),
    ...noUtf8(parts),
    ...otherEncodings(parts),
    ...['['.repeat(8000), '{'.repeat(4000), '"'.repeat(4001), 'x'.repeat(8000)],
  ];
}

const fitting = (parts: Parts): string[] => [
  ...usable(parts),
  ...nesting(parts, [1, 2, 6, 7]),
  ...[LENGTH_MAX - 1, LENGTH_MAX].flatMap((length) => longer(parts, length)),
];

/** Every kind of damage at every kind of endpoint; a heartbeat is answered whatever it says, up to 8 KiB. */
export function bodies(): Row[] {
  const rows = (to: Parameters<typeof send>[0], expect: string, all: readonly string[]): Row[] =>
    all.map((body) => ({ says: `${to}: ${named(body)}`, bytes: send(to, body), expect }));
  const tooLong = (parts: Parts) => TOO_LONG.flatMap((length) => longer(parts, length));
  return [
    ...rows('consume', 'missing_ticket_code', [...damage(SOFTWARE), ...tooLong(SOFTWARE)]),
    ...rows('hw-consume', 'hw_unreadable', [...damage(CONTROLLER), ...tooLong(CONTROLLER)]),
    ...rows('heartbeat', 'alive', damage(CONTROLLER)),
    ...rows('heartbeat', 'hw_unreadable', tooLong(CONTROLLER)),
    ...rows('validate', 'validated', [...fitting(SOFTWARE), json({ ticketCode: CODES.freshTs2 })]),
    ...rows('hw-validate', 'hw_granted', fitting(CONTROLLER)),
    ...[LENGTH_MAX, ...TOO_LONG].flatMap((length) =>
      longer(SOFTWARE, length).map((body): Row => {
        const [to, expect] =
          length > LENGTH_MAX
            ? (['consume', 'missing_ticket_code'] as const)
            : (['validate', 'validated'] as const);
        return { says: `${length} bytes in chunks`, bytes: chunked(body, to), expect };
      }),
    ),
  ];
}
