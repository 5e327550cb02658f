import { describe, expect, test } from 'vitest';
import { DEVICE_CASES } from '../../../src/check/device/cases/cases.ts';
import { formatFrom } from '../../../src/check/device/formats/file-format.ts';
import { type Alteration, NO_REQUEST } from '../../../src/check/device/formats/format.ts';
import { accessController } from '../../../src/check/device/formats/models.ts';
import type { SeenRequest } from '../../../src/check/device/http.ts';
import { loadDeviceFiles, parseDeviceFile } from '../../../src/device-files/load.ts';
import { modelFromFile } from '../../../src/simulate/models/file-model.ts';
import { gatexFile } from './support/gatex-file.ts';

const KEY = 'tscn_hw_abcdef';
const GRANT = { name: 'Ada', note: 'Ticket gültig (1/10)', relay: 1, seconds: 3 } as const;
const ALTERATIONS: readonly Alteration[] = ['denied', 'missing', 'odd', 'longer', 'nested'];
const BUILT_IN = loadDeviceFiles('fixtures/device-files');
const ALL = [...BUILT_IN, gatexFile()];
const builtIn = (name: string) => {
  const file = BUILT_IN.find((one) => one.name === name);
  if (!file) throw new Error(`no file is called ${name}`);
  return formatFrom(file, '--device-file it');
};

/** A file of these answers; it does not say how the simulator plays it. */
function fileWith(answers: string, more = '') {
  const requests = `[{ kind: scan, code: { text: true } }]`;
  const head = `deviceFile: 1\nname: it\ntitle: It\nproven: nothing\nrequests: ${requests}`;
  return parseDeviceFile(`${head}\nanswers: { ${answers} }\n${more}`, 'it.yaml');
}

function request(method: string, target: string, body = ''): SeenRequest {
  return { ...NO_REQUEST, method, target, body };
}

describe('an admission with another decision', () => {
  test.each(ALL)('is none for the device of $name, in every way', (file) => {
    const format = formatFrom(file, '');
    const grant = format.grant(GRANT, NO_REQUEST);
    const read = modelFromFile(file).readCardAnswer;
    expect(read(grant).granted).toBe(true);
    for (const alteration of ALTERATIONS) {
      const altered = format.altered(grant, alteration);
      expect(altered?.body, alteration).not.toBe(grant.body);
      expect(altered && read(altered).granted, alteration).not.toBe(true);
      // the rest of the admission is still there
      expect(altered?.body, alteration).toContain('Ticket gültig (1/10)');
    }
  });

  const bodiesOf = (format: ReturnType<typeof formatFrom>) => {
    const grant = format.grant(GRANT, NO_REQUEST);
    return ALTERATIONS.map((alteration) => format.altered(grant, alteration)?.body);
  };

  test('changes what opens', () => {
    const json = (body: string) => `{ status: 200, type: application/json, body: '${body}' }`;
    const granted = json('{"v":1,"open":true,"lane":"{{relay}}","note":"{{note}}"}');
    const denied = json('{"v":1,"open":false,"note":"{{note}}"}');
    const opens = 'opensWhen: [{ json: open, equals: true }]';
    const rest = `"lane":"out","note":"${GRANT.note}"}`;
    expect(
      bodiesOf(formatFrom(fileWith(`granted: ${granted}, denied: ${denied}`, opens), '')),
    ).toEqual([
      `{"v":1,"open":false,${rest}`,
      `{"v":1,${rest}`,
      `{"v":1,"open":null,${rest}`,
      `{"v":1,"open":"true0",${rest}`,
      `{"v":1,"open":[true],${rest}`,
    ]);
  });

  test.each([
    [
      'a word of a text',
      [
        "'OPEN {{note}}'",
        "'SHUT {{note}}'",
        "{ text: true, decode: [{ before: ' ' }], equals: OPEN }",
      ],
      (word: string) => `${word} ${GRANT.note}`,
      'SHUT',
    ],
    [
      'an attribute of XML',
      [`'<r cmd="OPEN" t="{{note}}"/>'`, `'<r cmd="LOCK"/>'`, '{ xml: r@cmd, equals: OPEN }'],
      (word: string) => `<r cmd="${word}" t="${GRANT.note}"/>`,
      'LOCK',
    ],
  ])('changes %s, which it can lengthen but not nest', (_what, parts, told, denied) => {
    const [granted, refused, opens] = parts;
    const answers = `granted: { type: text/plain, body: ${granted} }, denied: { status: 200, type: text/plain, body: ${refused} }`;
    const file = fileWith(answers, `opensWhen: [${opens}]`);
    expect(bodiesOf(formatFrom(file, ''))).toEqual([
      told(denied),
      undefined,
      told('un-OPEN'),
      told('OPEN0'),
      undefined,
    ]);
  });

  test.each([
    ['the status alone decides', 'granted: { status: 200 }, denied: { status: 403 }', ''],
    [
      'the word is encoded',
      'granted: { type: text/plain, body: b3Blbg== }, denied: { status: 200, type: text/plain, body: c2h1dA== }',
      'opensWhen: [{ text: true, decode: [base64], equals: open }]',
    ],
  ])('cannot be made where %s', (_why, answers, opens) => {
    expect(bodiesOf(formatFrom(fileWith(answers, opens), ''))).toEqual(
      ALTERATIONS.map(() => undefined),
    );
  });
});

