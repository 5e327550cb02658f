import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { HeldEvents } from '../../src/features/sites/held-events.ts';
import { keptLog } from '../support/kept-log.ts';
import { PATIENTLY } from '../support/patience.ts';
import { FIRST_QUESTION } from '../support/site-question.ts';
import { givenToOneSite, LiveClock, TestCentre } from './support/centre-and-sites.ts';

/** The rows of the log of a centre that sites answered. */
async function rowsOf({ store }: TestCentre) {
  return (await store.readLog({ limit: 1000 })).flatMap(({ site, ticketId, status }) =>
    site ? [{ ...site, ticketId, status }] : [],
  );
}

async function untilRows(centre: TestCentre, count: number): Promise<void> {
  await vi.waitFor(async () => expect(await rowsOf(centre)).toHaveLength(count), PATIENTLY);
}

test('an event goes to a site and comes home with its uses, again and again', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const event = await centre.event('Summer');
  const ticket = await centre.mint(event, 8);
  await site.follow();

  for (let stay = 0; stay < 3; stay += 1) {
    await centre.give(event, site);
    expect(await centre.consume(ticket)).toBe('elsewhere');
    await site.untilDecides(event);
    expect(await site.consume(ticket)).toBe('consumed');
    await centre.askBack(event);
    await centre.untilAt(event, 'centre');
    expect(await site.consume(ticket)).toBe('elsewhere');
    expect(await centre.consume(ticket)).toBe('consumed');
  }

  expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: 6 });
  const rows = await rowsOf(centre);
  expect(rows.map(({ late }) => late)).toEqual([false, false, false]);
  expect((await centre.store.verify()).problems).toEqual([]);
  expect((await site.store.verify()).problems).toEqual([]);
});

test('an event that comes again before the site forgot it has the uses of its centre', async () => {
  await using centre = await TestCentre.start();
  const { site, event, ticket, agent: first } = await givenToOneSite(centre, 2);
  await site.consume(ticket);
  await untilRows(centre, 1);
  await first.close();
  // The site closes the event, and is not there when the centre says that it has it.
  await site.store.moveHeld(event, 'close', 1);
  await centre.askBack(event);
  const of = (await site.store.read('site-of', 'centre'))?.value as { incarnation: string };
  const held = [{ event, epoch: 1, isClosed: true, newest: 1 }];
  await fetch(`${centre.service.url}/admin/v1/site/feed`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...FIRST_QUESTION, incarnation: of.incarnation, held }),
  });
  await centre.untilAt(event, 'centre');
  expect(await centre.consume(ticket)).toBe('consumed');
  await centre.give(event, site);

  await site.follow();
  await site.untilDecides(event);
  expect(await site.consume(ticket)).toBe('exhausted');
  expect((await site.store.verify()).problems).toEqual([]);
});

test('an event that was given before the first contact is there after a kill in the middle of it', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const event = await centre.event('Summer');
  const ticket = await centre.mint(event, 2);
  await centre.give(event, site);
  // Takes the question to the centre, and never brings its answer.
  const mute = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      const { port } = new URL(centre.service.url);
      void fetch(`http://127.0.0.1:${port}/admin/v1/site/feed`, {
        method: 'POST',
        headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
        body: String(chunk).split('\r\n\r\n')[1] ?? '',
      }).then(() => socket.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  await expect(site.agent({ url: `http://127.0.0.1:${port}` }).begin()).rejects.toThrow('centre');
  mute.close();
  expect((await centre.rules.find(site.record.id)).incarnation).not.toBeNull();

  await site.follow();

  await site.untilDecides(event);
  expect(await site.consume(ticket)).toBe('consumed');
});

test('a store with the token of another site changes nothing, and sends nothing', async () => {
  await using centre = await TestCentre.start();
  const [north, south] = [await centre.site('North'), await centre.site('South')];
  const event = await centre.event('Summer');
  const ticket = await centre.mint(event, 3);
  const agent = await north.follow();
  await centre.giveUntilDecided(event, north);
  await agent.close();
  await north.consume(ticket);

  await north.follow({ token: south.token });
  await vi.waitFor(() => expect(north.logs).toContain('The token is that of'), PATIENTLY);
  expect(await north.consume(ticket)).toBe('consumed');
  expect(await rowsOf(centre)).toEqual([]);
  await north.stop();

  await north.follow();
  await untilRows(centre, 2);
  expect((await rowsOf(centre)).map(({ late }) => late)).toEqual([false, false]);
});

test('a store that was set back is a new site without events, as soon as it hears its centre', async () => {
  await using centre = await TestCentre.start();
  const { site, event, ticket, agent: before } = await givenToOneSite(centre, 5);
  await before.close();
  const { incarnation } = await centre.rules.find(site.record.id);
  const setBack = await site.snapshot();
  await site.follow();
  await site.consume(ticket);
  await site.consume(ticket);
  await untilRows(centre, 2);
  await site.stop();

  await setBack();
  await site.follow();

  await site.untilDecides(event, false);
  expect(site.logs).toContain('set back');
  expect(await site.consume(ticket)).toBe('elsewhere');
  await centre.untilAt(event, 'away');
  // What is given to it before the centre hears that it is new would be the old one's.
  await vi.waitFor(async () => {
    const now = await centre.rules.find(site.record.id);
    expect(now.incarnation).not.toBe(incarnation);
  }, PATIENTLY);
  const freed = await centre.rules.free(await centre.rules.find(site.record.id));
  expect(freed.map(({ event: { id } }) => id)).toEqual([event]);
  await centre.give(event, site);
  await vi.waitFor(async () => expect(await site.consume(ticket)).toBe('consumed'), PATIENTLY);
  await untilRows(centre, 3);
  expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: 3 });
});

