import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventRecord } from '../../src/core/records.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { TicketAdministration } from '../../src/features/tickets/rules.ts';
import { preferredLanguage } from '../../src/scan/http/scan-result.ts';
import { TestService } from '../support/service.ts';

describe('the preferred language', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-CH, en;q=0.9', 'de'],
    ['en, de', 'en'],
    ['de, en', 'de'],
    ['en;q=0.8, de', 'de'],
    ['de;q=0.8, en;q=0.9', 'en'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['fr, de;q=0.2', 'de'],
    ['fr', 'en'],
    ['fr, *;q=0.5', 'en'],
    ['*, de;q=0.5', 'en'],
    ['de, *', 'de'],
    ['en;q=0, *', 'de'],
    ['de;q=0', 'en'],
    ['de;q=0, en;q=0', 'en'],
    ['de;q=0.001', 'de'],
    ['de;q=2', 'en'],
    ['de;q=x, en;q=0.1', 'en'],
    ['de ; q=0.5 , en ; q=0.4', 'de'],
    ['den, en', 'en'],
    ['x, de', 'de'],
    [';;,,;q=1', 'en'],
    [`${'a,'.repeat(8000)}de`, 'en'],
  ])('of %j is %s', (header, language) => expect(preferredLanguage(header)).toBe(language));
});

const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
const english = { 'accept-language': 'en-GB,de;q=0.5' };

test('own software is told in German where it prefers that, and everything else is the same', async () => {
  await using service = await TestService.start();
  const { tickets } = service.seeded;
  const texts: Record<string, string> = {};
  const ask = async (name: string, code: unknown, headers: Record<string, string> = {}) => {
    const inGerman = await service.rest('validate', code, { ...headers, ...german });
    for (const other of [{}, english, { 'accept-language': 'fr' }]) {
      const inEnglish = await service.rest('validate', code, { ...headers, ...other });
      expect({ ...inEnglish.json, message: '' }).toEqual({ ...inGerman.json, message: '' });
      expect(inEnglish.json.message).not.toBe(inGerman.json.message);
    }
    texts[name] = inGerman.json.message;
  };
  for (const name of [
    'single',
    'exhausted',
    'cancelled',
    'notYetValid',
    'expired',
    'unknown',
  ] as const)
    await ask(name, tickets[name][0]);
  await ask('forged', `${tickets.single[0]}x`);
  await ask('foreign', tickets.otherEvent[0], { 'x-api-key': service.key('restScoped') });
  await ask('missing', '');

  expect(texts).toEqual({
    single: 'Ticket ist gültig',
    exhausted:
      'Ticket ist aufgebraucht: zuletzt benutzt am 01.07.2026 um 12:00 Uhr (UTC), Box office',
    cancelled: 'Ticket wurde storniert',
    notYetValid: 'Ticket ist noch nicht gültig',
    expired: 'Ticket ist abgelaufen',
    unknown: 'Ticket nicht gefunden',
    forged: 'Ungültiges Ticket',
    foreign: 'Dieser API-Schlüssel hat keinen Zugriff auf die Veranstaltung des Tickets',
    missing: 'ticketCode ist leer',
  });
  const consumed = await service.rest('consume', tickets.multi[0], german);
  expect(consumed.json.message).toBe('Ticket eingelöst');
});

test('what says nothing of a scan is never translated', async () => {
  await using service = await TestService.start({ limits: { burst: 2, ratePerSecond: 0.001 } });
  const code = service.seeded.tickets.single[0];
  const texts = [
    (await service.rest('consume', code, { ...german, 'x-api-key': '' })).text,
    (await service.rest('consume', code, { ...german, 'idempotency-key': 'a b' })).text,
    (await service.post('/scan/consume/', '', german)).text,
    await (await fetch(`${service.url}/scan/consume`, { headers: german })).text(),
  ];
  await service.rest('validate', code, german);
  texts.push((await service.rest('validate', code, german)).text);
  expect(texts).toEqual([
    '{"message":"Forbidden"}',
    '{"message":"Idempotency-Key must have 1 to 255 visible ASCII characters"}',
    '{"message":"Not Found"}',
    '{"message":"Method Not Allowed"}',
    '{"message":"Too Many Requests"}',
  ]);
});

test.each([
  ['sqlite', english, german, 'Ticket consumed'],
  ['sqlite', german, english, 'Ticket eingelöst'],
  ['memory', german, {}, 'Ticket eingelöst'],
] as const)(
  'in %s, a repeated answer keeps its first language',
  async (store, first, then, message) => {
    await using service = await TestService.start({ store });
    const code = await service.mint();
    const name = { 'idempotency-key': 'order-1' };
    const answer = await service.rest('consume', code, { ...name, ...first });
    const again = await service.rest('consume', code, { ...name, ...then });
    expect(answer.json.message).toBe(message);
    expect(again.text).toBe(answer.text);
  },
);

