import { KEYS } from '../../support/fixed-world.ts';
import { HOSTS } from '../support/hosts.ts';
import { API_KEY, CARD, GOOD, JSON_TYPE, named, type Row } from './row.ts';

const LENGTH = `Content-Length: ${GOOD.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const HEADERS = ['Host: gate', API_KEY, JSON_TYPE];
const CONSUME = 'POST /scan/consume HTTP/1.1';
const VALIDATE = 'POST /scan/validate HTTP/1.1';
const REFUSED = 'http_refused';

type Refusal = string | readonly string[];

/** A request of software, good but for what is put into it. A broken one would take a use: none may be taken. */
const row = (
  says: string,
  expect: Refusal,
  lines: readonly string[],
  { body = GOOD, first = expect === 'validated' ? VALIDATE : CONSUME } = {},
): Row => ({ says, expect, bytes: `${[first, ...lines].join('\r\n')}\r\n\r\n${body}` });

/** RFC 9110, 5.6.2: what the name of a header may be made of. A colon ends it: what follows is the value. */
const IN_NAMES = /[!#$%&'*+.^_`|~0-9A-Za-z:-]/;

function headerLines(): Row[] {
  const added = (says: string, expect: Refusal, ...lines: string[]) =>
    row(`${says} in ${named(lines.join())}`, expect, [...HEADERS, ...lines, LENGTH]);
  return [
    ...Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).map((letter) =>
      added('a byte', IN_NAMES.test(letter) ? 'validated' : REFUSED, `X-A${letter}B: 1`),
    ),
    // NUL, CR and LF end or break a value; they are never part of one (RFC 9110, 5.5).
    ...['\0', '\r', '\n'].map((letter) => added('a byte', REFUSED, `X-A: a${letter}b`)),
    ...['\x80', '\xff', '\t', ' ', '\xc3\xa9', '"', '\\', ';', ','].map((letter) =>
      added('a byte', 'validated', `X-A: a${letter}b`),
    ),
    added('no name', REFUSED, ': x'),
    added('no colon', REFUSED, 'x'),
    added('90 headers', 'validated', ...Array.from({ length: 90 }, (_, at) => `X-A${at}: 1`)),
    row('a space before a colon', REFUSED, [
      ...['Host: gate', API_KEY.replace(':', ' :'), JSON_TYPE, LENGTH],
    ]),
    row('a space before the colon of the length', REFUSED, [...HEADERS, LENGTH.replace(':', ' :')]),
    row('a space before the first header', REFUSED, [' Host: gate', API_KEY, JSON_TYPE, LENGTH]),
    row('NUL in the key', REFUSED, ['Host: gate', `${API_KEY}\0`, JSON_TYPE, LENGTH]),
    row('CR in the key', REFUSED, ['Host: gate', `${API_KEY}\rx`, JSON_TYPE, LENGTH]),
    row(
      'a key that goes on in the next line',
      [REFUSED, 'forbidden'],
      ['Host: gate', `${API_KEY}\r\n x`, JSON_TYPE, LENGTH],
    ),
  ];
}

const NO_VERSIONS = [
  ...['HTTP/1', 'HTTP/', 'HTTP', 'HTTPS/1.1', 'http/1.1', 'Http/1.1', 'HTTP/1.1.1', 'HTTP/11'],
  ...['HTTP/1.2', 'HTTP/2', 'HTTP/3.0', 'HTTP/0.0', 'HTTP/-1.1', 'HTTP/1,1', 'HTTP/1. 1'],
  ...['HTTP/a.b', 'HTTP/1.1\0', 'HTTP/1.1 x', 'SIP/2.0'],
];
const NO_TARGETS = ['?key=x', '#x', 'scan/consume', '/scan/ consume', '/scan/consume x'];
const NO_FIRST_LINES = [
  ...['POST', 'POST  HTTP/1.1', ` ${CONSUME}`, 'POST\t/scan/consume\tHTTP/1.1', 'PRI * HTTP/2.0'],
  ...['/scan/consume HTTP/1.1', 'HTTP/1.1 200 OK', 'POST /scan/consume\0 HTTP/1.1'],
  ...NO_VERSIONS.map((version) => `POST /scan/consume ${version}`),
  ...NO_TARGETS.map((target) => `POST ${target} HTTP/1.1`),
];

