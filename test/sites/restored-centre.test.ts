import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CutLine } from '../../src/cli/commands/cut-line.ts';
import { AT_THE_CENTRE, type Home, nameOfIncarnation } from '../../src/core/event-home.ts';
import { CentreClient } from '../../src/features/sites/centre-client.ts';
import { inForceOfTickets } from '../../src/features/sites/in-force.ts';
import { homeOfEvent, readSiteValue } from '../../src/features/sites/site-records.ts';
import { type FeedQuestion, SITE_PATHS } from '../../src/features/sites/wire.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { PATIENTLY } from '../support/patience.ts';
import {
  consumeAt,
  givenToNorth,
  givenToOneSite,
  TestCentre,
  type TestSite,
} from './support/centre-and-sites.ts';

/** Takes the centre back to a state before it gave the event away, as a restored backup is: it has nothing of the site's log. */
async function setBack(
  { store }: TestCentre,
  eventId: string,
  { record }: TestSite,
  home: Home = AT_THE_CENTRE,
) {
  const site = await readSiteValue(store, 'site', record.id);
  const name = nameOfIncarnation(record.id, site?.value.incarnation ?? null);
  const { revision } = await homeOfEvent(store, eventId);
  const { organisationId } = record;
  const elsewhere = home.at === 'centre' ? null : 'a site';
  const value = { elsewhere, organisationId, home };
  await store.write({
    administrative: [{ kind: 'event-home', id: eventId, revision, value }],
    deleted: [
      { kind: 'site-rows', id: name },
      { kind: 'site-feed', id: 'centre' },
    ],
    audit: [],
  });
}

test('a restored centre gets again what it had of a site, flagged, and the site lets go of the event that it does not know to be away', async () => {
  await using centre = await TestCentre.start();
  const { site, event, ticket } = await givenToOneSite(centre, 5);
  expect(await site.consume(ticket)).toBe('consumed');
  const rows = async () =>
    (await centre.store.readLog({ ticketId: ticket, limit: 10 })).map((entry) => entry.site?.late);
  await vi.waitFor(async () => expect(await rows()).toEqual([false]), PATIENTLY);

  await setBack(centre, event, site);

  await vi.waitFor(async () => expect(await rows()).toEqual([false, true]), PATIENTLY);
  await vi.waitFor(async () => expect(await site.store.list('event')).toEqual([]), PATIENTLY);
  expect(await site.consume(ticket)).toBe('elsewhere');
  expect(await centre.consume(ticket)).toBe('consumed');
  expect((await centre.store.verify()).problems).toEqual([]);
});