test('a device is told in its own words whatever it accepts', async () => {
  await using service = await TestService.start();
  const Card = btoa(service.seeded.tickets.exhausted[0] ?? '');
  const body = JSON.stringify({ Card });
  const answer = await service.post(
    `/scan/hw/consume?key=${service.key('hardware')}`,
    body,
    english,
  );
  expect(answer.json.Note).toBe('Ticket erschöpft');
});

describe('the message of a 400 names what is wrong', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ store: 'memory' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test.each([
    ['The content type must be application/json', '{"ticketCode":"x"}', 'text/plain'],
    ['The body is not valid JSON', '{"ticketCode":'],
    ['The body is not valid JSON', ''],
    ['The body must be a JSON object', '["x"]'],
    ['The body must be a JSON object', 'null'],
    ['ticketCode is missing', '{"code":"x"}'],
    ['ticketCode is empty', '{"ticketCode":""}'],
    ['ticketCode must be a string', '{"ticketCode":5}'],
    ['ticketCode must be a string', '{"ticketCode":null}'],
    ['The body has more than one ticketCode', '{"ticketCode":"a","ticketCode":"a"}'],
    ['The body is longer than 8 KiB', `{"ticketCode":"${'x'.repeat(9000)}"}`],
    ['The body is nested deeper than 8 levels', `{"a":${'['.repeat(8)}${']'.repeat(8)}}`],
    ['The body begins with a byte-order mark; send it without one', '\uFEFF{"ticketCode":"x"}'],
    ['The body is not valid UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d])],
  ])('%s', async (message, body, type = 'application/json') => {
    const headers = { 'x-api-key': service.key('rest'), 'content-type': type };
    for (const action of ['validate', 'consume']) {
      const { json } = await service.post(`/scan/${action}`, body, headers);
      expect(json.message).toBe(message);
    }
  });
});

test('a ticket that is used up says when and where it was used, in the time zone of its organisation; a device shows the same as ever', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const [organisation] = await service.store.list('organisation');
  const code = await service.mint();
  service.clock.nowMs = Date.parse('2026-07-01T22:30:00Z');
  await service.rest('consume', code);
  const exhausted = async (headers: Record<string, string>) =>
    (await service.rest('consume', code, headers)).json;

  const plain = await exhausted(english);
  await service.administration.organisations.edit(organisation?.id, { timeZone: 'Europe/Berlin' });
  const local = await exhausted(english);
  service.clock.nowMs += 48 * 60 * 60_000;

  const used = 'All uses of this ticket are used up: last used on';
  expect(plain).toMatchObject({ message: `${used} 2026-07-01 at 22:30 (UTC), Box office` });
  const message = `${used} 2026-07-02 at 00:30 (Europe/Berlin), Box office`;
  expect(local).toEqual({ ...plain, message });
  expect(await exhausted(english)).toEqual(local);
  expect(await exhausted(german)).toMatchObject({
    message:
      'Ticket ist aufgebraucht: zuletzt benutzt am 02.07.2026 um 00:30 Uhr (Europe/Berlin), Box office',
  });
  expect((await service.card('consume', code)).json).toMatchObject({ Note: 'Ticket erschöpft' });
});

test('without a zone of the organisation that time is in the zone of the machine; what a repeat gets is in UTC, which every machine of a store knows', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const code = await service.mint();
  service.clock.nowMs = Date.parse('2026-07-01T22:30:00Z');
  await service.rest('consume', code);
  const machine = process.env['TZ'];
  process.env['TZ'] = 'Asia/Tokyo';
  try {
    const messageOf = async (headers: Record<string, string>) =>
      (await service.rest('consume', code, headers)).json.message;
    expect(await messageOf(english)).toMatch(/on 2026-07-02 at 07:30 \(Asia\/Tokyo\), Box office$/);
    expect(await messageOf(german)).toMatch(/am 02\.07\.2026 um 07:30 Uhr \(Asia\/Tokyo\), Box/);
    const named = await messageOf({ ...english, 'idempotency-key': 'b' });
    expect(named).toMatch(/on 2026-07-01 at 22:30 \(UTC\)$/);
  } finally {
    process.env['TZ'] = machine ?? 'UTC';
  }
});

test('a repeat gets the same answer, whatever the gate and the time zone are called meanwhile', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const code = await service.mint();
  await service.rest('consume', code);
  const named = { ...english, 'idempotency-key': 'a' };
  const first = await service.rest('consume', code, named);
  const [organisation] = await service.store.list('organisation');
  await service.administration.organisations.edit(organisation?.id, { timeZone: 'Asia/Tokyo' });
  await service.administration.keys.edit(service.key('rest'), { name: 'North door' });

  expect(first.json.message).toMatch(/: last used on 2026-07-01 at \d\d:\d\d \(UTC\)$/);
  expect((await service.rest('consume', code, named)).text).toBe(first.text);
  expect((await service.rest('consume', code, english)).json.message).toContain('North door');
});

