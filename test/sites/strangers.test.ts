import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeApiKey } from '../../src/core/api-key.ts';
import { type LogEntryJson, logEntryToJson } from '../../src/core/records.ts';
import { homeOfEvent, type SiteRecord } from '../../src/features/sites/site-records.ts';
import { ADMIN_PREFIX } from '../../src/operations/operation.ts';
import { AdminClient } from '../admin/support/client.ts';
import { FIRST_QUESTION } from '../support/site-question.ts';
import { useOf } from '../support/sites.ts';
import { TestCentre } from './support/centre-and-sites.ts';

let centre: TestCentre;
let eventId = '';
let ticketId = '';
let record: SiteRecord;
let token = '';
let name = 0;

beforeAll(async () => {
  centre = await TestCentre.start('memory');
});
afterAll(() => centre[Symbol.asyncDispose]());

/** A new site for each test, with an event that it has taken. */
beforeEach(async () => {
  name += 1;
  eventId = await centre.event(`Event ${name}`);
  ticketId = await centre.mint(eventId, 5);
  const { organisationId } = (await centre.store.read('event', eventId)) ?? {};
  const made = await centre.rules.create(organisationId ?? '', `Site ${name}`, false);
  record = made.site;
  token = made.token;
  await ask();
  await centre.rules.giveTo(
    (await centre.store.read('event', eventId)) as never,
    await centre.rules.find(record.id),
  );
});

const FIRST = '0'.repeat(16);

async function send(method: string, path: string, body?: unknown, by = token) {
  const response = await fetch(`${centre.service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${by}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whatever came over the wire
  return { status: response.status, text, json: JSON.parse(text || 'null') as any };
}

const site = (path: string, body?: unknown, by = token) =>
  send(body === undefined ? 'GET' : 'POST', `${ADMIN_PREFIX}/site/${path}`, body, by);

function ask(changes: object = {}, by = token) {
  const question = { ...FIRST_QUESTION, incarnation: FIRST, now: Date.now() };
  return site('feed', { ...question, ...changes }, by);
}

function use(number: number, changes: Partial<LogEntryJson> = {}, after = number - 1, epoch = 1) {
  const made = useOf({ keyId: centre.keyId, clock: Date }, ticketId);
  const entry = logEntryToJson({ ...made, sequence: number });
  return { after, epoch, entry: { ...entry, ...changes } };
}

const rows = (some: unknown[], changes: object = {}) =>
  site('rows', { incarnation: FIRST, rows: some, waiting: 0, scanners: [], ...changes });

const usesOf = async () => (await centre.store.findTicket(ticketId))?.usesConsumed;
const tickets = (event: string, changes: Record<string, string> = {}) =>
  site(`tickets?${new URLSearchParams({ incarnation: FIRST, event, epoch: '1', ...changes })}`);

test('the token of a site may call its three routes and nothing else', async () => {
  const spec = await send('GET', '/openapi.json');
  expect(spec.status).toBe(200);
  const isOpen = (operation: { security?: unknown[] }) => operation.security?.length === 0;
  let tried = 0;
  for (const [path, operations] of Object.entries<Record<string, never>>(spec.json.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (path.includes('/site/') || path.startsWith('/scan') || isOpen(operation)) continue;
      const url = path.replace(/\{[^}]+\}/g, 'x').replace(/^(?!\/admin)/, ADMIN_PREFIX);
      const { status } = await send(method.toUpperCase(), url, method === 'get' ? undefined : {});
      expect([method, path, status]).toEqual([method, path, 401]);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(60);
  const scan = await fetch(`${centre.service.url}/scan/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': token },
    body: '{"ticketCode":"x"}',
  });
  expect(scan.status).toBe(401);
});

test('no other token opens the routes of a site', async () => {
  const owner = await AdminClient.signedIn(centre.service);
  const { json } = await owner.post('/access-tokens', { name: `t ${name}`, role: 'owner' });
  const others = [
    '',
    'x',
    json.token,
    makeApiKey('api', randomBytes),
    centre.service.key('rest'),
    token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    `${token}x`,
    record.tokenHash,
  ];
  for (const other of others) {
    expect([other, (await ask({}, other)).status]).toEqual([other, 401]);
    expect(
      (await site('rows', { incarnation: FIRST, rows: [use(1)], waiting: 0, scanners: [] }, other))
        .status,
    ).toBe(401);
  }
  expect(
    (await site(`tickets?incarnation=${FIRST}&event=${eventId}&epoch=1`, undefined, 'x')).status,
  ).toBe(401);
  expect(await usesOf()).toBe(0);
});

