import { describe, expect, test } from 'vitest';
import { Restorer } from '../../src/record/secrets/placeholders.ts';
import { Redactor } from '../../src/record/secrets/redactor.ts';
import { expectBelow } from '../support/expect-below.ts';
import { rawExchange } from './support/recorder.ts';

const HW = 'tscn_hw_0123456789abcdefghijABCDEFGHIJ00zyXW1a';
const API = 'tscn_api_9876543210abcdefghijABCDEFGHIJ00zyXW2b';
const PAT = 'tscn_pat_5555543210abcdefghijABCDEFGHIJ00zyXW3c';
/** Of another system: only its place tells that it is one. */
const FOREIGN = 's3cr3t-Value.77/x';
const PASSWORD = 'hunter2hunter2';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const hex = (text: string) => Buffer.from(text).toString('hex');
const escaped = (text: string) =>
  text.replace(/./g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const percent = (text: string) => text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
const mixedCase = (text: string) =>
  [...text].map((one, at) => (at % 2 ? one.toUpperCase() : one)).join('');
const entities = (text: string) =>
  text.replace(/./g, (one) => `&#x${one.charCodeAt(0).toString(16)};`);

interface Place {
  readonly target?: string;
  readonly headers?: string;
  readonly body?: string;
  /** How the secret could still be found in the recording. */
  readonly spelled: string;
}

/** Each is the only place of its secret: none is known from elsewhere. */
const PLACES: Readonly<Record<string, Place>> = {
  'own key in the query': { target: `/scan/hw/consume?key=${HW}`, spelled: HW },
  'own key under Key': { target: `/scan/hw/heartbeat?Key=${HW}`, spelled: HW },
  'own key in x-api-key': { headers: `x-api-key: ${API}`, spelled: API },
  'own key under an unknown header': { headers: `X-Whatever: ${API}`, spelled: API },
  'own token in Authorization': { headers: `Authorization: Bearer ${PAT}`, spelled: PAT },
  'own token in text': { body: `see ${PAT}.`, spelled: PAT },
  'own key as a part of the path': { target: `/gate/${HW}/scan`, spelled: HW },
  'own key percent-encoded in the path': {
    target: `/gate/${percent(HW)}/scan`,
    spelled: percent(HW),
  },
  'own key percent-encoded in text': { body: `next=${percent(API)}`, spelled: percent(API) },
  'own key in Base64': {
    body: JSON.stringify({ Card: base64(HW) }),
    spelled: base64(HW).slice(0, 40),
  },
  'own token in Base64': { body: base64(PAT), spelled: base64(PAT).slice(0, 40) },
  'own key in Base64 behind a letter': {
    body: JSON.stringify({ c: base64(`x${HW}`) }),
    spelled: base64(`x${HW}`).slice(4, 40),
  },
  'own key in Base64 behind two letters': {
    body: JSON.stringify({ c: base64(`xy${HW}`) }),
    spelled: base64(`xy${HW}`).slice(4, 40),
  },
  'own key in URL-safe Base64': {
    body: base64url(`??>>${API}`),
    spelled: base64url(`??>>${API}`).slice(8, 40),
  },
  'own key in Base64 in the path': {
    target: `/a/b/${base64url(HW)}`,
    spelled: base64url(HW).slice(0, 40),
  },
  'own key in Base64 behind a word': {
    body: `data${base64(HW)}`,
    spelled: base64(HW).slice(0, 40),
  },
  'own key in hex': { body: hex(HW), spelled: hex(HW).slice(0, 40) },
  'own key in capital hex': {
    body: hex(HW).toUpperCase(),
    spelled: hex(HW).toUpperCase().slice(0, 40),
  },
  'own key in mixed hex': { body: mixedCase(hex(HW)), spelled: mixedCase(hex(HW)).slice(0, 40) },
  'own key in hex behind a digit': { body: `1${hex(HW)}`, spelled: hex(HW).slice(0, 40) },
  'own key escaped at its first letter': {
    body: `{"a":"${escaped('t')}${HW.slice(1)}"}`,
    spelled: HW.slice(1),
  },
  'own key escaped throughout': {
    body: `{"a":"${escaped(HW)}"}`,
    spelled: escaped(HW).slice(0, 40),
  },
  'own key in character references': {
    body: `<a>${entities(HW)}</a>`,
    spelled: entities(HW).slice(0, 40),
  },
  'own key in JSON in Base64': {
    body: JSON.stringify({ a: base64(JSON.stringify({ b: API })) }),
    spelled: base64(JSON.stringify({ b: API })).slice(12, 40),
  },
  'own key in Base64 in Base64': {
    body: base64(base64(HW)),
    spelled: base64(base64(HW)).slice(0, 40),
  },
  'form: password': { body: `user=ada&password=${PASSWORD}`, spelled: PASSWORD },
  'form: token': {
    body: `a=1&token=${encodeURIComponent(FOREIGN)}&b=2`,
    spelled: encodeURIComponent(FOREIGN),
  },
  'form: token in lower-case percent signs': {
    body: `token=${percent(FOREIGN)}`,
    spelled: percent(FOREIGN),
  },
  'form: pin': { body: 'pin=471199', spelled: '471199' },
  'form of several parts': {
    body: `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${PASSWORD}\r\n--x--`,
    spelled: PASSWORD,
  },
  'lines of text': { body: `user: ada\r\npassword: ${PASSWORD}\r\n`, spelled: PASSWORD },
  'XML: ApiKey': { body: `<r><ApiKey>${FOREIGN}</ApiKey></r>`, spelled: FOREIGN },
  'XML: Password with a prefix and attributes': {
    body: `<w:Password Type="x">${PASSWORD}</w:Password>`,
    spelled: PASSWORD,
  },
  'XML: CDATA': { body: `<token><![CDATA[${FOREIGN}]]></token>`, spelled: FOREIGN },
  'XML: attribute': { body: `<login pass="a" apiKey='${FOREIGN}'/>`, spelled: FOREIGN },
  'JSON: password': { body: JSON.stringify({ password: PASSWORD }), spelled: PASSWORD },
  'JSON: pin': { body: '{"pin":"4711","n":1}', spelled: '"4711"' },
  'JSON: pin as a number': { body: '{"user":{"PIN": 471199}}', spelled: '471199' },
  'JSON: session': { body: JSON.stringify({ session: FOREIGN }), spelled: FOREIGN },
  'JSON: sessionId': { body: JSON.stringify({ sessionId: FOREIGN }), spelled: FOREIGN },
  'JSON: sig': { body: JSON.stringify({ sig: 'a1b2c3d4e5f6' }), spelled: 'a1b2c3d4e5f6' },
  'JSON: access_key': { body: JSON.stringify({ access_key: FOREIGN }), spelled: FOREIGN },
  'JSON: a long token': {
    body: JSON.stringify({ token: 'ab12'.repeat(500) }),
    spelled: 'ab12'.repeat(20),
  },
  'JSON: escaped value': { body: '{"token":"s3cr\\u0033t\\"x"}', spelled: 's3cr\\u0033t' },
  'JSON in a JSON text': {
    body: JSON.stringify({ inner: JSON.stringify({ secret: FOREIGN }) }),
    spelled: FOREIGN,
  },
  'JSON in Base64': {
    body: JSON.stringify({ d: base64(JSON.stringify({ secret: FOREIGN })) }),
    spelled: base64(JSON.stringify({ secret: FOREIGN })).slice(16, 32),
  },
  'header X-Auth': { headers: `X-Auth: ${FOREIGN}`, spelled: FOREIGN },
  'header X-Access-Key': { headers: `X-Access-Key: ${FOREIGN}`, spelled: FOREIGN },
  'header X-Signature': { headers: 'X-Signature: a1b2c3d4e5f6', spelled: 'a1b2c3d4e5f6' },
  'header X-Session': { headers: `X-Session: ${FOREIGN}`, spelled: FOREIGN },
  'header Ocp-Apim-Subscription-Key': {
    headers: `Ocp-Apim-Subscription-Key: ${FOREIGN}`,
    spelled: FOREIGN,
  },
  'header Cookie': { headers: `Cookie: a=1; sid=${FOREIGN}`, spelled: FOREIGN },
  'Basic authorization': {
    headers: `Authorization: Basic ${base64(`ada:${PASSWORD}`)}`,
    spelled: base64(`ada:${PASSWORD}`),
  },
  'Digest authorization': {
    headers: 'Authorization: Digest username="ada", response="a1b2c3d4e5f6", qop=auth',
    spelled: 'a1b2c3d4e5f6',
  },
  'an address with a password': {
    headers: `Referer: http://ada:${PASSWORD}@a/`,
    spelled: PASSWORD,
  },
  'an address with a token': {
    headers: `Referer: http://a/?x=1&token=${PASSWORD}`,
    spelled: PASSWORD,
  },
  'query: Key alone': { target: `/scan?Key=${PASSWORD}`, spelled: PASSWORD },
  'query: access_token': { target: `/scan?access_token=${PASSWORD}`, spelled: PASSWORD },
  'query: sig': { target: '/scan?sig=a1b2c3d4e5f6', spelled: 'a1b2c3d4e5f6' },
  'foreign key as a part of the path': {
    target: '/hook/T024BE7LD/3f9a8b7c6d5e4f3a2b1c/scan',
    spelled: '3f9a8b7c6d5e4f3a2b1c',
  },
  'a JSON Web Token anywhere': {
    body: `${'x'}: ${base64url('{"alg":"HS256"}')}.${base64url('{"sub":"1234567"}')}.c2lnbmF0dXJlMTIzNA`,
    spelled: 'c2lnbmF0dXJlMTIzNA',
  },
};

function exchangeOf({ target = '/scan', headers, body = '' }: Omit<Place, 'spelled'>) {
  const bytes = Buffer.from(body);
  const more = headers === undefined ? '' : `${headers}\r\n`;
  const head = `POST ${target} HTTP/1.1\r\nHost: a:80\r\n${more}Content-Length: ${bytes.length}\r\n\r\n`;
  return rawExchange({ head, body: bytes });
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

describe('a secret that stands in one place only is not kept', () => {
  test.each(Object.entries(PLACES))('%s', (_name, place) => {
    expect(`${place.target}${place.headers}${place.body}`).toContain(place.spelled);
    const stored = new Redactor(undefined).redact(exchangeOf(place));
    const text = JSON.stringify(stored);
    expect(text).not.toContain(inJson(place.spelled));
    expect(stored.keys.length).toBeGreaterThan(0);
  });
});

test('there are at least the 39 places of a secret that were once tried', () => {
  expect(Object.keys(PLACES).length).toBeGreaterThanOrEqual(39);
});

test('what is no secret stays, in every known format of devices', () => {
  const places: Omit<Place, 'spelled'>[] = [
    {
      target: '/scan/hw/consume?Key=SERIAL77&key=abcdef',
      body: '{"Key":"SERIAL77","Serial":"A1","Reader":0}',
    },
    {
      body: '{"identifier_number":"4711","identifier_type":"qr","author":"Ada","design":"blue","pinned":"yes"}',
    },
    { body: 'vgdecoderesult=4711&&devicenumber=001' },
    {
      target: '/devices/AB12CD34/tkt_abc123_0123456789abcdefghij/state',
      body: '{"auth":true,"session":1,"pin":""}',
    },
    { body: '<Event><Serial>A1B2</Serial><Time>2027-01-01T10:00:00</Time></Event>' },
  ];
  for (const place of places) {
    const raw = exchangeOf(place);
    const stored = new Redactor(undefined).redact(raw);
    expect(stored.request.body).toEqual({ text: place.body });
    expect(stored.request.head.replace('‹key-1›', 'abcdef')).toBe(raw.request.head);
  }
});

test('a key found in an encoding comes back into the same bytes', () => {
  for (const body of [
    JSON.stringify({ Card: base64(HW) }),
    hex(HW),
    `<ApiKey>${HW}</ApiKey>`,
    `password=${HW}`,
  ]) {
    const raw = exchangeOf({ body });
    const stored = new Redactor(undefined).redact(raw);
    const restored = new Restorer(new Map([['key-1', HW]])).restore(stored.request);
    expect(restored.body.toString()).toBe(body);
  }
});

test.each([
  ['quotes', '"a":"'.repeat(200_000)],
  ['tags', '<a '.repeat(300_000)],
  ['equals', 'a='.repeat(500_000)],
  ['letters', 'a'.repeat(1_000_000)],
  ['blanks', `"a"${' '.repeat(1_000_000)}`],
  ['words and blanks', `a${' '.repeat(999)}`.repeat(1000)],
  ['escaped quotes', `"${'\\"'.repeat(400_000)}`],
  ['escaped quotes and half an escape', `"${'\\"'.repeat(400_000)}\\`],
  ['hex', 'ab12'.repeat(250_000)],
  ['backslashes', '\\'.repeat(1_000_000)],
  ['colons', '://:'.repeat(250_000)],
  ['line ends', 'name="a"\r\n'.repeat(100_000)],
  ['dots', 'eyJaaaaaaaa.'.repeat(80_000)],
])('a body of 1 MB of %s takes no longer than its length allows', (_what, body) =>
  expectBelow(3000, () => {
    const startedMs = performance.now();
    new Redactor(undefined).redact(exchangeOf({ body }));
    return performance.now() - startedMs;
  }),
);

test('a message with more secrets than can be looked for is not kept', () => {
  const body = Array.from({ length: 5000 }, (_, at) => `token=secret${at}`).join('&');
  const stored = new Redactor(undefined).redact(exchangeOf({ body }));
  expect(stored.request).toMatchObject({ head: '', body: { text: '' }, whole: false });
  expect(stored.request.note).toMatch(/not kept: it seems to contain more than/);
});