test('a freed event is closed at once, and what the site still sends is kept and flagged', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const [event, other] = [await centre.event('Summer'), await centre.event('Hall')];
  const [ticket, hall] = [await centre.mint(event), await centre.mint(other)];
  const agent = await site.follow();
  await centre.give(event, site);
  await centre.give(other, site);
  await site.untilDecides(event);
  await site.untilDecides(other);
  await agent.close();
  await site.consume(ticket);
  const record = await centre.rules.find(site.record.id);
  expect(await centre.rules.usesAtRisk(record)).toBe(2 * 9999);
  await centre.rules.free(record);
  await centre.give(other, site);
  expect(await centre.consume(ticket)).toBe('consumed');

  await site.follow();
  let isBusy = true;
  const busy = (async () => {
    while (isBusy) {
      await site.consume(hall);
      await sleep(20);
    }
  })();
  let late = 1;
  for (; (await site.consume(ticket)) === 'consumed'; await sleep(20)) late += 1;
  await site.untilDecides(event, false);
  isBusy = false;
  await busy;

  await vi.waitFor(async () => {
    const rows = (await rowsOf(centre)).filter((row) => row.ticketId === ticket);
    expect(rows.map((row) => row.late)).toEqual(Array(late).fill(true));
  }, PATIENTLY);
  expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: 1 });
  expect((await centre.store.verify()).problems).toEqual([]);
});

test('an event comes home while others write rows all the time', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const [event, other] = [await centre.event('Summer'), await centre.event('Hall')];
  const hall = await centre.mint(other);
  await site.follow();
  await centre.give(event, site);
  await centre.give(other, site);
  await site.untilDecides(event);
  await site.untilDecides(other);
  let isBusy = true;
  const busy = (async () => {
    for (; isBusy; await sleep(1)) await site.consume(hall);
  })();

  await centre.askBack(event);
  await centre.untilAt(event, 'centre');
  isBusy = false;
  await busy;
});

test('the row behind which a closed event has none stays the same while others write', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const [event, other] = [await centre.event('Summer'), await centre.event('Hall')];
  const [ticket, hall] = [await centre.mint(event, 5), await centre.mint(other)];
  const agent = await site.follow();
  await centre.give(event, site);
  await centre.give(other, site);
  await site.untilDecides(event);
  await site.untilDecides(other);
  await agent.close();
  const { store } = site;
  const deps = {
    store,
    clock: new LiveClock(),
    log: keptLog('info').log,
    client: undefined as never,
  };
  const rows = { told: (number: number) => number } as never;
  const events = new HeldEvents(deps, () => ({ incarnation: '', rows }));
  const newestOf = async (id: string) =>
    (await events.told()).held.find((one) => one.event === id)?.newest;

  await site.consume(ticket);
  expect([await newestOf(event), await newestOf(other)]).toEqual([1, 1]);
  await site.consume(hall);
  await store.moveHeld(event, 'close', 1);
  expect(await newestOf(event)).toBe(2);
  await site.consume(hall);
  expect([await newestOf(event), await newestOf(other)]).toEqual([2, 3]);
});

test('it is written down which row was sent last, also when no other follows', async () => {
  await using centre = await TestCentre.start();
  const { site, ticket } = await givenToOneSite(centre, 5);
  await site.consume(ticket);
  await untilRows(centre, 1);
  await site.consume(ticket);
  await untilRows(centre, 2);
  await vi.waitFor(async () => {
    const sent = await site.store.read('site-rows', 'sent');
    expect(sent).toMatchObject({ value: { number: 2 } });
  }, PATIENTLY);
});

test('a site that was killed before it wrote that down waits for no row that it has forgotten', async () => {
  await using centre = await TestCentre.start();
  const { site, event, ticket, agent: first } = await givenToOneSite(centre, 5);
  await site.consume(ticket);
  await centre.askBack(event);
  await vi.waitFor(async () => expect(await site.store.list('event')).toEqual([]), PATIENTLY);
  await first.close();
  const { revision } = (await site.store.read('site-rows', 'sent')) ?? { revision: 0 };
  const value = { number: 0 };
  const administrative = [{ kind: 'site-rows', id: 'sent', revision, value } as const];
  await site.store.write({ administrative, audit: [] });

  await site.follow();
  await vi.waitFor(async () => {
    const sent = await site.store.read('site-rows', 'sent');
    expect(sent).toMatchObject({ value: { number: 1 } });
  }, PATIENTLY);
});

test('a site that waits for something new ends at once', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const agent = await site.follow();
  await vi.waitFor(() => expect(site.logs).toContain('the line to the centre is there'), PATIENTLY);
  await sleep(300);
  const answered = sleep(20_000, 'it waited', { ref: false });
  expect(await Promise.race([agent.close().then(() => 'it ended'), answered])).toBe('it ended');
});

test('two processes of one site take and give back an event as one', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const event = await centre.event('Summer');
  const ticket = await centre.mint(event, 30);
  await site.follow();
  const second = await site.another();
  const other = site.agent({}, second);
  await other.begin();
  other.start();

  let used = 0;
  for (let stay = 0; stay < 3; stay += 1) {
    await centre.giveUntilDecided(event, site);
    for (let at = 0; at < 3; at += 1) if ((await site.consume(ticket)) === 'consumed') used += 1;
    await centre.askBack(event);
    await centre.untilAt(event, 'centre');
    if ((await centre.consume(ticket)) === 'consumed') used += 1;
  }

  expect(used).toBe(12);
  expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: used });
  expect((await rowsOf(centre)).map(({ late }) => late)).toEqual(Array(9).fill(false));
  await other.close();
  await second.close();
});