function firstLines(): Row[] {
  const line = (first: string, expect: Refusal) =>
    row(`first line ${named(first)}`, expect, [...HEADERS, LENGTH], { first });
  const ascii = Array.from({ length: 128 }, (_, byte) => String.fromCharCode(byte));
  return [
    ...NO_FIRST_LINES.map((first) => line(first, [REFUSED, 'closed'])),
    line('POST * HTTP/1.1', [REFUSED, 'not_found_page']),
    line('CONNECT gate:80 HTTP/1.1', 'not_found_page'),
    line('CONNECT /scan/consume HTTP/1.1', 'method_not_allowed'),
    // Some readers take these for requests; what they ask for is answered then.
    ...['', ' RTSP/1.0', ' HTTP/0.9', ' HTTP/2.0'].map((version) =>
      line(`POST /scan/validate${version}`, [REFUSED, 'validated']),
    ),
    ...ascii
      .filter((letter) => !'\r\n'.includes(letter))
      .map((letter) => line(`PO${letter}ST /scan/consume HTTP/1.1`, REFUSED)),
    ...[' ', '\0', '\t', '\x0b', '\x1f', '\x7f'].map((letter) =>
      line(`POST /scan/con${letter}sume HTTP/1.1`, REFUSED),
    ),
  ];
}

function hosts(): Row[] {
  const rest = [API_KEY, JSON_TYPE, LENGTH];
  return [
    row('no host', REFUSED, rest),
    row('two hosts', REFUSED, ['Host: gate', ...rest, 'hOST: x']),
    row('HTTP/1.0 needs no host', 'validated', rest, { first: 'POST /scan/validate HTTP/1.0' }),
    ...HOSTS.good.map((host) =>
      row(`host ${named(host)}`, 'validated', [`Host: ${host}`, ...rest]),
    ),
    ...HOSTS.bad.map((host) => row(`host ${named(host)}`, REFUSED, [`Host: ${host}`, ...rest])),
    ...HOSTS.bad.map((host) =>
      row(`HTTP/1.0 and host ${named(host)}`, REFUSED, [`Host: ${host}`, ...rest], {
        first: 'POST /scan/consume HTTP/1.0',
      }),
    ),
    row('another host in the target', 'validated', ['Host: gate', ...rest], {
      first: 'POST http://gate.example:8080/scan/validate HTTP/1.1',
    }),
    row('a host in the target alone', REFUSED, rest, {
      first: 'POST http://gate/scan/consume HTTP/1.1',
    }),
    row('a host in the target alone, in HTTP/1.0', 'validated', rest, {
      first: 'POST http://gate/scan/validate HTTP/1.0',
    }),
    row('a bad host beside one in the target', REFUSED, ['Host: a b', ...rest], {
      first: 'POST http://gate/scan/consume HTTP/1.1',
    }),
    ...['user@gate', 'gate:x', 'g[ate', '[::1', '\xe4'].map((host) =>
      row(`the target of host ${named(host)}`, REFUSED, ['Host: gate', ...rest], {
        first: `POST http://${host}/scan/consume HTTP/1.1`,
      }),
    ),
    row('a target without its host', [REFUSED, 'not_found_page'], ['Host: gate', ...rest], {
      first: 'POST http:///scan/consume HTTP/1.1',
    }),
  ];
}

function lengths(): Row[] {
  const n = GOOD.length;
  const broken = [
    ...[`-${n}`, `+${n}`, `0x${n.toString(16)}`, `${n}.0`, `${n}e0`, `${n} ${n}`, `${n},${n}`],
    ...[`${n}, ${n}`, `${n},0`, `${n};`, `${n}x`, `x${n}`, 'abc', '"5"', 'NaN', `${n}\t${n}`],
    ...['99999999999999999999', '18446744073709551616', '\xb2', '--1', '1_0', '\xe0\xa5\xa6'],
  ];
  return [
    ...broken.map((length) =>
      row(`length ${named(length)}`, REFUSED, [...HEADERS, `Content-Length: ${length}`]),
    ),
    row('two lengths', REFUSED, [...HEADERS, LENGTH, 'Content-Length: 0']),
    row('two equal lengths', REFUSED, [...HEADERS, LENGTH, LENGTH]),
    row('no length: the body is another request', 'missing_ticket_code', HEADERS),
    ...[0, 1, 10, n - 1].map((length) =>
      row(`length ${length} and a longer body`, 'missing_ticket_code', [
        ...[...HEADERS, `Content-Length: ${length}`],
      ]),
    ),
    row('leading zeros', 'validated', [...HEADERS, `Content-Length: 000${n}`]),
  ];
}

