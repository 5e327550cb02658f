import { gzipSync } from 'node:zlib';
import { type Case, utf8 } from './case.ts';
import { CODES } from './world.ts';

const CODE = CODES.fresh;
const GOOD = `{"ticketCode":"${CODE}"}`;
const hex = (byte: number) => byte.toString(16).padStart(2, '0');

/** Sequences that are no UTF-8 (Unicode, table 3-7). */
const BROKEN: readonly string[] = [
  '\xc0\x80',
  '\xc0\xaf',
  '\xc1\xbf',
  '\xe0\x80\x80',
  '\xe0\x9f\xbf',
  '\xf0\x80\x80\x80',
  '\xf0\x8f\xbf\xbf', // overlong
  '\xed\xa0\x80',
  '\xed\xaf\xbf',
  '\xed\xb0\x80',
  '\xed\xbf\xbf',
  '\xed\xa0\x80\xed\xb0\x80', // surrogates
  '\xf4\x90\x80\x80',
  '\xf5\x80\x80\x80',
  '\xf7\xbf\xbf\xbf',
  '\xf8\x88\x80\x80\x80',
  '\xfc\x84\x80\x80\x80\x80', // beyond U+10FFFF
  '\xc3',
  '\xe2\x82',
  '\xf0\x9f\x98',
  '\xc3(',
  '\xe2(\xa1',
  '\xe2\x82(',
  '\xf0(\x8c\xbc',
  '\xf0\x90(\xbc',
  '\xf0\x90\x8c(', // cut short
  '\x80\x80',
  '\xbf\xbf',
  '\xc3\xa9\xa9',
  '\xe2\x82\xac\x80',
  '\xfe\xff',
  '\xff\xfe',
  '\xff\xff\xff\xff',
];

/** Texts that are UTF-8 and stand beside the code. */
const WELL_FORMED = [
  'é',
  'ß',
  '€',
  '汉字',
  '😀',
  '\u00ad',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\uffff',
  '\u{10ffff}',
  '\u0085',
  '\u2028',
  'e\u0301',
  '\ufdd0',
];

export function brokenBytes(): Case[] {
  const missing = (says: string, bytes: string): Case => ({
    says,
    to: 'consume',
    bytes,
    expect: 'missing_ticket_code',
  });
  const lone = Array.from({ length: 128 }, (_, index) => String.fromCharCode(128 + index));
  const name = (text: string) => [...text].map((one) => hex(one.charCodeAt(0))).join(' ');
  return [
    ...[...lone, ...BROKEN].map((text) =>
      missing(`bytes ${name(text)} beside the code`, `{"ticketCode":"${CODE}","a":"${text}"}`),
    ),
    ...BROKEN.map((text) =>
      missing(`bytes ${name(text)} in the code`, `{"ticketCode":"${CODE}${text}"}`),
    ),
    ...BROKEN.map((text) => missing(`bytes ${name(text)} in front`, text + GOOD)),
    ...BROKEN.map((text) => missing(`bytes ${name(text)} behind`, GOOD + text)),
    ...BROKEN.map((text) =>
      missing(`bytes ${name(text)} in a name`, `{"${text}":1,"ticketCode":"${CODE}"}`),
    ),
    ...WELL_FORMED.map(
      (text): Case => ({
        says: `${JSON.stringify(text)} beside the code`,
        to: 'validate',
        bytes: utf8(`{"ticketCode":"${CODE}","a":"${text}"}`),
        expect: 'validated',
      }),
    ),
    ...otherEncodings().map(([says, bytes]) => missing(says, bytes)),
  ];
}

function otherEncodings(): [string, string][] {
  const little = Buffer.from(GOOD, 'utf16le');
  const big = Buffer.from(little).swap16();
  const four = Buffer.concat(
    Array.from(GOOD, (letter) => Buffer.from([letter.charCodeAt(0), 0, 0, 0])),
  );
  const packed = gzipSync(GOOD);
  // The byte that names the operating system: it differs between machines.
  packed[9] = 3;
  return [
    ['UTF-16LE', little.toString('latin1')],
    ['UTF-16BE', big.toString('latin1')],
    ['UTF-16LE with its mark', `\xff\xfe${little.toString('latin1')}`],
    ['UTF-16BE with its mark', `\xfe\xff${big.toString('latin1')}`],
    ['UTF-32LE', four.toString('latin1')],
    ['UTF-7', `+AHs-"ticketCode":"${CODE}"+AH0-`],
    ['a byte-order mark', `\xef\xbb\xbf${GOOD}`],
    ['two byte-order marks', `\xef\xbb\xbf\xef\xbb\xbf${GOOD}`],
    ['a byte-order mark behind a space', ` \xef\xbb\xbf${GOOD}`],
    ['a byte-order mark behind', `${GOOD}\xef\xbb\xbf`],
    ['a byte-order mark alone', '\xef\xbb\xbf'],
    ['gzip', packed.toString('latin1')],
    ['EBCDIC', '\xc0\x7f\xa3\x89\x83\x92\x85\xa3\xc3\x96\x84\x85\x7f\x7a'],
    ['Latin-1', `{"ticketCode":"${CODE}","a":"\xfcber"}`],
    ['MessagePack', `\x81\xaaticketCode\xd9\x3a${CODE}`],
    ['CBOR', `\xa1\x6aticketCode\x78\x3a${CODE}`],
    ['a NUL in front', `\0${GOOD}`],
    ['a NUL behind', `${GOOD}\0`],
    ['a vertical tab', `\x0b${GOOD}`],
    ['a no-break space', `\xc2\xa0${GOOD}`],
    ['a line separator', `\xe2\x80\xa8${GOOD}`],
    ['a JPEG', '\xff\xd8\xff\xe0\x00\x10JFIF\x00'],
    ['a PNG', '\x89PNG\r\n\x1a\n'],
  ];
}
