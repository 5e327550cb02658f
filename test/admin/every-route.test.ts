import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDLE_MS, SESSION_MS } from '../../src/features/accounts/access.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';
import { makeForeignObjects } from './support/foreign-objects.ts';

/** A route of the admin API. */
interface Route {
  readonly least: 'anyone' | 'scanner' | 'viewer' | 'operator' | 'owner';
  /** Which object of the other organisation `:id` is. */
  readonly of?: Kind;
  /** A body that the route takes, given with `of`, so that nothing but the object can be what it refuses. */
  readonly body?: object;
  readonly sessionOnly?: true;
}

/** What each role may not call. A route that is not here fails the first test; one that needs no account must say so here. */
const ROUTES: Record<string, Route> = {
  'POST /sessions': { least: 'anyone' },
  'GET /sessions/current': { least: 'scanner' },
  'DELETE /sessions/current': { least: 'scanner' },
  'POST /password': { least: 'viewer', sessionOnly: true },
  'GET /accounts': { least: 'owner' },
  'POST /accounts': { least: 'owner', sessionOnly: true },
  'PATCH /accounts/:id': {
    least: 'owner',
    of: 'account',
    body: { role: 'viewer' },
    sessionOnly: true,
  },
  'DELETE /accounts/:id': { least: 'owner', of: 'account', sessionOnly: true },
  'GET /access-tokens': { least: 'viewer' },
  'POST /access-tokens': { least: 'viewer', sessionOnly: true },
  'DELETE /access-tokens/:id': { least: 'viewer', of: 'accessToken' },
  'GET /organisation/access-tokens': { least: 'owner' },
  'DELETE /organisation/access-tokens/:id': { least: 'owner', of: 'accessToken' },
  'GET /organisation': { least: 'viewer' },
  'PATCH /organisation': { least: 'owner' },
  'GET /organisation/sheets': { least: 'viewer' },
  'PATCH /organisation/sheets': { least: 'owner' },
  'GET /organisation/logo.png': { least: 'viewer' },
  'GET /events': { least: 'viewer' },
  'POST /events': { least: 'operator' },
  'PATCH /events/:id': { least: 'operator', of: 'event', body: { name: 'Taken over' } },
  'POST /events/:id/archive': { least: 'operator', of: 'event' },
  'POST /events/:id/unarchive': { least: 'operator', of: 'event' },
  'DELETE /events/:id': { least: 'operator', of: 'event' },
  'POST /events/:id/move': { least: 'owner', of: 'event', body: { to: 'centre' } },
  'GET /sites': { least: 'viewer' },
  'POST /sites': { least: 'owner', sessionOnly: true },
  'GET /sites/:id': { least: 'viewer', of: 'site' },
  'GET /sites/:id/freeing': { least: 'owner', of: 'site' },
  'POST /sites/:id/free': { least: 'owner', of: 'site' },
  'POST /sites/:id/retire': { least: 'owner', of: 'site' },
  'GET /site-status': { least: 'scanner' },
  'GET /in-force': { least: 'viewer' },
  // They take the token of a site, and nothing else.
  'POST /site/feed': { least: 'anyone' },
  'POST /site/rows': { least: 'anyone' },
  'GET /site/tickets': { least: 'anyone' },
  'GET /events/:id/deletion': { least: 'operator', of: 'event' },
  'POST /events/:id/reset-inside': { least: 'operator', of: 'event' },
  'GET /keys': { least: 'viewer' },
  'GET /keys/by-hash/:hash': { least: 'viewer' },
  'POST /keys': { least: 'owner' },
  'PATCH /keys/:id': { least: 'owner', of: 'key', body: { active: false } },
  'DELETE /keys/:id': { least: 'owner', of: 'key' },
  'POST /key-rotations/:id': { least: 'owner', of: 'key', body: {} },
  'GET /tickets': { least: 'viewer' },
  'POST /tickets': { least: 'operator' },
  'GET /tickets/:id': { least: 'viewer', of: 'ticket' },
  'GET /tickets/:id/last-use': { least: 'viewer', of: 'ticket' },
  'GET /tickets/:id/qr.svg': { least: 'operator', of: 'ticket' },
  'GET /tickets/:id/sheet.pdf': { least: 'operator', of: 'ticket' },
  'PATCH /tickets/:id': { least: 'operator', of: 'ticket', body: { uses: 9 } },
  'DELETE /tickets/:id': { least: 'operator', of: 'ticket' },
  'POST /tickets/:id/replace': { least: 'operator', of: 'ticket' },
  'POST /tickets/cancel': { least: 'operator' },
  'POST /tickets/reinstate': { least: 'operator' },
  'POST /tickets/delete': { least: 'operator' },
  'POST /log/:sequence/undo': { least: 'operator' },
  'POST /tickets/erase-holders': { least: 'owner' },
  'POST /tickets/import': { least: 'operator' },
  'POST /tickets/from-list': { least: 'operator' },
  'POST /tickets/list-from-workbook': { least: 'operator' },
  'POST /tickets/sheet.pdf': { least: 'operator' },
  'GET /tickets/export': { least: 'viewer' },
  'POST /redemptions': { least: 'anyone' },
  'GET /redemptions/current': { least: 'anyone' },
  'POST /redemptions/current': { least: 'anyone' },
  'POST /pairings': { least: 'operator', sessionOnly: true },
  'GET /pairings/:id': { least: 'operator', of: 'pairing', sessionOnly: true },
  'POST /pairings/:id/confirm': { least: 'operator', of: 'pairing', sessionOnly: true },
  'DELETE /pairings/:id': { least: 'operator', of: 'pairing', sessionOnly: true },
  'GET /phones': { least: 'operator', sessionOnly: true },
  'GET /key-answers/:id': { least: 'viewer', of: 'key' },
  'POST /phones/way': { least: 'scanner', sessionOnly: true },
  'DELETE /phones/:id': { least: 'operator', of: 'phone', sessionOnly: true },
  'POST /scans': { least: 'scanner', sessionOnly: true },
  'GET /guests': { least: 'scanner', sessionOnly: true },
  'GET /scanners': { least: 'viewer' },
  'GET /log': { least: 'viewer' },
  'GET /log/live': { least: 'viewer' },
  'GET /log/export': { least: 'viewer' },
  'GET /refusals': { least: 'viewer' },
  'GET /devices': { least: 'viewer' },
  'GET /device-names': { least: 'viewer' },
  'POST /device-names': { least: 'operator' },
  'GET /statistics': { least: 'viewer' },
  'GET /statistics/closing': { least: 'viewer' },
  'GET /statistics/closing/export': { least: 'viewer' },
  'GET /statistics/scans': { least: 'viewer' },
  'GET /statistics/scans/export': { least: 'viewer' },
  'GET /audit-log': { least: 'owner' },
  'GET /server': { least: 'viewer' },
  'GET /webhooks': { least: 'owner' },
  'POST /webhooks': { least: 'owner' },
  'PATCH /webhooks/:id': { least: 'owner', of: 'webhook', body: { name: 'Taken over' } },
  'DELETE /webhooks/:id': { least: 'owner', of: 'webhook' },
  'POST /webhooks/:id/test': { least: 'owner', of: 'webhook' },
  'GET /webhooks/:id/deliveries': { least: 'owner', of: 'webhook' },
};

