import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadDeviceFiles, parseDeviceFile } from '../../src/device-files/load.ts';
import { learnDeviceFile } from '../../src/record/device-files/learn.ts';
import { prove } from '../../src/record/device-files/prove.ts';
import { FileDevices } from '../../src/record/device-files/senders.ts';
import { RequestKinds } from '../../src/record/kinds/request-kinds.ts';
import { RawExchange } from '../../src/record/proxy/proxied-connection.ts';
import type { StoredExchange, StoredMessage } from '../../src/record/recording.ts';
import { Redactor } from '../../src/record/secrets/redactor.ts';
import { CliFolder } from '../support/cli.ts';
import { BUILT_IN_NAMES, builtInPath } from '../support/device-files.ts';
import { words } from '../support/words.ts';

const CODE = 'Ab3.tkt_0123abcd_ef45.c2lnbmF0dXJl-Zm9yLXRlc3Q';
const OTHER = 'Ab3.tkt_0123abce_ef46.c2lnbmF0dXJl-Zm9yLXRlc3R';

function message(first: string, type: string, body: string): StoredMessage {
  const head = `${first}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return { head, body: { text: body }, whole: true };
}

function exchange(
  number: number,
  sent: StoredMessage,
  answered: StoredMessage | null,
): StoredExchange {
  const times = { atMs: number * 100, durationMs: 10 };
  const sender = { model: 'unknown', keys: ['key-1'] };
  return { number, connection: 1, ...times, ...sender, request: sent, response: answered };
}

const gatexCard = (code: string) =>
  message(
    'POST /scan/hw/consume?key=‹key-1› HTTP/1.1',
    'application/json',
    JSON.stringify({
      media: { type: 'qr', data: Buffer.from(`${code}\r\n`).toString('base64') },
      sn: 'GX-2201-77',
      lane: 1,
    }),
  );
const json = (status: string, body: object) =>
  message(`HTTP/1.1 ${status}`, 'application/json', JSON.stringify(body));
const opened = json('200 OK', { open: true, lane: '1', name: 'Erika', text: 'Welcome 1/1' });
const refused = json('200 OK', { open: false, text: 'Used up' });
const session = [
  exchange(1, gatexCard(CODE), opened),
  exchange(
    2,
    gatexCard(OTHER),
    json('200 OK', { open: true, lane: '1', name: 'Otto', text: 'Hi' }),
  ),
  exchange(3, gatexCard(CODE), refused),
  exchange(
    4,
    message(
      'POST /devices/‹key-1›/alive HTTP/1.1',
      'application/json',
      '{"sn":"GX-2201-77","fw":"1.2.3"}',
    ),
    json('200 OK', {}),
  ),
];

test('a recording becomes a device file that reads and answers as recorded, without codes and names', () => {
  const text = learnDeviceFile(session, 'gatex') ?? '';
  const file = parseDeviceFile(text, 'gatex.yaml');
  expect(file).toMatchObject({
    name: 'gatex',
    proven: 'nothing',
    requests: [
      {
        kind: 'scan',
        when: [{ json: 'media.data' }],
        code: { json: 'media.data', decode: ['base64', 'trim-line-end'] },
        serial: { json: 'sn' },
        reader: { json: 'lane' },
      },
      { kind: 'heartbeat', path: '/alive', serial: { json: 'sn' }, firmware: { json: 'fw' } },
    ],
    answers: {
      granted: {
        status: 200,
        body: '{"open":true,"lane":"1","name":"{{name}}","text":"{{note}}"}',
      },
      denied: { status: 200, body: '{"open":false,"text":"{{note}}"}' },
    },
  });
  for (const private_ of [CODE, 'Erika', 'Otto', Buffer.from(CODE).toString('base64')])
    expect(text).not.toContain(private_);
  expect(text).toMatch(/serial: .* # a guess: looks like the serial of the device/);

  const proven = prove(session.slice(0, 3), file);
  expect(proven.map(({ outcomes, differences }) => [outcomes?.[0], differences])).toEqual([
    ['granted', []],
    ['granted', []],
    ['exhausted', []],
  ]);
  expect(proven[0]?.read).toMatchObject({
    kind: 'scan',
    scan: { ticketCode: CODE, serial: 'GX-2201-77', reader: '1' },
  });
});

test('what a recording cannot tell is missing, and said', () => {
  const shut = [exchange(1, gatexCard(CODE), json('403 Forbidden', { why: 7 }))];
  const lacksGrant = learnDeviceFile(shut, 'gatex') ?? '';
  expect(lacksGrant).toContain('# granted is missing: no recorded answer says that it opens');
  expect(() => parseDeviceFile(lacksGrant, 'g.yaml')).toThrow(
    /^g\.yaml:\d+:\d+: .*granted.*missing/,
  );

  const unclear = [exchange(1, gatexCard(CODE), json('200 OK', { mode: 7 }))];
  const asks = learnDeviceFile(unclear, 'gatex') ?? '';
  expect(asks).toContain('is it granted, or a denial of its own?\n  #   status: 200');
  expect(() => parseDeviceFile(asks, 'g.yaml')).toThrow('answers.granted: is missing');

  const ours = [exchange(1, gatexCard(CODE), json('200 OK', { AcsRes: '0', ActIndex: '0' }))];
  expect(learnDeviceFile(ours, 'gatex')).toContain('# ticketscan itself answered in the recording');
  const echo = [exchange(1, gatexCard(CODE), json('200 OK', { open: true, card: CODE }))];
  expect(learnDeviceFile(echo, 'gatex')).not.toContain(CODE);
  const card = Buffer.from('CARD-4711-ABC').toString('base64');
  const own = message('POST /scan/hw/consume HTTP/1.1', 'application/json', `{"d":"${card}"}`);
  const ofCard = learnDeviceFile([exchange(1, own, refused)], 'gatex') ?? '';
  expect(ofCard).toContain('code: { json: d, decode: [base64, trim-line-end] }  # a guess');
  expect(ofCard).not.toContain('CARD-');
  const known = session.map((one) => ({ ...one, model: 'rest' }));
  expect(learnDeviceFile(known.slice(0, 3), 'gatex')).toBeUndefined();
});

test.each([
  ['a text', 'text/plain', CODE, '', { text: true }],
  ['a form', 'application/x-www-form-urlencoded', `qr=${CODE}&dev=D-1`, '', { form: 'qr' }],
  ['a query', 'text/plain', '', `&codeKey=${CODE}&deviceId=D-1`, { query: 'codeKey' }],
  [
    'hex',
    'application/json',
    JSON.stringify({ d: Buffer.from(CODE).toString('hex') }),
    '',
    { json: 'd' },
  ],
])('the code in %s is found', (_where, type, body, query, source) => {
  const sent = message(`POST /scan/hw/consume?key=‹key-1›${query} HTTP/1.1`, type, body);
  const recorded = [exchange(1, sent, opened), exchange(2, sent, refused)];
  const file = parseDeviceFile(learnDeviceFile(recorded, 'it') ?? '', 'it.yaml');
  expect(file.requests[0]).toMatchObject({ kind: 'scan', code: source });
  const [first] = prove(recorded, file);
  expect(first?.read).toMatchObject({ scan: { ticketCode: CODE } });
});

const golden = (name: string) => readFileSync(`fixtures/devices/${name}`, 'latin1');

/** A golden packet as it stands in a recording. */
function packet(name: string): StoredMessage {
  const text = golden(name);
  const end = text.indexOf('\r\n\r\n') + 4;
  const body = Buffer.from(text.slice(end), 'latin1').toString();
  return { head: text.slice(0, end), body: { text: body }, whole: true };
}

test.each(BUILT_IN_NAMES)('the golden packets of %s prove its file', (name) => {
  const file = loadDeviceFiles(builtInPath(name))[0]!;
  const card = packet(`${name}/card.request.http`);
  const packets = ['granted', 'denied'].map((outcome, index) =>
    exchange(index + 1, card, packet(`${name}/card.${outcome}.response.http`)),
  );
  const proven = prove(packets, file);
  expect(proven.map(({ outcomes }) => outcomes?.[0])).toEqual(['granted', 'exhausted']);
  expect(proven.flatMap(({ differences }) => differences)).toEqual([]);

  const other = json('200 OK', { result: { event: 8 } });
  const [unlike] = prove([exchange(1, card, other)], file);
  expect(unlike?.differences).toMatchObject([
    { what: 'answer', recorded: expect.stringContaining('"event":8') },
  ]);

  // a denial that differs is compared with the denial of the file, not with its grant
  const denied = (file.answers.denied?.body ?? '').replace('{{portal}}', '1');
  const worded = json('200 OK', JSON.parse(denied.replace('"event":6', '"event":6,"late":1')));
  const [nearest] = prove([exchange(1, card, worded)], file);
  expect(nearest?.differences).toMatchObject([
    { what: 'answer', nearest: expect.stringMatching(/^a denial/) },
  ]);
});

test('XML is learnt and proved, and a denial is compared with the denial: the first difference is told', () => {
  const type = 'application/xml';
  const sent = (code: string) =>
    message('POST /lane HTTP/1.1', type, `<read><bc>${code}</bc><unit sn="LX-1"/></read>`);
  const answered = (cmd: string, seconds: number, name: string) =>
    message(
      'HTTP/1.1 200 OK',
      type,
      `<reply><gate cmd="${cmd}" sec="${seconds}"/><name>${name}</name></reply>`,
    );
  const recorded = [
    exchange(1, sent(CODE), answered('OPEN', 5, 'Ada')),
    exchange(2, sent(OTHER), answered('LOCK', 5, 'Bob')),
  ];
  const text = learnDeviceFile(recorded, 'lane') ?? '';
  expect(text).toContain('opensWhen: [{ xml: reply.gate@cmd, equals: OPEN }]');
  expect(text).not.toMatch(/Ada|Bob/);
  const learnt = parseDeviceFile(text, 'lane.yaml');
  const found = { code: { xml: 'read.bc' }, serial: { xml: 'read.unit@sn' } };
  expect(learnt.requests[0]).toMatchObject(found);
  const body = (cmd: string, seconds: number) =>
    `<reply><gate cmd="${cmd}" sec="${seconds}"/><name>{{name}}</name></reply>`;
  const answers = {
    granted: { type, body: body('OPEN', 5) },
    denied: { type, status: 200, body: body('LOCK', 0) },
  };
  const proven = prove(recorded, { ...learnt, answers });
  expect(proven.map(({ outcomes }) => outcomes)).toEqual([['granted'], []]);
  expect(proven[1]?.differences).toEqual([
    {
      what: 'answer',
      nearest: 'a denial (12 outcomes)',
      recorded: `200 ${type} <reply><gate cmd="LOCK" sec="5"/><name>Bob</name></reply>`,
      now: `200 ${type} <reply><gate cmd="LOCK" sec="0"/><name>Bob</name></reply>`,
    },
  ]);
});

test('the command line writes a file, proves it, and refuses what it cannot use', async () => {
  await using folder = new CliFolder();
  const header = { ticketscan: 'recording', version: 1, recordedAt: '2026-01-01T00:00:00Z' };
  const lines = [{ ...header, upstream: 'http://controller', codes: 'real' }, ...session];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(folder.path, 'gate.jsonl'), text);

  const learnt = await folder.run(['record', 'show', 'gate.jsonl', '--learn', 'Gate X.yaml']);
  expect(learnt).toMatchObject({
    code: 0,
    err: expect.stringContaining('Gate X.yaml can be loaded'),
  });
  expect(await folder.json(['device-files', 'check', 'Gate X.yaml'])).toMatchObject([
    { name: 'gate-x' },
  ]);
  const nowhere = await folder.run([
    'record',
    'http://127.0.0.1:9',
    '--learn',
    'gate.jsonl/it.yaml',
  ]);
  expect(nowhere).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      'gate.jsonl/it.yaml cannot be written: a part of its path is not a folder (check the path).',
    ),
  });
  const again = await folder.run(['record', 'show', 'gate.jsonl', '--learn', 'Gate X.yaml']);
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining('already exists') });

  const proof = ['record', 'show', 'gate.jsonl', '--device-file', 'Gate X.yaml'];
  const proven = await folder.run(proof);
  expect(proven.out).toContain(
    `scan, code ${CODE}, serial GX-2201-77, reader 1, answered as granted`,
  );
  expect(proven).toMatchObject({
    code: 0,
    out: expect.stringContaining('4 answers as recorded, 0 different.'),
  });
  const wrong = readFileSync(join(folder.path, 'Gate X.yaml'), 'utf8').replace(
    '"open":false',
    '"open":0',
  );
  writeFileSync(join(folder.path, 'wrong.yaml'), wrong);
  const refuted = await folder.run(words`record show gate.jsonl --device-file wrong.yaml --json`);
  expect(refuted.code).toBe(1);
  expect(refuted.out).toContain('"same":3,"different":1,"uncompared":0');
});

describe('a recording that knows the devices of files', () => {
  const devices = new FileDevices(loadDeviceFiles('control-id', 'akuvox'));
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  function recorded(head: string, body: string, salt?: Uint8Array): StoredExchange {
    const raw = new RawExchange(1, 1, 0);
    raw.request.head = head;
    raw.request.add(Buffer.from(body));
    return new Redactor(salt, devices).redact(raw);
  }
  const card = JSON.stringify({ device_id: 47, portal_id: 3, qrcode_value: CODE, time: 1 });
  const KEY = 'tscn_hw_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX000000';
  const cardHead = (key: string) => post(`/devices/${key}/new_qrcode.fcgi`, card);

  test('names the device and what the file says of its fields', () => {
    const exchange = recorded(cardHead(KEY), card);
    expect(exchange.model).toBe('control-id');
    const kind = new RequestKinds(devices).observe(exchange);
    const fields = kind?.fields.map(({ name, looksLike }) => [name, looksLike]);
    expect(kind?.model).toBe('control-id');
    expect(fields).toEqual([
      ['device_id', 'the serial of the device'],
      ['portal_id', 'the reader'],
      ['qrcode_value', 'the code'],
      ['time', 'a small number: a reader, a state, a type'],
    ]);
    const get = `GET /gate/devices/${KEY}/scan?codeKey=${CODE}&deviceId=0C11 HTTP/1.1\r\n\r\n`;
    const asked = recorded(get, '');
    const inQuery = new RequestKinds(devices).observe(asked)?.fields;
    expect(inQuery?.map(({ looksLike }) => looksLike)).toEqual([
      'the code',
      'the serial of the device',
    ]);
    const gaveUp = JSON.stringify({ event: { name: 'GIVE UP' }, device_id: 47 });
    const report = recorded(post(`/devices/${KEY}/api/notifications/catra_event`, gaveUp), gaveUp);
    const told = new RequestKinds(devices).observe(report)?.fields;
    expect(told?.[0]).toMatchObject({ name: 'event.name', looksLike: 'whether somebody passed' });
  });

  test.each([
    ['a key of ticketscan', KEY],
    ['one that is percent-encoded', KEY.replace('_', '%5F')],
    ['one that was cut', KEY.slice(0, 30)],
    ['any other word in its place', 'swordfish'],
  ])('the key in the path is not kept: %s', (_what, key) => {
    const stored = JSON.stringify(recorded(cardHead(key), card));
    expect(decodeURIComponent(stored)).toContain('/devices/‹key-1›/new_qrcode.fcgi');
    expect(stored).not.toContain(key);
  });

  test('the code is replaced on request where the file says that it is, whatever its form', () => {
    const own = card.replace(CODE, 'GUEST-0815');
    const stored = JSON.stringify(recorded(cardHead(KEY), own, new Uint8Array(32)));
    expect(stored).not.toContain('GUEST-0815');
  });
});

test('record takes device files, and record show says with one what its fields are', async () => {
  await using folder = new CliFolder();
  const bad = ['record', 'http://127.0.0.1:9', '--device-file', 'control-id'];
  const twice = await folder.run([...bad, '--device-file', 'control-id']);
  expect([twice.code, twice.err]).toEqual([
    2,
    expect.stringContaining('the name "control-id" is already that of control-id'),
  ]);
  const text = JSON.stringify({ device_id: 47, portal_id: 3, qrcode_value: CODE });
  const request = message(
    'POST /devices/‹key-1›/new_qrcode.fcgi HTTP/1.1',
    'application/json',
    text,
  );
  const header = { ticketscan: 'recording', version: 1, recordedAt: '2026-01-01T00:00:00Z' };
  const lines = [{ ...header, upstream: 'http://gate', codes: 'real' }, exchange(1, request, null)];
  const recording = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  writeFileSync(join(folder.path, 'gate.jsonl'), recording);
  const shown = await folder.run(['record', 'show', 'gate.jsonl', '--device-file', 'control-id']);
  expect(shown.out).toContain('Device model control-id: POST /devices/‹key-1›/new_qrcode.fcgi');
  expect(shown.out).toMatch(/portal_id +JSON +number +3 +the reader/);
});