describe('a right device may take for an admission', () => {
  const byStatus = formatFrom(fileWith('granted: { status: 200 }, denied: { status: 403 }'), '');
  const text = "granted: { type: text/plain, body: 'OPEN {{note}}' }";
  const byText = formatFrom(
    fileWith(
      `${text}, denied: { status: 200, type: text/plain, body: 'ONLY {{note}}' }`,
      "opensWhen: [{ status: true, equals: 200 }, { text: true, decode: [{ before: ' ' }], equals: OPEN }]",
    ),
    '',
  );

  test.each([
    ['any body with the status that only a grant has', byStatus, 200, '<html>', true],
    ['no other status', byStatus, 500, '', false],
    ['the beginning of a text', byText, 200, 'OPEN Tick', true],
    ['no beginning that a denial has, too', byText, 200, 'O', false],
    ['no other text', byText, 200, 'SHUT', false],
    ['half of the text with an error', byText, 500, 'OPEN', false],
  ])('%s', (_what, format, status, body, may) => {
    expect(format.mayAdmit({ status, headers: {}, body })).toBe(may);
  });
});

describe('a request', () => {
  const card = '{"device_id":1,"qrcode_value":"CODE","portal_id":2}';
  const path = `/devices/${KEY}/new_qrcode.fcgi`;
  const turned = '{"event":{"name":"GIVE UP"},"device_id":1}';

  test.each([
    ['POST', path, card, 'card', 'CODE', true],
    ['PUT', path, card, 'card', 'CODE', false],
    ['POST', '/new_qrcode.fcgi', card, 'card', 'CODE', false],
    ['POST', `/devices/${KEY}/other`, card, 'card', 'CODE', false],
    ['POST', `/scan/hw/consume?key=${KEY}`, card, 'card', 'CODE', false],
    ['POST', path, '{"qr":"CODE"}', 'card', undefined, true],
    ['POST', `/devices/${KEY}/device_is_alive.fcgi`, '{}', 'heartbeat', undefined, true],
    ['GET', `/devices/${KEY}/device_is_alive.fcgi`, '', 'heartbeat', undefined, false],
    ['POST', `/devices/${KEY}/api/notifications/catra_event`, turned, undefined, undefined, true],
    ['POST', `/devices/${KEY}/api/notifications/door`, '{}', undefined, undefined, false],
  ])('%s %s %s is known for what it is', (method, target, body, kind, code, isAddressed) => {
    const format = builtIn('control-id');
    const seen = request(method, target, body);
    expect(format.kindOf(seen)).toBe(kind);
    expect(format.read(seen)?.code).toBe(code);
    expect(format.isAtAddress(seen)).toBe(isAddressed);
  });

  test('of another kind than a card is answered as the file says, and one that it does not have with 404', () => {
    const format = builtIn('control-id');
    const answerTo = (own: string, body: string) =>
      format.aside(request('POST', `/devices/${KEY}${own}`, body))?.status;
    expect(answerTo('/device_is_alive.fcgi', '{}')).toBe(200);
    expect(answerTo('/api/notifications/catra_event', turned)).toBe(200);
    expect(answerTo('/api/notifications/door', '{}')).toBe(404);
    expect(answerTo('/new_qrcode.fcgi', card)).toBeUndefined();
    const documented = request('POST', `/scan/hw/heartbeat?key=${KEY}`, '{"Key":"C0FFEE"}');
    expect(format.aside(documented)?.body).toBe('{"Key":"C0FFEE"}');
  });

  test.each([
    [`/devices/${KEY}/scan?codeKey=1`, [KEY]],
    [`/devices/${KEY}/scan?codeKey=1&key=${KEY}`, [KEY, KEY]],
    [`/devices/${KEY}/scan?codeKey=1&token=${KEY}`, [KEY, KEY]],
    [`/devices/${KEY.toUpperCase()}/scan?codeKey=1`, [KEY.toUpperCase()]],
    [`/scan?codeKey=1`, []],
    // a parameter of the device, not of ticketscan
    [`/devices/${KEY}/scan?key=1`, [KEY]],
    [`/scan/hw/consume?key=1`, ['1']],
  ])('%s has these keys', (target, keys) => {
    expect(builtIn('akuvox').keysIn(request('GET', target), KEY)).toEqual(keys);
  });

  test('repeats its values in the answer', () => {
    const { body } = builtIn('control-id').grant(GRANT, request('POST', path, card));
    expect(body).toContain('"portal_id":2');
    expect(body).toContain('allow=anticlockwise');
  });
});

