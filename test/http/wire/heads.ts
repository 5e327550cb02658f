import { CODES, KEYS } from '../../support/fixed-world.ts';
import { API_KEY, CARD, GOOD, JSON_TYPE, json, named, post, type Row, send, utf8 } from './row.ts';

/** Methods that HTTP knows; the request line of others is refused. */
const METHODS =
  'GET PUT DELETE PATCH OPTIONS TRACE PROPFIND MKCOL COPY LOCK SEARCH REPORT LINK PURGE ACL NOTIFY QUERY';
const NO_METHODS = ['post', 'Post', 'POSTS', 'POS', 'P', 'FOO', 'GET/', '"POST"', 'POST,GET', '0'];

const SCAN_PATHS = 'validate consume hw/validate hw/consume hw/heartbeat'
  .split(' ')
  .map((name) => `/scan/${name}`);

/** Nothing is decoded, folded or resolved before a path is compared. */
const UNKNOWN_PATHS = [
  ...['/', '/scan', '/scan/', '/scan/hw', '/scan/x', '/scan/consume/', '/scan/consume/x'],
  ...['/scan/consume.json', '/scan/consume;x', '/scan/consume%20', '/scan/consume%00'],
  ...['/scan%2Fconsume', '/scan/consum%65', '/%73can/consume', '/SCAN/CONSUME', '/scan/Consume'],
  ...['//scan/consume', '/scan//consume', '/./scan/consume', '/scan/../scan/consume'],
  ...['/scan/consume/..', '/%2e/scan/consume', '/scan/%2e%2e/scan/consume', '/scan\\consume'],
  ...['/api/scan/consume', '/v1/scan/consume', '/scan/consume,/scan/validate', '/scan/consume:80'],
  ...['/scan/validate2', '/scan/valid', '/hw/consume', '/consume', '/admin', '/metrics', '/.env'],
  ...['/../../etc/passwd', '/%2e%2e/etc/passwd', '/..%2f..%2fetc', '/%c0%ae%c0%ae/', '/%u002e'],
  ...['/%', '/%zz', '/%e9', '/%ff%fe', '/%00', '/%0d%0aX:1', '/__proto__', '/constructor', '/*'],
  ...['/:id', '/(x)', '/{x}', '/x?y', `/x?key=${KEYS.hw}`, `/${'x'.repeat(8000)}`],
  ...[`/${'/'.repeat(500)}`, `/${'a/'.repeat(500)}`],
];
const UNKNOWN_DEVICE_PATHS = [
  ...['', 'consume/', 'consume/x', 'heart', 'heartbeat/', 'Consume', '/consume', '../consume'],
  ...['consum%65', '%', '%zz', '%00', 'scan/consume', `consume/?key=${KEYS.hw}`, '?'],
].map((path) => `/scan/hw/${path}`);

export function paths(): Row[] {
  const row = (first: string, body: string, expect: string): Row => ({
    says: named(first),
    bytes: post('', [API_KEY, JSON_TYPE], body, `${first} HTTP/1.1`),
    expect,
  });
  const wrongMethod = (path: string) =>
    path.startsWith('/scan/hw/') ? 'hw_method_not_allowed' : 'method_not_allowed';
  return [
    ...UNKNOWN_PATHS.map((path) => row(`POST ${path}`, GOOD, 'not_found_page')),
    ...UNKNOWN_DEVICE_PATHS.flatMap((path) =>
      ['POST', 'GET', 'PUT'].map((method) => row(`${method} ${path}`, GOOD, 'hw_not_found_page')),
    ),
    ...SCAN_PATHS.flatMap((path) => [
      ...METHODS.split(' ').map((method) => row(`${method} ${path}`, '', wrongMethod(path))),
      row(`GET ${path}?key=${KEYS.hw}`, GOOD, wrongMethod(path)),
      row(`HEAD ${path}`, '', 'method_not_allowed_head'),
    ]),
    ...NO_METHODS.map((method) => row(`${method} /scan/consume`, GOOD, 'http_refused')),
    ...['?', '?a', '?ticketCode=x', '?x-api-key=x', '?%', '?%zz', '?&&&', `?${'x'.repeat(2000)}`]
      .concat('?a=b')
      .map((query) => row(`POST /scan/validate${query}`, GOOD, 'validated')),
    row('POST http://gate.example/scan/validate?x=1', GOOD, 'validated'),
    row('POST HTTPS://gate.example:443/scan/validate', GOOD, 'validated'),
  ];
}

