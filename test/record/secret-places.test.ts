import { describe, expect, test } from 'vitest';
import { Restorer } from '../../src/record/secrets/placeholders.ts';
import { Redactor } from '../../src/record/secrets/redactor.ts';
import { processorMs } from '../support/processor-time.ts';
import { rawExchange } from './support/recorder.ts';

const HW = 'tscn_hw_0123456789abcdefghijABCDEFGHIJ00zyXW1a';
const API = 'tscn_api_9876543210abcdefghijABCDEFGHIJ00zyXW2b';
const PAT = 'tscn_pat_5555543210abcdefghijABCDEFGHIJ00zyXW3c';
/** A secret of another system: only its place tells that it is one. */
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
}

/** What is sent, and how the secret in it could still be found in the recording. Each is the only place of its secret. */
type Secrets = Readonly<Record<string, readonly [sent: string, spelled: string]>>;

const IN_TARGETS: Secrets = {
  'own key in the query': [`/scan/hw/consume?key=${HW}`, HW],
  'own key under Key': [`/scan/hw/heartbeat?Key=${HW}`, HW],
  'own key as a part of the path': [`/gate/${HW}/scan`, HW],
  'own key percent-encoded in the path': [`/gate/${percent(HW)}/scan`, percent(HW)],
  'own key in Base64 in the path': [`/a/b/${base64url(HW)}`, base64url(HW).slice(0, 40)],
  'query: Key alone': [`/scan?Key=${PASSWORD}`, PASSWORD],
  'query: access_token': [`/scan?access_token=${PASSWORD}`, PASSWORD],
  'query: sig': ['/scan?sig=a1b2c3d4e5f6', 'a1b2c3d4e5f6'],
  'foreign key as a part of the path': [
    '/hook/T024BE7LD/3f9a8b7c6d5e4f3a2b1c/scan',
    '3f9a8b7c6d5e4f3a2b1c',
  ],
};

const IN_HEADERS: Secrets = {
  'own key in x-api-key': [`x-api-key: ${API}`, API],
  'own key under an unknown header': [`X-Whatever: ${API}`, API],
  'own token in Authorization': [`Authorization: Bearer ${PAT}`, PAT],
  'header X-Auth': [`X-Auth: ${FOREIGN}`, FOREIGN],
  'header X-Access-Key': [`X-Access-Key: ${FOREIGN}`, FOREIGN],
  'header X-Signature': ['X-Signature: a1b2c3d4e5f6', 'a1b2c3d4e5f6'],
  'header X-Session': [`X-Session: ${FOREIGN}`, FOREIGN],
  'header Ocp-Apim-Subscription-Key': [`Ocp-Apim-Subscription-Key: ${FOREIGN}`, FOREIGN],
  'header Cookie': [`Cookie: a=1; sid=${FOREIGN}`, FOREIGN],
  'Basic authorization': [
    `Authorization: Basic ${base64(`ada:${PASSWORD}`)}`,
    base64(`ada:${PASSWORD}`),
  ],
  'Digest authorization': [
    'Authorization: Digest username="ada", response="a1b2c3d4e5f6", qop=auth',
    'a1b2c3d4e5f6',
  ],
  'an address with a password': [`Referer: http://ada:${PASSWORD}@a/`, PASSWORD],
  'an address with a token': [`Referer: http://a/?x=1&token=${PASSWORD}`, PASSWORD],
};