test('a file says how its device is set up', () => {
  expect(builtIn('control-id').file?.setup).toEqual({ waitTimeMs: 5000, heartbeatMs: 60_000 });
  expect(formatFrom(gatexFile(), '').file?.setup).toEqual({});
});

test('what a file has is judged, and no more', () => {
  const { controllerFields, ...features } = builtIn('control-id').features;
  expect(features).toEqual({
    ...{ relay: true, seconds: false, name: true, note: true },
    ...{ serial: true, reader: true, heartbeatSerial: true },
    // only while it has no contact
    heartbeat: false,
  });
  expect(builtIn('akuvox').features).toMatchObject({ relay: false, name: false, reader: false });
  expect(formatFrom(gatexFile(), '').features).toMatchObject({ relay: true, seconds: true });
});

describe('whether a door opens without a name is asked of the documented controller alone', () => {
  const { skipReason } =
    DEVICE_CASES.find(({ id }) => id === '2.4/device-opens-without-name') ?? {};

  test('because it has a rule for that', () => {
    expect(skipReason?.(accessController)).toBeUndefined();
  });

  test.each(ALL)('and $name is said to have a name where its admission has one', (file) => {
    const format = formatFrom(file, '');
    const isNamed = format.grant(GRANT, NO_REQUEST).body?.includes(GRANT.name);
    expect(skipReason?.(format)?.includes('always has a name')).toBe(isNamed);
  });
});

test('what the simulator of a file does not look at is not judged', () => {
  const { simulate, ...file } = gatexFile();
  if (!simulate) throw new Error('the page has no simulate');
  const { relay: _, note: __, ...blind } = simulate;
  const format = formatFrom({ ...file, simulate: blind }, '');
  expect(format.features).toMatchObject({ relay: false, note: false });
  expect([format.textOf('exhausted'), formatFrom(file, '').textOf('exhausted')]).toEqual([
    '',
    'Ticket erschöpft',
  ]);
});

test('texts are expected as long as the file lets them be', () => {
  const granted = `{ type: application/json, body: '{"open":true,"name":"{{name}}","note":"{{note}}"}' }`;
  const denied = `{ status: 403, type: application/json, body: '{"note":"{{note}}"}' }`;
  const file = fileWith(`granted: ${granted}, denied: ${denied}`, 'limits: { name: 5, note: 9 }');
  const format = formatFrom(file, '');
  expect(format.shown({ name: 'Jürgen Größer', note: 'Ticket gültig' })).toEqual({
    name: 'Jürg',
    note: 'Ticket g',
  });
  expect(format.textOf('exhausted')).toBe('Ticket er');
});