describe('where a ticket was used', () => {
  test.each(['sqlite', 'memory'] as const)(
    'is the name of the key and what the device calls itself, however many scans came since: %s',
    async (store) => {
      await using service = await TestService.start({ store });
      const code = await service.mint();
      await service.rest('consume', await service.mint());
      await service.card('consume', code);
      for (let count = 0; count < 30; count += 1) await service.rest('validate', 'forged');
      service.clock.advance(5000);
      const { json } = await service.rest('validate', code);
      expect(json.message).toMatch(/ \(UTC\), Gates \(S-1\)$/);
    },
  );

  test('steers no screen, whatever the device calls itself', async () => {
    await using service = await TestService.start({ store: 'memory' });
    const code = await service.mint();
    await service.card('consume', code, { Serial: 'TOR\u202e1\u001b[31m' });
    service.clock.advance(5000);
    const { json } = await service.rest('validate', code);
    expect(json.message).toMatch(/, Gates \(TOR1\)$/);
  });

  test('is left out where that use was taken back', async () => {
    await using service = await TestService.start({ store: 'memory' });
    const code = await service.mint({ kind: 'multi', uses: 3 });
    for (let uses = 0; uses < 2; uses += 1) await service.rest('consume', code);
    service.clock.advance(5000);
    await service.card('consume', code);
    const [use] = await service.store.readLog({ limit: 1 });
    const tickets = new TicketAdministration(
      service.store,
      service.clock,
      randomBytes,
      COMMAND_LINE,
    );
    await tickets.undo(use?.sequence ?? 0, 'wrong gate');
    await tickets.edit(use?.ticketId ?? '', { usesAllowed: 2 });
    const { json } = await service.rest('validate', code);
    expect(json.message).toMatch(/last used on .*\(UTC\)$/);
  });

  test('is left out where the log cannot be read in time, or at all: the ticket is denied all the same', async () => {
    await using service = await TestService.start({ store: 'memory', gateWithinMs: 50 });
    const code = await service.mint();
    await service.rest('consume', code);
    for (const searchLog of [() => new Promise<never>(() => {}), () => Promise.reject('disk')]) {
      Object.assign(service.store, { searchLog });
      const { status, json } = await service.rest('consume', code);
      expect([status, json.status]).toEqual([200, 'exhausted']);
      expect(json.message).toMatch(/last used on 2026-07-01 at \d\d:\d\d \(UTC\)$/);
    }
  });

  test('is not asked for a scan that is admitted', async () => {
    await using service = await TestService.start({ store: 'memory' });
    let asked = 0;
    const searchLog = () => {
      asked += 1;
      return Promise.reject('asked');
    };
    Object.assign(service.store, { searchLog });
    expect((await service.rest('validate', await service.mint())).json.valid).toBe(true);
    expect((await service.rest('consume', await service.mint())).json.valid).toBe(true);
    expect(asked).toBe(0);
  });
});

test('a store that fails while a denial looks for its time zone costs neither the answer nor the server', async () => {
  await using service = await TestService.start({ store: 'sqlite' });
  const body = JSON.stringify({ ticketCode: await service.mint() });
  const headers = { 'x-api-key': service.key('rest'), 'content-type': 'application/json' };
  await service.post('/scan/consume', body, headers);
  // The next batch shows that the keys have to be looked up again.
  const [event] = await service.store.list('event');
  await service.administration.events.rename(event as EventRecord, 'Renamed');
  const fails = () => Promise.reject(new Error('the disk has failed'));
  Object.assign(service.store, { findKeyByHash: fails, findKeysByHash: fails });

  const answer = await service.post('/scan/consume', body, headers);

  expect(answer.json).toMatchObject({ valid: false, status: 'exhausted' });
  expect((await service.post('/scan/consume', body, headers)).status).toBe(500);
});

test('a store that fails after a use was registered does not keep its guest out', async () => {
  await using service = await TestService.start({ store: 'sqlite' });
  await service.card('validate', await service.mint());
  // The next batch shows that the keys have to be looked up again, and this cannot be done.
  const [event] = await service.store.list('event');
  await service.administration.events.rename(event as EventRecord, 'Renamed');
  Object.assign(service.store, { findKeyByHash: () => Promise.reject(new Error('the disk')) });

  const code = await service.mint();
  expect((await service.card('consume', code)).json).toMatchObject({ AcsRes: '1' });
});