function chunks(): Row[] {
  const size = GOOD.length.toString(16);
  const whole = `${size}\r\n${GOOD}\r\n0\r\n\r\n`;
  const inChunks = (says: string, expect: Refusal, body: string) =>
    row(says, expect, [...HEADERS, CHUNKED], { body });
  const noSizes = [
    ...['g', '0x4f', `-${size}`, `+${size}`, `${size} ${size}`, `${size}.0`, `${size}h`, ' ', ''],
    ...['\xff', 'ffffffffffffffffff', `${size}\0`, '"5"', `${size},`, '\t\t', `${size}\x0b`],
  ];
  const noCodings = [
    ...['xchunked', 'chunkedx', 'identity', 'gzip', 'chunked, identity', 'chunked, gzip', ''],
    ...['chunked;q=1', 'chunked x', '"chunked"', 'chunked\x0b', '\x0bchunked', 'chun ked', ','],
    ...['chunked\0', 'chunked,chunked x', '\xa0chunked'],
  ];
  const keyless = ['Host: gate', JSON_TYPE, CHUNKED, 'Trailer: x-api-key'];
  return [
    ...noSizes.flatMap((one) => [
      inChunks(`chunk size ${named(one)}`, REFUSED, `${one}\r\n${GOOD}\r\n0\r\n\r\n`),
      inChunks(
        `chunk size ${named(one)}, second`,
        REFUSED,
        `1\r\n{\r\n${one}\r\n${GOOD.slice(1)}\r\n0\r\n\r\n`,
      ),
    ]),
    ...[`${size};x=y`, `${size};x`, `000${size}`, size.toUpperCase(), `${size};x="a;b"`].map(
      (one) => inChunks(`chunk size ${named(one)}`, 'validated', `${one}\r\n${GOOD}\r\n0\r\n\r\n`),
    ),
    inChunks('no line end behind a chunk', REFUSED, `${size}\r\n${GOOD}0\r\n\r\n`),
    inChunks('another byte behind a chunk', REFUSED, `${size}\r\n${GOOD}x\r\n0\r\n\r\n`),
    inChunks('a chunk shorter than its content', REFUSED, `2\r\n${GOOD}\r\n0\r\n\r\n`),
    inChunks('no size line', REFUSED, GOOD),
    inChunks('LF in an extension', REFUSED, `${size};x\ny\r\n${GOOD}\r\n0\r\n\r\n`),
    inChunks('CR alone behind the size', REFUSED, `${size}\r${GOOD}\r\n0\r\n\r\n`),
    inChunks('a broken trailer', REFUSED, `${size}\r\n${GOOD}\r\n0\r\nx y\r\n\r\n`),
    inChunks('a trailer', 'validated', `${size}\r\n${GOOD}\r\n0\r\nX-Sum: 1\r\n\r\n`),
    inChunks('chunks of one byte', 'validated', `${GOOD.replace(/./g, '1\r\n$&\r\n')}0\r\n\r\n`),
    inChunks('an empty chunked body', 'missing_ticket_code', '0\r\n\r\n'),
    row('the key in the trailer', 'forbidden', keyless, {
      body: `${size}\r\n${GOOD}\r\n0\r\n${API_KEY}\r\n\r\n`,
    }),
    row(
      'the content type in the trailer',
      'missing_ticket_code',
      ['Host: gate', API_KEY, CHUNKED],
      {
        body: `${size}\r\n${GOOD}\r\n0\r\n${JSON_TYPE}\r\n\r\n`,
      },
    ),
    ...noCodings.flatMap((coding) =>
      [[], [`Content-Length: ${whole.length}`]].map((more) =>
        row(
          `Transfer-Encoding ${named(coding)} ${more}`,
          [REFUSED, 'missing_ticket_code'],
          [...HEADERS, `Transfer-Encoding: ${coding}`, ...more],
          { body: whole },
        ),
      ),
    ),
    row(
      'chunked in HTTP/1.0',
      [REFUSED, 'missing_ticket_code', 'validated'],
      [...HEADERS, CHUNKED],
      { body: whole, first: 'POST /scan/validate HTTP/1.0' },
    ),
  ];
}

/** Two ways to say where the body ends: what one reader takes for the body is the next request to another. */
function smuggled(): Row[] {
  const hidden = `${[CONSUME, ...HEADERS, LENGTH].join('\r\n')}\r\n\r\n${GOOD}`;
  const codings = ['chunked', 'Chunked', 'CHUNKED', ' chunked', 'chunked ', '\tchunked'];
  return codings.flatMap((coding) =>
    [4, 5, 6, GOOD.length, hidden.length, hidden.length + 5].flatMap((length) => {
      const both = [`Content-Length: ${length}`, `Transfer-Encoding: ${coding}`];
      return [both, both.toReversed()].map((lines) =>
        row(named(lines.join()), REFUSED, [...HEADERS, ...lines], { body: `0\r\n\r\n${hidden}` }),
      );
    }),
  );
}

