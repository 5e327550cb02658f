import { expect, test, vi } from 'vitest';
import type { SiteAgent } from '../../src/features/sites/agent.ts';
import { OwnRows } from '../../src/features/sites/last-row.ts';
import { keptLog } from '../support/kept-log.ts';
import { PATIENTLY } from '../support/patience.ts';
import { consumeAt, givenToOneSite, TestCentre } from './support/centre-and-sites.ts';

/** Its questions stay open for three seconds. */
const OFTEN = { maxAgeMs: 9000 };

/** One of two servers of a site that stands still because the other one's scans are at the centre. */
const standsStill = (agent: SiteAgent) =>
  vi.waitFor(
    () => expect(agent.whyNot()).toMatch(/other scans of this site than this store/),
    PATIENTLY,
  );

test('of two servers on copies of one site that have as many scans, the later one stands still, and is a new site then', async () => {
  await using centre = await TestCentre.start();
  const { site, event, ticket, agent } = await givenToOneSite(centre, 5);
  await agent.close();
  const copy = await site.copy();
  const [first, second] = [await site.follow(), await site.followOn(copy, OFTEN)];
  expect(await site.consume(ticket)).toBe('consumed');
  await vi.waitFor(
    async () => expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: 1 }),
    PATIENTLY,
  );

  expect(await consumeAt(copy, centre.keyId, ticket)).toBe('consumed');

  await standsStill(second);
  expect(first.whyNot()).toBeUndefined();
  await vi.waitFor(
    async () => expect(await consumeAt(copy, centre.keyId, ticket)).toBe('elsewhere'),
    PATIENTLY,
  );
  expect(site.logs).toMatch(/another server runs with a copy of it.*It is a new site from now on/);
  expect(second.whyNot()).toBeUndefined();
  expect(await site.consume(ticket)).toBe('consumed');
  await centre.askBack(event);
  await centre.untilAt(event, 'centre');
  expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: 2 });
  await second.close();
  await copy.close();
});

test('rows of a copy are not kept in the place of those that are at the centre', async () => {
  await using centre = await TestCentre.start();
  const { site, ticket, agent } = await givenToOneSite(centre, 9);
  await agent.close();
  const copy = await site.copy();
  const first = await site.follow();
  await site.consume(ticket);
  await vi.waitFor(
    async () => expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: 1 }),
    PATIENTLY,
  );
  await first.close();

  for (let scans = 0; scans < 3; scans += 1) await consumeAt(copy, centre.keyId, ticket);
  const second = await site.followOn(copy, OFTEN);

  await vi.waitFor(
    async () => expect(await consumeAt(copy, centre.keyId, ticket)).toBe('elsewhere'),
    PATIENTLY,
  );
  expect(await centre.store.findTicket(ticket)).toMatchObject({ usesConsumed: 1 });
  await second.close();
  await copy.close();
});

test('a row is recognised by what is in it, and one that is not there any more is no sign', async () => {
  await using centre = await TestCentre.start();
  const { site, ticket } = await givenToOneSite(centre);
  await site.consume(ticket);
  const [entry] = await site.store.readLog({ limit: 1 });
  const kept = keptLog('info');
  const rows = new OwnRows({ store: site.store, log: kept.log });
  const number = entry?.sequence ?? 0;

  await rows.hear(null, 0);
  await rows.hear({ number: number + 1, mark: 'another' }, 0);
  await rows.hear({ number, mark: 'another' }, number);
  expect(rows.whyNot).toBeUndefined();
  expect(rows.whyAnother(true)).toMatch(/older than the scans/);
  await rows.hear({ number, mark: 'another' }, 0);
  expect(rows.whyNot).toMatch(/other scans/);
  rows.beginAnew();
  expect([rows.whyNot, rows.whyAnother(false)]).toEqual([undefined, undefined]);
});
