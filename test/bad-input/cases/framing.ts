import { type Case, type Expected, named } from './case.ts';
import { CODES } from './world.ts';

const GOOD = `{"ticketCode":"${CODES.fresh}"}`;
const LENGTH = `Content-Length: ${GOOD.length}`;
const HEADERS = ['Host: gate', 'x-api-key: ‹api›', 'Content-Type: application/json'];
const byteName = (byte: number) => `0x${byte.toString(16).padStart(2, '0')}`;

/** RFC 9110, 5.6.2: what the name of a header may be made of. */
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]/;

/** A consume: whatever goes wrong with it, no use may be taken. */
function consume(
  lines: readonly string[],
  body = GOOD,
  first = 'POST /scan/consume HTTP/1.1',
): string {
  return `${[first, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

const refused = (
  says: string,
  bytes: string,
  expect: Expected | Expected[] = 'http_refused',
): Case => ({ says, bytes, expect });

export function framing(): Case[] {
  return [
    ...names(),
    ...values(),
    ...firstLines(),
    ...hosts(),
    ...lengths(),
    ...chunks(),
    ...both(),
    ...oversized(),
    ...fromDevices(),
    ...noHttp(),
  ];
}

/** What is no HTTP on a device's path is told in a form that devices read. */
function fromDevices(): Case[] {
  const first = 'POST /scan/hw/consume?key=‹hw› HTTP/1.1';
  const card = `{"Card":"${btoa(CODES.fresh)}"}`;
  const chunked = 'Transfer-Encoding: chunked';
  const send = (lines: readonly string[]) => consume(lines, card, first);
  const broken = (says: string, lines: readonly string[], body = card): Case =>
    refused(`device: ${says}`, consume(lines, body, first), 'hw_unreadable');
  return [
    ...[17_000, 40_000].map((length) =>
      refused(
        `device: a header of ${length} bytes`,
        send(['Host: gate', `X-A: ${'x'.repeat(length)}`]),
        ['hw_too_large', 'http_refused'],
      ),
    ),
    broken('two lengths', ['Host: gate', 'Content-Length: 1', 'Content-Length: 2']),
    broken('a length and chunks', ['Host: gate', 'Content-Length: 1', chunked]),
    broken('no host', [`Content-Length: ${card.length}`]),
    broken('a chunk size that is none', ['Host: gate', chunked], `zz\r\n${card}\r\n0\r\n\r\n`),
    broken(
      'a chunk shorter than its content',
      ['Host: gate', chunked],
      `2\r\n${card}\r\n0\r\n\r\n`,
    ),
    broken('a broken trailer', ['Host: gate', chunked], '2\r\n{}\r\n0\r\nx y\r\n\r\n'),
  ];
}

function names(): Case[] {
  return Array.from({ length: 256 }, (_, byte): Case => {
    const character = String.fromCharCode(byte);
    const isName = TOKEN.test(character);
    const says = `${byteName(byte)} in the name of a header`;
    // A colon ends the name: what follows is the value.
    const fine = isName || character === ':';
    const first = fine ? 'POST /scan/validate HTTP/1.1' : 'POST /scan/consume HTTP/1.1';
    return {
      says,
      bytes: consume([...HEADERS, `X-A${character}B: 1`, LENGTH], GOOD, first),
      expect: fine ? 'validated' : 'http_refused',
    };
  }).concat(
    refused(
      'a space before the colon',
      consume(['Host: gate', 'x-api-key : ‹api›', 'Content-Type: application/json', LENGTH]),
    ),
    refused(
      'a space before the colon of the length',
      consume([...HEADERS, `Content-Length : ${GOOD.length}`]),
    ),
    refused('a header without a name', consume([...HEADERS, ': x', LENGTH])),
    refused('a header without a colon', consume([...HEADERS, 'x', LENGTH])),
    refused(
      'a space before the first header',
      consume([` ${HEADERS[0]}`, ...HEADERS.slice(1), LENGTH]),
    ),
  );
}

/** NUL, CR and LF end or break a value; they are never part of one (RFC 9110, 5.5). */
function values(): Case[] {
  const inValue = (character: string) => consume([...HEADERS, `X-A: a${character}b`, LENGTH]);
  return [
    refused('NUL in the value of a header', inValue('\0')),
    refused('CR in the value of a header', inValue('\r')),
    refused('LF and a broken line in a header', inValue('\n')),
    refused('NUL in the key', consume(['Host: gate', 'x-api-key: ‹api›\0', LENGTH])),
    refused('CR in the key', consume(['Host: gate', 'x-api-key: ‹api›\rx', LENGTH])),
    refused(
      'a key that goes on in the next line',
      consume(['Host: gate', 'x-api-key: ‹api›\r\n x', 'Content-Type: application/json', LENGTH]),
      ['http_refused', 'forbidden'],
    ),
    ...['\x80', '\xff', '\xe9', '\t', ' ', '\xc3\xa9', '"', '\\', ';', ','].map(
      (text): Case => ({
        says: `${named(text)} in the value of a header`,
        bytes: consume(
          [...HEADERS, `X-A: a${text}b`, LENGTH],
          GOOD,
          'POST /scan/validate HTTP/1.1',
        ),
        expect: 'validated',
      }),
    ),
  ];
}

function firstLines(): Case[] {
  const lines = [
    'POST',
    'POST  HTTP/1.1',
    ' POST /scan/consume HTTP/1.1',
    'POST\t/scan/consume\tHTTP/1.1',
    'POST /scan/consume HTTP/1.1 x',
    'POST /scan/consume x HTTP/1.1',
    'POST /scan/ consume HTTP/1.1',
    '/scan/consume HTTP/1.1',
    'HTTP/1.1 200 OK',
    'POST scan/consume HTTP/1.1',
    'POST ?key=x HTTP/1.1',
    'POST #x HTTP/1.1',
    'POST /scan/consume HTTP/1',
    'POST /scan/consume HTTP/',
    'POST /scan/consume HTTP',
    'POST /scan/consume HTTPS/1.1',
    'POST /scan/consume http/1.1',
    'POST /scan/consume Http/1.1',
    'POST /scan/consume HTTP/1.1.1',
    'POST /scan/consume HTTP/11',
    'POST /scan/consume HTTP/1.2',
    'POST /scan/consume HTTP/1.9',
    'POST /scan/consume HTTP/2',
    'POST /scan/consume HTTP/3.0',
    'POST /scan/consume HTTP/0.0',
    'POST /scan/consume HTTP/9.9',
    'POST /scan/consume HTTP/-1.1',
    'POST /scan/consume HTTP/1,1',
    'POST /scan/consume HTTP/1. 1',
    'POST /scan/consume HTTP/a.b',
    'POST /scan/consume HTTP/1.1\0',
    'POST /scan/consume\0 HTTP/1.1',
    'POST\0 /scan/consume HTTP/1.1',
    'POST /scan/consume SIP/2.0',
    'PRI * HTTP/2.0',
    'POST * HTTP/1.1',
  ];
  const methodBytes = Array.from({ length: 128 }, (_, byte) => String.fromCharCode(byte)).filter(
    (character) => !'\r\n'.includes(character),
  );
  return [
    // Some readers take a line without a version for HTTP/0.9.
    refused(
      'first line without a version',
      consume([...HEADERS, LENGTH], GOOD, 'POST /scan/validate'),
      ['http_refused', 'validated'],
    ),
    refused(
      'another protocol that looks like HTTP',
      consume([...HEADERS, LENGTH], GOOD, 'POST /scan/validate RTSP/1.0'),
      ['http_refused', 'validated'],
    ),
    refused(
      'HTTP/0.9 with headers',
      consume([...HEADERS, LENGTH], GOOD, 'POST /scan/validate HTTP/0.9'),
      ['http_refused', 'validated'],
    ),
    refused(
      'HTTP/2.0 said in the manner of HTTP/1',
      consume([...HEADERS, LENGTH], GOOD, 'POST /scan/validate HTTP/2.0'),
      ['http_refused', 'validated'],
    ),
    ...lines.map((line) =>
      refused(
        `first line ${named(line)}`,
        consume([...HEADERS, LENGTH], GOOD, line),
        line.startsWith('POST * ')
          ? ['http_refused', 'not_found_page']
          : ['http_refused', 'closed'],
      ),
    ),
    ...[
      ['CONNECT gate:80 HTTP/1.1', 'not_found_page'],
      ['CONNECT /scan/consume HTTP/1.1', 'method_not_allowed'],
    ].map(([line = '', expect = '']) => ({
      says: `first line ${named(line)}`,
      bytes: consume([...HEADERS, LENGTH], GOOD, line),
      expect,
    })),
    ...methodBytes.map((character) =>
      refused(
        `${byteName(character.charCodeAt(0))} in the method`,
        consume([...HEADERS, LENGTH], GOOD, `PO${character}ST /scan/consume HTTP/1.1`),
      ),
    ),
    ...methodBytes
      .filter((character) => character <= ' ' || character === '\x7f')
      .map((character) =>
        refused(
          `${byteName(character.charCodeAt(0))} in the path`,
          consume([...HEADERS, LENGTH], GOOD, `POST /scan/con${character}sume HTTP/1.1`),
        ),
      ),
  ];
}

function hosts(): Case[] {
  const rest = [...HEADERS.slice(1), LENGTH];
  return [
    refused('no host', consume(rest)),
    {
      says: 'HTTP/1.0 needs no host',
      bytes: consume(rest, GOOD, 'POST /scan/validate HTTP/1.0'),
      expect: 'validated',
    },
    ...[
      '',
      'x',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'gate:8080',
      'evil.example',
      'a.b.c.d.e',
      'GATE',
      'xn--bcher-kva.example',
    ].map(
      (host): Case => ({
        says: `host ${named(host)}`,
        bytes: consume([`Host: ${host}`, ...rest], GOOD, 'POST /scan/validate HTTP/1.1'),
        expect: 'validated',
      }),
    ),
  ];
}

function lengths(): Case[] {
  const n = GOOD.length;
  const broken = [
    '-1',
    `-${n}`,
    `+${n}`,
    `0x${n.toString(16)}`,
    `${n}.0`,
    `${n}.5`,
    `${n}e0`,
    `${n} ${n}`,
    `${n},${n}`,
    `${n}, ${n}`,
    `${n},0`,
    `${n};`,
    `${n}x`,
    `x${n}`,
    'abc',
    '1e2',
    '"5"',
    'NaN',
    'Infinity',
    '99999999999999999999',
    '18446744073709551616',
    '340282366920938463463374607431768211456',
    `${n}\t${n}`,
    '\xb2',
    '--1',
    '1_0',
    '0b1',
    '०',
  ].map((length) => Buffer.from(length).toString('latin1'));
  return [
    ...broken.map((length) =>
      refused(
        `Content-Length ${named(length)}`,
        consume([...HEADERS, `Content-Length: ${length}`]),
      ),
    ),
    refused('two lengths', consume([...HEADERS, LENGTH, 'Content-Length: 0'])),
    refused('two equal lengths', consume([...HEADERS, LENGTH, LENGTH])),
    refused(
      'two lengths, the second longer',
      consume([...HEADERS, LENGTH, `Content-Length: ${n + 1}`]),
    ),
    refused('no length: the body is another request', consume(HEADERS), 'missing_ticket_code'),
    refused(
      'length 0 and a body behind it',
      consume([...HEADERS, 'Content-Length: 0']),
      'missing_ticket_code',
    ),
    ...[1, 2, 10, n - 1].map((length) =>
      refused(
        `length ${length}, shorter than the body`,
        consume([...HEADERS, `Content-Length: ${length}`]),
        'missing_ticket_code',
      ),
    ),
    {
      says: 'leading zeros',
      bytes: consume([...HEADERS, `Content-Length: 000${n}`], GOOD, 'POST /scan/validate HTTP/1.1'),
      expect: 'validated',
    },
  ];
}

function chunks(): Case[] {
  const size = GOOD.length.toString(16);
  const chunked = [...HEADERS, 'Transfer-Encoding: chunked'];
  const whole = `${size}\r\n${GOOD}\r\n0\r\n\r\n`;
  const sizes = [
    'g',
    'zz',
    '0x4f',
    `-${size}`,
    `+${size}`,
    `${size} ${size}`,
    `${size}.0`,
    `${size}h`,
    ` `,
    '',
    '\xff',
    'ffffffffffffffffff',
    'fffffffffffffffffffffffffffffffff',
    `${size}\0`,
    '"5"',
    `${size},`,
    `\t\t`,
    `${size}\x0b`,
  ];
  const fine = {
    [`${size};x=y`]: 'an extension',
    [`${size};x`]: 'an extension without a value',
    [`000${size}`]: 'leading zeros',
    [size.toUpperCase()]: 'capital digits',
    [`${size};x="a;b"`]: 'a quoted extension',
  };
  const encodings = [
    'xchunked',
    'chunkedx',
    'identity',
    'gzip',
    'deflate',
    'chunked, identity',
    'chunked, gzip',
    'chunked;q=1',
    'chunked x',
    '"chunked"',
    "'chunked'",
    'chunked\x0b',
    '\x0bchunked',
    'chun ked',
    'chunked\0',
    '',
    ',',
    'cow',
    'chunked,chunked x',
    'none',
    '\xa0chunked',
  ];
  return [
    ...sizes.map((one) =>
      refused(`chunk size ${named(one)}`, consume(chunked, `${one}\r\n${GOOD}\r\n0\r\n\r\n`)),
    ),
    ...sizes.map((one) =>
      refused(
        `chunk size ${named(one)}, second`,
        consume(chunked, `1\r\n{\r\n${one}\r\n${GOOD.slice(1)}\r\n0\r\n\r\n`),
      ),
    ),
    ...Object.entries(fine).map(
      ([one, says]): Case => ({
        says: `a chunk size with ${says}`,
        bytes: consume(chunked, `${one}\r\n${GOOD}\r\n0\r\n\r\n`, 'POST /scan/validate HTTP/1.1'),
        expect: 'validated',
      }),
    ),
    refused('no line end behind a chunk', consume(chunked, `${size}\r\n${GOOD}0\r\n\r\n`)),
    refused('another byte behind a chunk', consume(chunked, `${size}\r\n${GOOD}x\r\n0\r\n\r\n`)),
    refused('a chunk shorter than its content', consume(chunked, `2\r\n${GOOD}\r\n0\r\n\r\n`)),
    refused('no size line', consume(chunked, GOOD)),
    refused('LF in an extension', consume(chunked, `${size};x\ny\r\n${GOOD}\r\n0\r\n\r\n`)),
    refused('CR alone behind the size', consume(chunked, `${size}\r${GOOD}\r\n0\r\n\r\n`)),
    refused('a broken trailer', consume(chunked, `${size}\r\n${GOOD}\r\n0\r\nx y\r\n\r\n`)),
    refused(
      'the key in the trailer',
      consume(
        [
          'Host: gate',
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
          'Trailer: x-api-key',
        ],
        `${size}\r\n${GOOD}\r\n0\r\nx-api-key: ‹api›\r\n\r\n`,
      ),
      'forbidden',
    ),
    refused(
      'the content type in the trailer',
      consume(
        ['Host: gate', 'x-api-key: ‹api›', 'Transfer-Encoding: chunked'],
        `${size}\r\n${GOOD}\r\n0\r\nContent-Type: application/json\r\n\r\n`,
      ),
      'missing_ticket_code',
    ),
    {
      says: 'a trailer',
      bytes: consume(
        chunked,
        `${size}\r\n${GOOD}\r\n0\r\nX-Sum: 1\r\n\r\n`,
        'POST /scan/validate HTTP/1.1',
      ),
      expect: 'validated',
    },
    {
      says: 'chunks of one byte',
      bytes: consume(
        chunked,
        `${[...GOOD].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`,
        'POST /scan/validate HTTP/1.1',
      ),
      expect: 'validated',
    },
    {
      says: 'an empty chunked body',
      bytes: consume(chunked, '0\r\n\r\n'),
      expect: 'missing_ticket_code',
    },
    ...encodings.map((encoding) =>
      refused(
        `Transfer-Encoding ${named(encoding)}`,
        consume([...HEADERS, `Transfer-Encoding: ${encoding}`], whole),
        ['http_refused', 'missing_ticket_code'],
      ),
    ),
    ...encodings.map((encoding) =>
      refused(
        `Transfer-Encoding ${named(encoding)} and a length`,
        consume(
          [...HEADERS, `Transfer-Encoding: ${encoding}`, `Content-Length: ${whole.length}`],
          whole,
        ),
        ['http_refused', 'missing_ticket_code'],
      ),
    ),
    refused('chunked in HTTP/1.0', consume(chunked, whole, 'POST /scan/validate HTTP/1.0'), [
      'http_refused',
      'missing_ticket_code',
      'validated',
    ]),
  ];
}

/** Two ways to say where the body ends: what one reader takes for the body is the next request to another. */
function both(): Case[] {
  const hidden = `POST /scan/consume HTTP/1.1\r\nHost: gate\r\nx-api-key: ‹api›\r\nContent-Type: application/json\r\n${LENGTH}\r\n\r\n${GOOD}`;
  const encodings = ['chunked', 'Chunked', 'CHUNKED', ' chunked', 'chunked ', '\tchunked'];
  return encodings.flatMap((encoding) =>
    [4, 5, 6, GOOD.length, hidden.length, hidden.length + 5].flatMap((length) => [
      refused(
        `length ${length} before ${named(encoding)}`,
        consume(
          [...HEADERS, `Content-Length: ${length}`, `Transfer-Encoding: ${encoding}`],
          `0\r\n\r\n${hidden}`,
        ),
      ),
      refused(
        `length ${length} behind ${named(encoding)}`,
        consume(
          [...HEADERS, `Transfer-Encoding: ${encoding}`, `Content-Length: ${length}`],
          `0\r\n\r\n${hidden}`,
        ),
      ),
    ]),
  );
}

function oversized(): Case[] {
  return [
    ...[17_000, 20_000, 70_000].flatMap((length) => [
      refused(
        `a header of ${length} bytes`,
        consume([...HEADERS, `X-A: ${'x'.repeat(length)}`, LENGTH]),
        ['http_too_large', 'http_refused'],
      ),
      refused(
        `a name of ${length} bytes`,
        consume([...HEADERS, `${'x'.repeat(length)}: 1`, LENGTH]),
        ['http_too_large', 'http_refused'],
      ),
      refused(
        `a path of ${length} bytes`,
        consume([...HEADERS, LENGTH], GOOD, `POST /${'x'.repeat(length)} HTTP/1.1`),
        ['http_too_large', 'http_refused'],
      ),
      refused(
        `a query of ${length} bytes`,
        consume([...HEADERS, LENGTH], GOOD, `POST /scan/consume?${'x'.repeat(length)} HTTP/1.1`),
        ['http_too_large', 'http_refused'],
      ),
      refused(
        `a key of ${length} bytes`,
        consume(['Host: gate', `x-api-key: ${'x'.repeat(length)}`, LENGTH]),
        ['http_too_large', 'http_refused'],
      ),
    ]),
    refused(
      '2000 headers',
      consume([...HEADERS, ...Array.from({ length: 2000 }, () => 'X-Abcdefgh: 1'), LENGTH]),
      ['http_too_large', 'http_refused'],
    ),
    {
      says: '90 headers',
      bytes: consume(
        [...HEADERS, ...Array.from({ length: 90 }, (_, index) => `X-A${index}: 1`), LENGTH],
        GOOD,
        'POST /scan/validate HTTP/1.1',
      ),
      expect: 'validated',
    },
  ];
}

function noHttp(): Case[] {
  const greetings = [
    'hello\r\n\r\n',
    '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'SSH-2.0-OpenSSH_9\r\n',
    'EHLO x\r\n',
    'USER anonymous\r\n',
    '{"ticketCode":"x"}\r\n\r\n',
    '\x00\x00\x00\x2a',
    '\x04\x01\x00\x50\x7f\x00\x00\x01\x00',
    '\x05\x01\x00',
    '*1\r\n$4\r\nPING\r\n',
    'GET\r\n\r\n',
    '<policy-file-request/>\0',
    'HELP\r\n',
    'stats\r\n',
    '\xff\xf4\xff\xfd\x06',
    'POST\r\n\r\n',
    'x'.repeat(200),
    '\0'.repeat(200),
    '\x80\x2e\x01\x03\x01',
  ];
  return [
    ...greetings.map((bytes) => refused(`no HTTP: ${named(bytes)}`, bytes)),
    {
      says: 'empty lines before the request',
      bytes: `\r\n\r\n${consume([...HEADERS, LENGTH], GOOD, 'POST /scan/validate HTTP/1.1')}`,
      expect: 'validated',
    },
  ];
}