/** How long the questions of sites may stay open that are asked from now on, until one of them reads tickets. @returns seconds */
function waitsUntilRead(): () => readonly number[] {
  const waits: number[] = [];
  let isRead = false;
  const { post, get } = CentreClient.prototype;
  vi.spyOn(CentreClient.prototype, 'post').mockImplementation(function (
    this: CentreClient,
    path,
    body,
    schema,
  ) {
    if (path === SITE_PATHS.feed && !isRead) waits.push((body as FeedQuestion).waitSeconds);
    return post.call(this, path, body, schema) as never;
  });
  vi.spyOn(CentreClient.prototype, 'get').mockImplementation(function (
    this: CentreClient,
    path,
    schema,
  ) {
    isRead = true;
    return get.call(this, path, schema) as never;
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return () => waits;
}

const nameOf = ({ record }: TestSite) => nameOfIncarnation(record.id, 'f'.repeat(16));

/** What `store restore` and `store copy` do to the store of a centre: the restored state is one before the event was given away. */
async function restored(
  centre: TestCentre,
  eventId: string,
  site: TestSite,
  home?: Home,
): Promise<void> {
  // The last question of the site may still be answered.
  await vi.waitFor(() => setBack(centre, eventId, site, home), PATIENTLY);
  await centre.store.forgetSite();
}

describe.each(['sqlite', 'postgres'] as const)('a centre that was restored, on %s', (engine) => {
  test('decides nothing until the site was heard, which keeps its event, and gets every use of it', async () => {
    await using centre = await TestCentre.start(engine);
    const site = await centre.site('North');
    const [given, other] = [await centre.event('Summer'), await centre.event('Winter')];
    const [ticket, there] = [await centre.mint(given, 3), await centre.mint(other, 3)];
    const agent = await site.follow();
    await centre.giveUntilDecided(given, site);
    expect(await site.consume(ticket)).toBe('consumed');
    await agent.close();

    await restored(centre, given, site);
    expect(await centre.consume(ticket)).toBe('elsewhere');
    expect(await centre.consume(there)).toBe('elsewhere');
    expect(await site.consume(ticket)).toBe('consumed');
    await site.follow();

    await centre.untilAt(given, 'away');
    await centre.untilAt(other, 'centre');
    expect(await centre.consume(there)).toBe('consumed');
    expect(await centre.consume(ticket)).toBe('elsewhere');
    expect(await site.consume(ticket)).toBe('consumed');
    expect(await site.consume(ticket)).toBe('exhausted');
    await centre.askBack(given);
    await centre.untilAt(given, 'centre');
    expect(await centre.consume(ticket)).toBe('exhausted');
    const log = await centre.store.readLog({ ticketId: ticket, limit: 20 });
    expect(log.filter(({ site: from }) => from?.late)).toEqual([]);
    expect((await centre.store.verify()).problems).toEqual([]);
  });

  test('waits for every site, or until a person frees one that is lost', async () => {
    await using centre = await TestCentre.start(engine);
    const [north, south] = [await centre.site('North'), await centre.site('South')];
    const event = await centre.event('Summer');
    const ticket = await centre.mint(event, 2);
    const agent = await north.follow();
    await agent.close();

    await centre.store.forgetSite();
    await north.follow();
    await vi.waitFor(
      async () => expect(await centre.rules.eventsAt(north.record)).toEqual([]),
      PATIENTLY,
    );
    expect(await centre.consume(ticket)).toBe('elsewhere');
    await expect(centre.rules.giveTo(await eventOf(centre, event), north.record)).rejects.toThrow(
      'a site was not heard since',
    );
    expect(await centre.rules.usesAtRisk(south.record)).toBeGreaterThanOrEqual(2);
    await centre.rules.free(south.record);

    expect(await centre.consume(ticket)).toBe('consumed');
    await centre.untilAt(event, 'centre');
  });

  test('says of a change that no site is known to have it, and of a freed site who is still asked', async () => {
    await using centre = await TestCentre.start(engine);
    const [north, south] = [await centre.site('North'), await centre.site('South')];
    const event = await centre.event('Summer');
    const ticket = await centre.mint(event, 2);
    await centre.store.forgetSite();
    await centre.cancel(ticket);

    const { sites = [] } = (await inForceOfTickets(centre.store, [ticket])) ?? {};
    expect(sites.map(({ name, since }) => [name, since]).sort()).toEqual([
      ['North', null],
      ['South', null],
    ]);
    const first = await centre.rules.free(north.record);
    expect(first.map(({ home }) => home.at)).toContain('asking');
    const second = await centre.rules.free(south.record);
    expect(new Set(second.map(({ home }) => home.at))).toEqual(new Set(['centre']));
    expect(await inForceOfTickets(centre.store, [ticket])).toBeUndefined();
  });

  test('a person who frees one site takes nothing from the site that has just been heard', async () => {
    await using centre = await TestCentre.start(engine);
    const [north, south] = [await centre.site('North'), await centre.site('South')];
    const event = await centre.event('Summer');
    const { home, revision } = await homeOfEvent(centre.store, event);
    const { organisationId } = north.record;
    const at = (next: Home) => ({ elsewhere: 'a site', organisationId, home: next });
    const asked: Home = { at: 'asking', epoch: 1, sites: [north, south].map(nameOf) };
    const heard: Home = { at: 'away', epoch: 1, site: nameOf(south) };
    const put = (value: object, from: number) =>
      centre.store.write({
        administrative: [{ kind: 'event-home', id: event, revision: from, value }],
        audit: [],
      });
    expect(home.at).toBe('centre');
    await put(at(asked), revision);
    // The other site is heard when the command has seen which events there are.
    const { read } = centre.store;
    vi.spyOn(centre.store, 'read').mockImplementationOnce(async (...asking) => {
      await put(at(heard), revision + 1);
      return read.apply(centre.store, asking);
    });
    await centre.rules.free(north.record);
    expect((await homeOfEvent(centre.store, event)).home).toEqual(heard);
  });

  test('waits for the other sites when one of them has had the event and gave it back', async () => {
    await using centre = await TestCentre.start(engine);
    const { north, south, event, ticket, atNorth, atSouth } = await givenToNorth(centre);
    expect(await north.consume(ticket)).toBe('consumed');
    await centre.askBack(event);
    await centre.untilAt(event, 'centre');
    await centre.giveUntilDecided(event, south);
    await atNorth.close();
    await atSouth.close();

    await restored(centre, event, north);
    await north.follow();
    await vi.waitFor(
      async () => expect(await centre.rules.eventsAt(north.record)).toEqual([]),
      PATIENTLY,
    );
    expect(await centre.consume(ticket)).toBe('elsewhere');
    expect(await south.consume(ticket)).toBe('consumed');
    await south.follow();

    await centre.untilAt(event, 'away');
    expect(await centre.consume(ticket)).toBe('elsewhere');
    expect(await south.consume(ticket)).toBe('consumed');
  });

  test('asks for an event that was at another site when the backup was made', async () => {
    await using centre = await TestCentre.start(engine);
    const [north, south] = [await centre.site('North'), await centre.site('South')];
    const event = await centre.event('Summer');
    const ticket = await centre.mint(event, 3);
    const agents = [await north.follow(), await south.follow()];
    await centre.giveUntilDecided(event, north);
    await centre.untilAt(event, 'away');
    const { home } = await homeOfEvent(centre.store, event);
    await centre.askBack(event);
    await centre.untilAt(event, 'centre');
    await centre.giveUntilDecided(event, south);

    // A server that is restored is stopped meanwhile.
    for (const agent of agents) await agent.close();

    await restored(centre, event, south, home);
    await north.follow();
    await south.follow();

    await vi.waitFor(async () => {
      const at = await centre.rules.eventsAt(south.record);
      expect(at.find((one) => one.event.id === event)?.home.at).toBe('away');
    }, PATIENTLY);
    expect(await south.consume(ticket)).toBe('consumed');
    expect(await north.consume(ticket)).toBe('elsewhere');
  });

  test('decides again what a site had and gave back since the backup', async () => {
    await using centre = await TestCentre.start(engine);
    const { site, event, ticket } = await givenToOneSite(centre, 3);
    expect(await site.consume(ticket)).toBe('consumed');
    await centre.askBack(event);
    await centre.untilAt(event, 'centre');
    await vi.waitFor(async () => expect(await site.store.list('event')).toEqual([]), PATIENTLY);

    await restored(centre, event, site);

    await centre.untilAt(event, 'centre');
    expect(await centre.consume(ticket)).not.toBe('elsewhere');
  });

  test('does not take a new store of a site for the one that may decide', async () => {
    await using centre = await TestCentre.start(engine);
    const { site, event, ticket, agent } = await givenToOneSite(centre, 3);
    await agent.close();

    await restored(centre, event, site);
    await site.withAnotherStore();
    await site.follow();
    await vi.waitFor(async () => {
      const known = await readSiteValue(centre.store, 'site', site.record.id);
      expect(known?.value.earlier).toHaveLength(1);
    }, PATIENTLY);

    expect(await centre.consume(ticket)).toBe('elsewhere');
    await centre.rules.free(site.record);
    expect(await centre.consume(ticket)).toBe('consumed');
  });

  test('tells the site what was changed while it was asked', async () => {
    await using centre = await TestCentre.start(engine);
    const site = await centre.site('North');
    const event = await centre.event('Summer');
    const [cancelled, kept] = [await centre.mint(event, 3), await centre.mint(event, 3)];
    const line = await CutLine.to(new URL(centre.service.url));
    onTestFinished(() => line.close());
    await site.follow({ url: line.url });
    await centre.giveUntilDecided(event, site);
    line.cut();

    await restored(centre, event, site);
    await centre.store.cancelTickets([cancelled], Date.now(), AN_AUDIT_ENTRY);
    const made = await centre.mint(event, 3);
    const waits = waitsUntilRead();
    line.mend();
    await centre.untilAt(event, 'away');

    await vi.waitFor(async () => expect(await site.consume(made)).toBe('consumed'), PATIENTLY);
    expect(Math.max(...waits())).toBeLessThanOrEqual(1);
    expect(await site.consume(cancelled)).toBe('ticket_cancelled');
    expect(await site.consume(kept)).toBe('consumed');
  });

  test('does not take the first store that it hears of a site for the one that may decide, where its backup knows none', async () => {
    await using centre = await TestCentre.start(engine);
    const site = await centre.site('North');
    const event = await centre.event('Summer');
    const ticket = await centre.mint(event, 3);
    const unheard = await readSiteValue(centre.store, 'site', site.record.id);
    const agent = await site.follow();
    await centre.giveUntilDecided(event, site);
    await agent.close();

    await restored(centre, event, site);
    const now = await readSiteValue(centre.store, 'site', site.record.id);
    const asked: Home = {
      at: 'asking',
      epoch: 9,
      sites: [nameOfIncarnation(site.record.id, null)],
    };
    const home = await homeOfEvent(centre.store, event);
    const { organisationId } = site.record;
    await centre.store.write({
      administrative: [
        {
          kind: 'site',
          id: site.record.id,
          revision: now?.revision ?? 0,
          value: unheard?.value,
        },
        {
          kind: 'event-home',
          id: event,
          revision: home.revision,
          value: { elsewhere: 'a site', organisationId, home: asked },
        },
      ],
      audit: [],
    });
    const { store } = site;
    await site.withAnotherStore({ keepsFirst: true });
    const spare = await site.follow();
    await vi.waitFor(async () => {
      const known = await readSiteValue(centre.store, 'site', site.record.id);
      expect(known?.value.incarnation).not.toBeNull();
      const contact = await readSiteValue(centre.store, 'site-contact', site.record.id);
      expect(contact?.value.recordsAsOf).not.toBeNull();
    }, PATIENTLY);
    expect(await centre.consume(ticket)).toBe('elsewhere');
    await spare.close();
    // The store that has the event says so, and keeps it.
    const first = await site.followOn(store);
    await centre.untilAt(event, 'away');
    expect(await consumeAt(store, centre.keyId, ticket)).toBe('consumed');
    await first.close();
    await store.close();
  });

  test('does not ask a site that is retired', async () => {
    await using centre = await TestCentre.start(engine);
    const site = await centre.site('North');
    const event = await centre.event('Summer');
    const ticket = await centre.mint(event, 2);
    await centre.rules.retire(site.record);

    await centre.store.forgetSite();

    expect(await centre.consume(ticket)).toBe('consumed');
  });
});

async function eventOf({ store }: TestCentre, id: string) {
  const event = await store.read('event', id);
  if (!event) throw new Error(`no event ${id}`);
  return event;
}