type Kind =
  | 'pairing'
  | 'phone'
  | 'account'
  | 'accessToken'
  | 'event'
  | 'key'
  | 'site'
  | 'ticket'
  | 'webhook';

const ROLES = ['scanner', 'viewer', 'operator', 'owner'] as const;
const GUARDED = Object.entries(ROUTES).filter(([, { least }]) => least !== 'anyone');
const WITH_ID = Object.entries(ROUTES).flatMap(([route, { of, body }]) =>
  of ? [[route, of, body] as const] : [],
);
const split = (route: string) => route.split(' ') as [method: string, path: string];

let service: TestService;
const clients: Record<string, AdminClient> = {};

beforeAll(async () => {
  service = await TestService.start({ store: 'sqlite', limits: { keysMax: 20 } });
  for (const role of ROLES) clients[role] = await AdminClient.signedIn(service, role);
});
afterAll(() => service[Symbol.asyncDispose]());

test('this table names every route that the server has', () => {
  const found = service.routes.filter((route) => route.includes('/admin/v1/'));

  expect(found.map((route) => route.replace('/admin/v1', '')).sort()).toEqual(
    Object.keys(ROUTES).sort(),
  );
});

describe.each(GUARDED)('%s', (route, { least, sessionOnly = false }) => {
  const [method, pattern] = split(route);
  const path = pattern.replace(':id', 'some_id');
  const body = method === 'GET' ? undefined : {};

  test('refuses who is not signed in, and who was', async () => {
    const stranger = new AdminClient(service.url);
    expect((await stranger.request(method, path, body)).status).toBe(401);
    if (method === 'GET') expect((await stranger.request('HEAD', path)).status).toBe(401);

    for (const headers of [
      { cookie: '__Host-ticketscan=' },
      { cookie: '__Host-ticketscan=made-up' },
      { 'x-api-key': service.key('rest') },
    ])
      expect((await stranger.request(method, path, body, headers)).status).toBe(401);
    for (const authorization of [
      'Bearer tscn_pat_x',
      'Basic YTpi',
      `Bearer ${service.key('rest')}`,
    ]) {
      // A header that is no good does not fall back on the cookie of a session that is.
      const { cookie } = clients['owner']!;
      const headers = { authorization, cookie };
      expect((await stranger.request(method, path, body, headers)).status).toBe(401);
    }
  });

  test('refuses a page from another origin, also with the right cookie', async () => {
    const { cookie } = clients['owner']!;
    const own = service.url;
    const foreign: Record<string, string | undefined>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: own.replace(/:\d+$/, ':1') },
      { origin: own, 'sec-fetch-site': 'cross-site' },
      { origin: undefined, 'sec-fetch-site': 'same-site' },
    ];
    // To read, an address may be typed; to change something, the browser must say where it comes from.
    if (method !== 'GET') foreign.push({ origin: undefined });

    for (const headers of foreign) {
      const answer = await clients['owner']!.request(method, path, body, { cookie, ...headers });
      expect(answer.status, JSON.stringify(headers)).toBe(403);
      expect(answer.json.message).toContain('another site');
    }
  });

  test('takes an access token unless it changes who may sign in', async () => {
    if (route === 'GET /log/live') return;
    const options = { name: route.slice(0, 90), role: 'owner' };
    const { id, token } = (await clients['owner']!.post('/access-tokens', options)).json;
    const script = new AdminClient(service.url);
    const headers = { authorization: `Bearer ${token}`, origin: undefined };

    const { status, json } = await script.request(method, path, body, headers);

    expect([401, 403].includes(status)).toBe(sessionOnly);
    if (sessionOnly)
      expect([status, json.message]).toEqual([403, expect.stringContaining('Sign in')]);
    await clients['owner']!.delete(`/access-tokens/${id}`);
  });

  test('refuses roles that may not, before it looks at anything else', async () => {
    const lesser = ROLES.slice(0, ROLES.indexOf(least as (typeof ROLES)[number]));
    for (const role of lesser) {
      const answer = await clients[role]!.request(method, path, body);
      expect(answer.status, role).toBe(403);
      expect(answer.json.message).toContain(`needs the role ${least}`);
    }
  });

  test('answers with headers that keep it out of frames, caches and guesses', async () => {
    const { headers } = await new AdminClient(service.url).request(method, path, body);

    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('a session that has ended', () => {
  test.each([
    ['for want of use', IDLE_MS, 1],
    ['however busy it was', SESSION_MS, 24],
  ])('%s is refused by every route', async (_why, lifetimeMs, steps) => {
    await using own = await TestService.start({ store: 'memory' });
    const client = await AdminClient.signedIn(own);
    for (let step = 1; step < steps; step += 1) {
      own.clock.advance(lifetimeMs / steps);
      expect((await client.get('/sessions/current')).status).toBe(200);
    }
    own.clock.advance(lifetimeMs / steps);

    for (const [route] of GUARDED) {
      const [method, path] = split(route);
      const { status } = await client.request(method, path, method === 'GET' ? undefined : {});
      expect(status, route).toBe(401);
    }
  });
});

describe('between organisations', () => {
  test('no route shows or changes an object of another one', async () => {
    const foreign = await foreignObjects();
    const before = await snapshot();
    for (const [route, of, body] of WITH_ID) {
      const [method, pattern] = split(route);
      // What belongs to others is answered as what nobody has.
      for (const id of [foreign.ids[of], 'tkt_nobody']) {
        const answer = await clients['owner']!.request(method, pattern.replace(':id', id), body);
        expect(answer.status, route).toBe(404);
        expect(answer.json.message, route).toContain(id);
      }
    }
    expect(WITH_ID.length).toBeGreaterThan(20);
    expect(await snapshot()).toEqual(before);
  });

  test('no list holds an object of another one, whatever it is asked for', async () => {
    const foreign = await foreignObjects();
    const { event, key, ticket } = foreign.ids;
    const lists = GUARDED.map(([route]) => split(route)).filter(
      ([method, path]) => method === 'GET' && !path.includes(':id') && path !== '/log/live',
    );
    const queries = ['', `?event=${event}`, `?key=${key}`, `?ticket=${ticket}`, '?search=Foreign'];
    const secrets = Object.values({ ...foreign.ids, ...foreign.texts });
    for (const path of lists.flatMap(([, list]) => queries.map((query) => list + query))) {
      const { text, status } = await clients['owner']!.get(path);
      // The name of an event that was asked for may be in the refusal.
      const answer = status === 404 ? text.replaceAll(event, '') : text;
      const shown = secrets.filter((secret) => answer.includes(secret));
      expect(shown, path).toEqual([]);
    }
  });

  test('what is made cannot reach into another one', async () => {
    const { ids } = await foreignObjects();
    const owner = clients['owner']!;
    const before = await snapshot();

    const key = { name: 'Reach', type: 'api', events: [ids.event] };
    expect((await owner.post('/keys', key)).status).toBe(404);
    const { id } = (await owner.get('/keys')).json.items[0];
    expect((await owner.patch(`/keys/${id}`, { events: [ids.event] })).status).toBe(404);
    const tickets = { event: ids.event, type: 'single' };
    expect((await owner.post('/tickets', tickets)).status).toBe(404);
    for (const act of ['cancel', 'reinstate'])
      expect((await owner.post(`/tickets/${act}`, { ids: [ids.ticket] })).status).toBe(404);
    const row = `{"ticketId":"tkt_${ids.event}_${'0'.repeat(20)}","type":"single"}\n`;
    const imported = await owner.request('POST', '/tickets/import?format=jsonl', row, {
      'content-type': 'application/x-ndjson',
    });
    expect(imported.status).toBe(422);
    expect(imported.json.faults).toMatchObject([{ line: 1, column: 'event' }]);

    expect(await snapshot()).toEqual(before);
  });
});

/** Everything that a crossing would change. */
async function snapshot(): Promise<string> {
  const { store } = service;
  const accounts = await store.list('account');
  const tokens = await store.list('access-token');
  const tickets = await store.listTickets({ limit: 100_000 });
  return JSON.stringify([
    accounts.map(({ value }) => ({ ...(value as object), lastSignInAt: null })),
    tokens,
    await store.list('pairing'),
    await store.list('event'),
    await store.list('key'),
    await store.list('organisation'),
    await store.list('webhook'),
    await store.list('site'),
    await store.list('event-home'),
    tickets,
  ]);
}

let foreign: ReturnType<typeof makeForeignObjects> | undefined;

/** The same objects for every test. */
function foreignObjects() {
  foreign ??= makeForeignObjects(service);
  return foreign;
}