const TYPES_READ = [
  ...['application/json', 'Application/JSON', 'application/json;charset=utf-8'],
  ...['application/json; charset=UTF-8', 'application/json; charset="utf-8"'],
  ...['application/json ; Charset=utf-8', 'application/json;'],
];
const OTHER_TYPES = [
  ...['', 'json', 'text/json', 'text/plain', 'text/plain; charset=utf-8', 'application/xml'],
  ...['application/x-json', 'application/json5', 'application/ld+json', 'application/problem+json'],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '*/*', 'application'],
  ...['application/octet-stream', 'application/*', 'application/', '/json', ';', ';charset=utf-8'],
  ...['application//json', 'application/json/', 'application /json', 'application/ json'],
  ...['application json', 'xapplication/json', 'application/jsonx', '"application/json"'],
  ...['application/json,', 'application/json, text/plain', 'text/plain; application/json'],
  ...['utf-16', 'iso-8859-1', 'us-ascii', 'utf8', '', 'utf-8x', '"utf-16"', 'utf-8; version=1'].map(
    (charset) => `application/json; charset=${charset}`,
  ),
  ...['application/json; charset', 'application/json; version=1', 'application/json; q=0.5'],
  ...['application/json charset=utf-8', 'application/json; charset:utf-8', 'application/json\xa0'],
  ...['application/json;;charset=utf-8', '\xa0application/json', 'application/js\xf6n', 'null'],
];

/** Software says `application/json`; anything else makes the body unusable. Devices get it wrong: they are read all the same. */
export function contentTypes(): Row[] {
  const row = (action: string, types: readonly string[], expect: string): Row => ({
    says: `content type ${named(types.join())}`,
    bytes: post(
      `/scan/${action}`,
      [API_KEY, ...types.map((type) => `Content-Type: ${type}`)],
      action.startsWith('hw') ? json({ Card: CARD }) : GOOD,
    ),
    expect,
  });
  const device = `hw/validate?key=${KEYS.hw}`;
  return [
    ...TYPES_READ.map((type) => row('validate', [type], 'validated')),
    ...OTHER_TYPES.map((type) => row('consume', [type], 'missing_ticket_code')),
    ...OTHER_TYPES.map((type) => row(device, [type], 'hw_granted')),
    row('consume', [], 'missing_ticket_code'),
    row('consume', ['text/plain', 'text/html'], 'missing_ticket_code'),
    row(device, [], 'hw_granted'),
  ];
}

/** Headers that change no answer. */
const MEANINGLESS = [
  ...['x-http-method-override: DELETE', 'X-Original-URL: /scan/consume', 'X-Rewrite-URL: /x'],
  ...['X-Forwarded-For: 127.0.0.1', 'X-Forwarded-Host: evil.example', 'Forwarded: for=127.0.0.1'],
  ...['Origin: https://evil.example', 'Range: bytes=0-1', 'If-None-Match: *', 'Accept: text/html'],
  ...['Accept-Encoding: br', 'Accept-Language: xx', 'Cookie: a=b; c', 'Authorization: Bearer x'],
  ...['Upgrade: h2c', 'Via: 1.1 x', 'TE: trailers', 'Prefer: return=minimal', '__proto__: 1'],
];

/** The name of a request that may be repeated has 1 to 255 visible ASCII characters. */
const WRONG_NAMES = [
  ...['', ' ', 'a b', 'a\tb', 'ä', '\xe4', '\x80', '\xff', '\xa0', 'a, b', '日本', 'a\xadb'],
  ...['\u200b', 'x'.repeat(256), 'x'.repeat(5000)],
];
const NAMES = ['x', '0', '"', '\\', '{}', '<>', '%00', '__proto__', '../..', '~', 'x'.repeat(255)];

export function headers(): Row[] {
  const name = (action: string, names: readonly string[], expect: string): Row => ({
    says: `Idempotency-Key ${named(names.join())} on ${action}`,
    bytes: post(
      `/scan/${action}`,
      [API_KEY, JSON_TYPE, ...names.map((one) => `Idempotency-Key: ${utf8(one)}`)],
      json({ ticketCode: CODES.exhausted }),
    ),
    expect,
  });
  return [
    ...MEANINGLESS.map((header) => ({
      says: header,
      bytes: send('validate', GOOD).replace('\r\n', `\r\n${header}\r\n`),
      expect: 'validated',
    })),
    ...WRONG_NAMES.map((one) => name('consume', [one], 'retry_name_refused')),
    ...NAMES.map((one) => name('consume', [one], 'exhausted')),
    // On a validate it means nothing.
    ...WRONG_NAMES.map((one) => name('validate', [one], 'exhausted')),
    name('consume', ['a', 'b'], 'retry_name_refused'),
  ];
}