function oversized(): Row[] {
  const expect = ['http_too_large', REFUSED];
  return [17_000, 70_000].flatMap((length) => {
    const long = 'x'.repeat(length);
    const line = (first: string) =>
      row(`${length}: ${named(first)}`, expect, [...HEADERS, LENGTH], { first });
    return [
      row(`a header of ${length} bytes`, expect, [...HEADERS, `X-A: ${long}`, LENGTH]),
      row(`a name of ${length} bytes`, expect, [...HEADERS, `${long}: 1`, LENGTH]),
      row(`a key of ${length} bytes`, expect, ['Host: gate', `x-api-key: ${long}`, LENGTH]),
      row(`${length} bytes of headers`, expect, [
        ...[...HEADERS, ...Array.from({ length: length / 13 }, () => 'X-Abcdef: 1'), LENGTH],
      ]),
      line(`POST /${long} HTTP/1.1`),
      line(`POST /scan/consume?${long} HTTP/1.1`),
    ];
  });
}

/** What is no HTTP on a device's path is told in a form that devices read. */
function fromDevices(): Row[] {
  const target = `/scan/hw/consume?key=${KEYS.hw}`;
  const body = `{"Card":"${CARD}"}`;
  const length = `Content-Length: ${body.length}`;
  const broken = (
    says: string,
    lines: readonly string[],
    { text = body, version = ' HTTP/1.1' } = {},
  ) =>
    row(`device: ${says}`, 'hw_unreadable', lines, {
      body: text,
      first: `POST ${target}${version}`,
    });
  const tooLarge = (says: string, lines: readonly string[], first = `POST ${target} HTTP/1.1`) =>
    row(`device: ${says}`, ['hw_too_large', REFUSED], lines, { body, first });
  return [
    ...[17_000, 40_000].flatMap((bytes) => [
      tooLarge(`a header of ${bytes} bytes`, ['Host: gate', `X-A: ${'x'.repeat(bytes)}`]),
      tooLarge(
        `a query of ${bytes} bytes`,
        ['Host: gate'],
        `POST ${target}${'x'.repeat(bytes)} HTTP/1.1`,
      ),
    ]),
    broken('two lengths', ['Host: gate', 'Content-Length: 1', 'Content-Length: 2']),
    broken('a length and chunks', ['Host: gate', 'Content-Length: 1', CHUNKED]),
    broken('no host', [length]),
    broken('two hosts', ['Host: gate', 'Host: other', length]),
    broken('a header without a colon', ['Host: gate', 'bad header', length]),
    ...['zz', '2'].map((size) =>
      broken(`chunk size ${size}`, ['Host: gate', CHUNKED], {
        text: `${size}\r\n${body}\r\n0\r\n\r\n`,
      }),
    ),
    broken('a broken trailer', ['Host: gate', CHUNKED], { text: '2\r\n{}\r\n0\r\nx y\r\n\r\n' }),
    ...[' HTTP/9.1', ' http/1.1', ' y HTTP/1.1', '\x01 HTTP/1.1'].map((version) =>
      broken(`first line ends with ${named(version)}`, ['Host: gate', length], { version }),
    ),
  ];
}

function noHttp(): Row[] {
  const greetings = [
    ...['hello\r\n\r\n', '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03', 'SSH-2.0-OpenSSH_9\r\n'],
    ...['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'EHLO x\r\n', `${GOOD}\r\n\r\n`, '\x00\x00\x00\x2a'],
    ...['\x05\x01\x00', '*1\r\n$4\r\nPING\r\n', 'GET\r\n\r\n', '<policy-file-request/>\0'],
    ...['\xff\xf4\xff\xfd\x06', 'POST\r\n\r\n', 'x'.repeat(200), '\0'.repeat(200)],
  ];
  const good = `${[VALIDATE, ...HEADERS, LENGTH].join('\r\n')}\r\n\r\n${GOOD}`;
  return [
    ...greetings.map((bytes) => ({ says: `no HTTP: ${named(bytes)}`, bytes, expect: REFUSED })),
    { says: 'empty lines before', bytes: `\r\n\r\n${good}`, expect: 'validated' },
  ];
}

export function framing(): Row[] {
  return [
    ...headerLines(),
    ...firstLines(),
    ...hosts(),
    ...lengths(),
    ...chunks(),
    ...smuggled(),
    ...oversized(),
    ...fromDevices(),
    ...noHttp(),
  ];
}
