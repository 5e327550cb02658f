import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LATE_WORDS } from '../../src/core/scan-words.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { CentreAndSite } from '../support/centre-and-site.ts';
import { PATIENTLY } from '../support/patience.ts';
import { TestService } from '../support/service.ts';
import { AdminClient, idOf } from './support/client.ts';

describe('the sites of an organisation', () => {
  let service: TestService;
  let owner: AdminClient;
  beforeAll(async () => {
    service = await TestService.start();
    owner = await AdminClient.signedIn(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test('a site has a token that only its creation shows, and stands in the list for viewers', async () => {
    const { status, json } = await owner.post('/sites', { name: 'Pool West' });
    expect([status, json.token]).toEqual([201, expect.stringMatching(/^tscn_site_/)]);
    const viewer = await AdminClient.signedIn(service, 'viewer');
    const list = await viewer.get('/sites');
    expect(list.text).not.toContain(json.token);
    expect(list.json.items).toContainEqual(
      expect.objectContaining({ name: 'Pool West', heardAt: null, retiredAt: null, events: [] }),
    );
    expect((await viewer.post('/sites', { name: 'Mine' })).status).toBe(403);
    expect((await owner.post('/sites', { name: 'pool west' })).json.code).toBe('name_taken');
  });

  test('an event that is on its way says so; a retired site gets none', async () => {
    const { site } = (await owner.post('/sites', { name: 'Pool East' })).json;
    const event = (await owner.post('/events', { name: 'Regatta' })).json;
    expect(event).not.toHaveProperty('home');

    const moved = await owner.post(`/events/${event.id}/move`, { to: site.id });

    const home = { at: 'leaving', site: { id: site.id, name: 'Pool East' } };
    expect(moved.json).toEqual({ event: event.id, ...home });
    const listed = (await owner.get('/events?search=Regatta')).json.items;
    expect(listed).toMatchObject([{ id: event.id, home }]);
    const again = await owner.post(`/events/${event.id}/move`, { to: site.id });
    expect([again.status, again.json.code]).toEqual([409, 'event_not_here']);

    expect((await owner.post(`/sites/${site.id}/retire`)).json.retiredAt).not.toBeNull();
    const other = (await owner.post('/events', { name: 'Sailing' })).json;
    const late = await owner.post(`/events/${other.id}/move`, { to: site.id });
    expect([late.status, late.json.code]).toEqual([409, 'site_retired']);
    expect((await owner.post(`/events/${other.id}/move`, { to: 'centre' })).json.code).toBe(
      'event_here',
    );

    expect((await owner.get(`/sites/${site.id}/freeing`)).json).toEqual({
      events: 1,
      stillAsked: 0,
      atOthers: 0,
      uses: 0,
    });
    expect((await owner.post(`/sites/${site.id}/free`)).json).toEqual({
      events: [event.id],
      stillAsked: [],
      atOthers: [],
      uses: 0,
    });
    expect((await owner.get('/events?search=Regatta')).json.items[0]).not.toHaveProperty('home');
  });

  test('a change says nothing of sites where none needs it', async () => {
    const ticket = idOf(await service.mint());
    const cancelled = await owner.post('/tickets/cancel', { ids: [ticket] });
    expect(cancelled.json).not.toHaveProperty('inForce');
    expect((await owner.get(`/tickets/${ticket}`)).json).not.toHaveProperty('inForce');
    const key = await owner.post('/keys', { name: 'Short', type: 'api', events: 'all' });
    const disabled = await owner.patch(`/keys/${key.json.id}`, { active: false });
    expect(disabled.json).not.toHaveProperty('inForce');
    expect((await owner.delete(`/keys/${key.json.id}`)).json).toEqual({});
    expect((await owner.get(`/in-force?tickets=${ticket}`)).json.sites).toEqual([]);
  });

  test('a server that is no site says so', async () => {
    const scanner = await AdminClient.signedIn(service, 'scanner');
    expect((await scanner.get('/site-status')).json).toMatchObject({
      site: null,
      standsStill: false,
      noLineSince: null,
    });
  });
});

describe('a centre and its site', () => {
  let at: CentreAndSite;
  beforeAll(async () => {
    at = await CentreAndSite.start({ maxAgeMs: 15 * 60_000 });
    await at.move(at.siteId);
  });
  afterAll(() => at[Symbol.asyncDispose]());

  const inForce = async (query: string) => (await at.owner.get(`/in-force?${query}`)).json;

  test('the events of a site say that they are decided there, and at the site that they are decided here', async () => {
    expect(await at.home()).toEqual({
      at: 'away',
      site: { id: at.siteId, name: 'Pool North' },
    });
    const steward = await AdminClient.signedIn(at.site);
    const { items } = (await steward.get('/events')).json;
    expect(items).toMatchObject([{ id: at.centre.seeded.events.main }]);
    expect(items[0]).not.toHaveProperty('home');
    const refused = await steward.post('/events', { name: 'Here' });
    expect([refused.status, refused.json.code]).toEqual([409, 'only_at_centre']);
  });

  test('a cancellation says since when it is in force at the site', async () => {
    const [one, two] = [idOf(await at.centre.mint()), idOf(await at.centre.mint())];
    const cancelled = await at.owner.post('/tickets/cancel', { ids: [one, two] });
    const { tickets, sites } = cancelled.json.inForce;
    expect(sites).toMatchObject([{ id: at.siteId, name: 'Pool North', since: null }]);
    expect([one, two]).toContain(tickets[0]);

    const now = new Date(at.clock.now()).toISOString();
    await expect
      .poll(() => inForce(`tickets=${tickets.join(',')}`), PATIENTLY)
      .toMatchObject({ at: now, sites: [{ id: at.siteId, since: now, heardAt: now }] });
    expect((await at.owner.get(`/tickets/${one}`)).json.inForce.sites[0].since).toBe(now);
  });

  test('a cancellation of all of an event says it too, in every step', async () => {
    const reference = 'R-39';
    const { main } = at.centre.seeded.events;
    await at.owner.post('/tickets', { event: main, type: 'single', reference });
    const done = await at.owner.post('/tickets/cancel', { reference });
    expect(done.json).toMatchObject({ changed: 1, inForce: { sites: [{ id: at.siteId }] } });
  });

  test('a disabled, renewed or deleted key says since when that is in force at the site', async () => {
    const made = await at.owner.post('/keys', { name: 'Side gate', type: 'api', events: 'all' });
    const path = `/keys/${made.json.id}`;
    const disabled = await at.owner.patch(path, { active: false });
    const renewed = await at.owner.post(`/key-rotations/${made.json.id}`, {});
    const deleted = await at.owner.delete(path);
    for (const { json } of [disabled, renewed, deleted])
      expect(json.inForce).toMatchObject({ tickets: [], sites: [{ id: at.siteId }] });

    // A clock that stands still cannot tell a change from what was there before.
    at.clock.advance(1000);
    const again = await at.owner.post('/keys', { name: 'Other gate', type: 'api', events: 'all' });
    const gone = await at.owner.delete(`/keys/${again.json.id}`);
    expect(gone.json.inForce.sites).toMatchObject([{ since: null }]);
    at.clock.advance(30_000);
    const question = `sites=${at.siteId}&at=${encodeURIComponent(gone.json.inForce.at)}`;
    await expect
      .poll(async () => (await inForce(question)).sites[0].since, PATIENTLY)
      .not.toBeNull();
  });

  test('what a site has of keys and settings is as of now, while nothing changes', async () => {
    const asOf = async () =>
      Date.parse((await at.owner.get(`/sites/${at.siteId}`)).json.recordsAsOf);
    at.clock.advance(30_000);
    await expect.poll(asOf, PATIENTLY).toBe(at.clock.now());
  });

  test('without a line the site says since when, what waits, and that its gates go on; then that they stand still', async () => {
    const earlier = idOf(await at.centre.mint());
    const code = await at.centre.mint({ kind: 'multi', uses: 5 });
    const steward = await AdminClient.signedIn(at.site, 'scanner');
    const status = async () => (await steward.get('/site-status')).json;
    await expect.poll(async () => (await at.scanAtSite(code)).status, PATIENTLY).toBe(200);
    await expect.poll(async () => (await status()).waiting, PATIENTLY).toBe(0);
    expect(await status()).toMatchObject({ noLineSince: null, standsStill: false });
    at.line.cut();
    const { heardAt } = await status();
    at.clock.advance(2 * 60_000);

    expect((await at.scanAtSite(code)).json.status).toBe('consumed');
    expect(await status()).toMatchObject({
      site: { name: 'Pool North' },
      noLineSince: heardAt,
      waiting: 1,
      standsStill: false,
    });
    const lost = (await at.owner.get(`/sites/${at.siteId}`)).json;
    expect(lost).toMatchObject({ connectedSince: null });
    const cut = await at.owner.post('/tickets/cancel', { ids: [idOf(code)] });
    expect(cut.json.inForce.sites).toMatchObject([{ since: null, heardAt: lost.heardAt }]);
    // Of two changes at a site the later one counts.
    expect(await inForce(`tickets=${idOf(code)},${earlier}`)).toMatchObject({
      tickets: [idOf(code)],
      sites: [{ since: null }],
    });
    expect((await inForce(`tickets=${earlier}`)).sites[0].since).not.toBeNull();

    at.clock.advance(14 * 60_000);
    expect((await at.scanAtSite(code)).status).toBe(500);
    expect(await status()).toMatchObject({ standsStill: true, waiting: 1 });
  });

  test('what a site sends of a freed event has its name in the log and in files, and says that it came late', async () => {
    const { main } = at.centre.seeded.events;
    const { uses } = (await at.owner.get(`/sites/${at.siteId}/freeing`)).json;
    expect(uses).toBeGreaterThan(4);
    expect((await at.owner.post(`/sites/${at.siteId}/free`)).json).toEqual({
      events: [main],
      stillAsked: [],
      atOthers: [],
      uses,
    });
    at.line.mend();
    const rows = async () => {
      const { items } = (await at.owner.get('/log?limit=50&outcome=consumed')).json;
      return items.filter(({ site }: { site?: object }) => site);
    };
    await expect.poll(async () => (await rows()).length, PATIENTLY).toBe(2);
    expect((await rows()).map(({ site }: { site: { late: boolean } }) => site.late)).toEqual([
      true,
      false,
    ]);

    const csv = (await at.owner.get('/log/export?outcome=consumed')).text.trimEnd().split(/\r?\n/);
    expect(csv[0]).toMatch(/,site,late$/);
    expect(csv.filter((line) => line.endsWith(',Pool North,'))).toHaveLength(1);
    expect(csv.filter((line) => line.endsWith(`,Pool North,"${LATE_WORDS[0]}"`))).toHaveLength(1);
    const German = await at.owner.get('/log/export?format=excel&language=de');
    expect(German.text).toContain(';Standort;Verspätet');
    expect(German.text).toContain(`;Pool North;${LATE_WORDS[1]}`);

    const { items } = (await at.owner.get('/audit-log')).json;
    const authors = items.map((entry: { act: string; byKind: string }) => [
      entry.act,
      entry.byKind,
    ]);
    expect(authors).toContainEqual(['event.free', 'account']);
    expect(authors).toContainEqual(['event.arrive', 'site']);
  });
});

test('a site without the secret of TS1 lets in by hand, and shows tickets without a code', async () => {
  await using at = await CentreAndSite.start({ withSecret: false });
  const code = await at.centre.mint();
  const ticketId = idOf(code);
  await at.move(at.siteId);
  const steward = await AdminClient.signedIn(at.site);
  const scan = {
    operation: 'consume',
    ticketCode: ticketId,
    requestId: randomUUID(),
    byHand: true,
  };
  expect((await steward.post('/scans', scan)).json).toMatchObject({ status: 'consumed' });
  expect((await steward.get(`/tickets/${ticketId}`)).json).toMatchObject({
    ticketId,
    state: 'exhausted',
    code: null,
  });
  const signed = makeTicketCode(ticketId, at.centre.keyring, 'TS2');
  expect((await at.scanAtSite(signed)).json).toMatchObject({ status: 'exhausted' });
  expect((await at.scanAtSite(code)).json).toMatchObject({ status: 'rejected' });
});