test('a site sees its events, and no ticket or name of another', async () => {
  const other = await centre.event(`Hidden ${name}`);
  const hidden = await centre.mint(other, 3);

  const { text, json } = await ask();
  expect(json.records.events.map(({ id }: { id: string }) => id)).toEqual([eventId]);
  expect(text).not.toContain(`Hidden ${name}`);
  const page = await tickets(eventId);
  expect(page.json.tickets.map(({ id }: { id: string }) => id)).toEqual([ticketId]);
  expect((await tickets(other)).status).toBe(404);
  await centre.store.cancelTickets([hidden], 1, {
    at: 1,
    organisationId: null,
    accountId: null,
    by: 'x',
    act: 'ticket.cancel',
    subject: hidden,
    details: {},
  });
  expect((await ask({ feed: json.feed })).text).not.toContain(hidden);
  // Where nobody wanted it, the secret that makes TS1 codes stays at the centre.
  expect(json.records.signing.map(({ format }: { format: string }) => format)).not.toContain('TS1');
});

test('a page of another stay is refused', async () => {
  expect((await tickets(eventId, { epoch: '2' })).status).toBe(404);
  expect((await tickets(eventId, { epoch: '0' })).status).toBe(422);
});

test('a retired site is refused at once, also one that waits for an answer', async () => {
  const { json } = await ask();
  const digest = json.records.digest;
  const held = [{ event: eventId, epoch: 1, isClosed: false, newest: 0 }];
  const waiting = ask({ feed: json.feed, digest, held, waitSeconds: 25 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await centre.rules.retire(await centre.rules.find(record.id));

  expect((await waiting).status).toBe(403);
  expect((await ask()).status).toBe(401);
  expect((await rows([use(1)])).status).toBe(401);
  expect((await tickets(eventId)).status).toBe(401);
  expect(await usesOf()).toBe(0);
});

test('rows of keys, accounts and events of others are refused, and none of the batch is kept', async () => {
  const foreign = await centre.service.administration.organisations.create(`Foreign ${name}`);
  const { key } = await centre.service.administration.keys.create({
    name: 'k',
    type: 'api',
    events: 'all',
    organisation: foreign.name,
  });
  const theirs = await centre.service.administration.events.create(`Theirs ${name}`, foreign.name);
  const stranger = `acc_${'s'.repeat(10)}`;

  for (const bad of [
    { keyId: key.id },
    { keyId: 'key_unknown12' },
    { keyId: stranger },
    { ticketId: await centre.mint(theirs.id, 2) },
  ]) {
    const { status, text } = await rows([use(1), use(2, bad)]);
    expect([bad, status]).toEqual([bad, 422]);
    expect(text).toContain('its organisation does not have');
  }
  expect(await usesOf()).toBe(0);
  expect((await rows([use(1)])).json).toMatchObject({ stored: 1 });
});

test('rows of own events that the site does not have take no use', async () => {
  const other = await centre.event(`Own ${name}`);
  const own = await centre.mint(other, 3);

  expect((await rows([use(1, { ticketId: own })])).json).toMatchObject({ stored: 1 });

  expect(await centre.store.findTicket(own)).toMatchObject({ usesConsumed: 0 });
  const [last] = await centre.store.readLog({ limit: 1 });
  expect(last).toMatchObject({ replayed: true, site: { late: true } });
});

test('repeated rows, rows out of order and numbers that go back change nothing', async () => {
  expect((await rows([use(3, {}, 0), use(4)])).json).toMatchObject({ stored: 4 });
  expect((await rows([use(3, {}, 0), use(4)])).json).toMatchObject({ stored: 4 });
  expect((await rows([use(9, {}, 7)])).json).toMatchObject({ stored: 4 });
  expect((await rows([use(2, {}, 4)])).json).toMatchObject({ stored: 4 });
  expect((await rows([use(6, {}, 4), use(5, {}, 6)])).json).toMatchObject({ stored: 6 });
  expect(await usesOf()).toBe(3);
  expect((await centre.store.verify()).problems).toEqual([]);
});

test('times are believed up to a day ahead, and not before the site was made', async () => {
  const at = (year: number) => new Date(Date.UTC(year, 0)).toISOString();
  const { status } = await rows([use(1, { at: at(9999) }), use(2, { at: at(1971) })]);

  expect(status).toBe(200);
  const [ahead, before] = await centre.store.readLog({ limit: 2 });
  expect(ahead?.at).toBeLessThan(Date.now() + 25 * 60 * 60_000);
  expect(before?.at).toBe(record.createdAt);
  const found = await centre.store.findTicket(ticketId);
  expect(found?.lastConsumedAt).toBe(ahead?.at);
  expect((await rows([use(3, { at: 'tomorrow' })])).status).toBe(422);
});

test('what is too long, too many or of another form is refused', async () => {
  const many = Array.from({ length: 513 }, (_, at) => use(at + 1));
  const long = [use(1, { serial: 'x'.repeat(5 * 1024 * 1024) })];
  for (const [what, sent, status] of [
    ['too many rows', rows(many), 422],
    ['too many bytes', rows(long), 413],
    ['no row', rows([]), 422],
    ['a negative number', rows([{ ...use(1), after: -1 }]), 422],
    ['a stay of no number', rows([{ ...use(1), epoch: 1.5 }]), 422],
    ['an unknown member', rows([use(1)], { extra: 1 }), 422],
    ['no incarnation', rows([use(1)], { incarnation: 'x' }), 422],
    ['an odd outcome', rows([use(1, { outcome: 'free' as never })]), 422],
    ['too long a wait', ask({ waitSeconds: 26 }), 422],
    [
      'too many events',
      ask({ held: Array(10_001).fill({ event: 'x', epoch: 1, isClosed: true, newest: 0 }) }),
      422,
    ],
  ] as const) {
    expect([what, (await sent).status]).toEqual([what, status]);
  }
  expect(await usesOf()).toBe(0);
});

test('a second store with the token gets nothing of the first, and cannot speak for it', async () => {
  const second = { incarnation: 'f'.repeat(16) };
  const held = [{ event: eventId, epoch: 1, isClosed: true, newest: 0 }];
  const { json, text } = await ask({ ...second, held, applied: 99 });

  expect([json.wishes, json.records.events]).toEqual([[], []]);
  expect(text).not.toContain(eventId);
  expect((await tickets(eventId, second)).status).toBe(404);
  expect((await rows([use(1)], second)).json).toMatchObject({ stored: 1 });
  expect(await usesOf()).toBe(0);
  await centre.rules.askBack((await centre.store.read('event', eventId)) as never);
  await ask({ ...second, held });
  expect((await homeOfEvent(centre.store, eventId)).home.at).toBe('returning');
  // The first one still has it.
  expect((await ask()).json.wishes).toEqual([{ event: eventId, epoch: 1, kind: 'close' }]);
});

test('a second store does not say that changes are in force at the first', async () => {
  await ask({ held: [{ event: eventId, epoch: 1, isClosed: false, newest: 0 }] });
  await centre.store.cancelTickets([ticketId], 1, {
    at: 1,
    organisationId: null,
    accountId: null,
    by: 'x',
    act: 'ticket.cancel',
    subject: ticketId,
    details: {},
  });
  const { json } = await ask({ incarnation: 'f'.repeat(16) });
  await ask({ incarnation: 'f'.repeat(16), feed: json.feed, applied: 1e6 });
  expect(await centre.store.siteChangesOf([ticketId])).toMatchObject([{ inForceAt: null }]);
  await ask({ feed: json.feed, applied: 1e6 });
  expect(await centre.store.siteChangesOf([ticketId])).not.toMatchObject([{ inForceAt: null }]);
});

test('a question from before a restore of the centre does not say that a site has nothing', async () => {
  const { feed } = (await ask()).json;
  await centre.store.forgetSite();
  const asked = async () => (await centre.rules.eventsAt(record)).map(({ event }) => event.id);
  expect(await asked()).toContain(eventId);

  const { feed: now } = (await ask({ feed })).json;
  expect(await asked()).toContain(eventId);
  await ask({ feed: now });
  expect(await asked()).not.toContain(eventId);
});

test('a question from before a restore does not say that a site has an event again, and lets it go on', async () => {
  const word = { event: eventId, epoch: 7, isClosed: false, newest: 0 };
  const { feed } = (await ask()).json;
  await centre.store.forgetSite();
  const home = async () => (await homeOfEvent(centre.store, eventId)).home;

  const { feed: now, wishes, records } = (await ask({ feed, held: [word] })).json;
  expect(await home()).not.toHaveProperty('claim');
  expect(wishes).toContainEqual({ event: eventId, epoch: 7, kind: 'keep' });
  expect(records.events.map(({ id }: { id: string }) => id)).toContain(eventId);
  await ask({ feed: now, held: [word] });
  // The sites of the other tests are asked still.
  expect(await home()).toMatchObject({ at: 'asking', claim: { epoch: 7 } });
});