const IN_BODIES: Secrets = {
  'own token in text': [`see ${PAT}.`, PAT],
  'own key percent-encoded in text': [`next=${percent(API)}`, percent(API)],
  'own key in Base64': [JSON.stringify({ Card: base64(HW) }), base64(HW).slice(0, 40)],
  'own token in Base64': [base64(PAT), base64(PAT).slice(0, 40)],
  'own key in Base64 behind a letter': [
    JSON.stringify({ c: base64(`x${HW}`) }),
    base64(`x${HW}`).slice(4, 40),
  ],
  'own key in Base64 behind two letters': [
    JSON.stringify({ c: base64(`xy${HW}`) }),
    base64(`xy${HW}`).slice(4, 40),
  ],
  'own key in URL-safe Base64': [base64url(`??>>${API}`), base64url(`??>>${API}`).slice(8, 40)],
  'own key in Base64 behind a word': [`data${base64(HW)}`, base64(HW).slice(0, 40)],
  'own key in hex': [hex(HW), hex(HW).slice(0, 40)],
  'own key in capital hex': [hex(HW).toUpperCase(), hex(HW).toUpperCase().slice(0, 40)],
  'own key in mixed hex': [mixedCase(hex(HW)), mixedCase(hex(HW)).slice(0, 40)],
  'own key in hex behind a digit': [`1${hex(HW)}`, hex(HW).slice(0, 40)],
  'own key escaped at its first letter': [`{"a":"${escaped('t')}${HW.slice(1)}"}`, HW.slice(1)],
  'own key escaped throughout': [`{"a":"${escaped(HW)}"}`, escaped(HW).slice(0, 40)],
  'own key in character references': [`<a>${entities(HW)}</a>`, entities(HW).slice(0, 40)],
  'own key in JSON in Base64': [
    JSON.stringify({ a: base64(JSON.stringify({ b: API })) }),
    base64(JSON.stringify({ b: API })).slice(12, 40),
  ],
  'own key in Base64 in Base64': [base64(base64(HW)), base64(base64(HW)).slice(0, 40)],
  'form: password': [`user=ada&password=${PASSWORD}`, PASSWORD],
  'form: token': [`a=1&token=${encodeURIComponent(FOREIGN)}&b=2`, encodeURIComponent(FOREIGN)],
  'form: token in lower-case percent signs': [`token=${percent(FOREIGN)}`, percent(FOREIGN)],
  'form: pin': ['pin=471199', '471199'],
  'form of several parts': [
    `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${PASSWORD}\r\n--x--`,
    PASSWORD,
  ],
  'lines of text': [`user: ada\r\npassword: ${PASSWORD}\r\n`, PASSWORD],
  'XML: ApiKey': [`<r><ApiKey>${FOREIGN}</ApiKey></r>`, FOREIGN],
  'XML: Password with a prefix and attributes': [
    `<w:Password Type="x">${PASSWORD}</w:Password>`,
    PASSWORD,
  ],
  'XML: CDATA': [`<token><![CDATA[${FOREIGN}]]></token>`, FOREIGN],
  'XML: attribute': [`<login pass="a" apiKey='${FOREIGN}'/>`, FOREIGN],
  'JSON: password': [JSON.stringify({ password: PASSWORD }), PASSWORD],
  'JSON: pin': ['{"pin":"4711","n":1}', '"4711"'],
  'JSON: pin as a number': ['{"user":{"PIN": 471199}}', '471199'],
  'JSON: session': [JSON.stringify({ session: FOREIGN }), FOREIGN],
  'JSON: sessionId': [JSON.stringify({ sessionId: FOREIGN }), FOREIGN],
  'JSON: sig': [JSON.stringify({ sig: 'a1b2c3d4e5f6' }), 'a1b2c3d4e5f6'],
  'JSON: access_key': [JSON.stringify({ access_key: FOREIGN }), FOREIGN],
  'JSON: a long token': [JSON.stringify({ token: 'ab12'.repeat(500) }), 'ab12'.repeat(20)],
  'JSON: escaped value': ['{"token":"s3cr\\u0033t\\"x"}', 's3cr\\u0033t'],
  'JSON in a JSON text': [JSON.stringify({ inner: JSON.stringify({ secret: FOREIGN }) }), FOREIGN],
  'JSON in Base64': [
    JSON.stringify({ d: base64(JSON.stringify({ secret: FOREIGN })) }),
    base64(JSON.stringify({ secret: FOREIGN })).slice(16, 32),
  ],
  'a JSON Web Token anywhere': [
    `${'x'}: ${base64url('{"alg":"HS256"}')}.${base64url('{"sub":"1234567"}')}.c2lnbmF0dXJlMTIzNA`,
    'c2lnbmF0dXJlMTIzNA',
  ],
};

function exchangeOf({ target = '/scan', headers, body = '' }: Place) {
  const bytes = Buffer.from(body);
  const more = headers === undefined ? '' : `${headers}\r\n`;
  const head = `POST ${target} HTTP/1.1\r\nHost: a:80\r\n${more}Content-Length: ${bytes.length}\r\n\r\n`;
  return rawExchange({ head, body: bytes });
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

describe.each([
  ['target', IN_TARGETS],
  ['headers', IN_HEADERS],
  ['body', IN_BODIES],
])('a secret that stands in one place of the %s only is not kept', (part, secrets) => {
  test.each(Object.entries(secrets))('%s', (_name, [sent, spelled]) => {
    expect(sent).toContain(spelled);
    const stored = new Redactor(undefined).redact(exchangeOf({ [part]: sent }));
    expect(JSON.stringify(stored)).not.toContain(inJson(spelled));
    expect(stored.keys.length).toBeGreaterThan(0);
  });
});

test('what is no secret stays, in every known format of devices', () => {
  const places: Place[] = [
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
])('a body of 1 MB of %s takes no longer than its length allows', async (_what, body) => {
  const redacted = () => new Redactor(undefined).redact(exchangeOf({ body }));
  expect(await processorMs(redacted)).toBeLessThan(1500);
});

test('a message with more secrets than can be looked for is not kept', () => {
  const body = Array.from({ length: 5000 }, (_, at) => `token=secret${at}`).join('&');
  const stored = new Redactor(undefined).redact(exchangeOf({ body }));
  expect(stored.request).toMatchObject({ head: '', body: { text: '' }, whole: false });
  expect(stored.request.note).toMatch(/not kept: it seems to contain more than/);
});
