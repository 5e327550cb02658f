import { describe, expect, test, vi } from 'vitest';
import { allRefusals, refusalsOf } from '../../src/features/log/operations.ts';
import { readSiteValue } from '../../src/features/sites/site-records.ts';
import { RefusalCounter, type RefusedRequest } from '../../src/scan/refusal-counter.ts';
import { PATIENTLY } from '../support/patience.ts';
import { FIRST_QUESTION } from '../support/site-question.ts';
import {
  givenToOneSite,
  LiveClock,
  TestCentre,
  type TestSite,
} from './support/centre-and-sites.ts';

const MISTYPED: RefusedRequest = {
  keys: ['hunter2'],
  type: 'hardware',
  limit: undefined,
  serial: 'TOR1',
  address: '192.0.2.7',
  endpoint: '/scan/hw/consume',
};

async function refuse({ store }: TestSite, ...requests: RefusedRequest[]): Promise<void> {
  const onFailure = (why: string) => expect.fail(why);
  const counter = new RefusalCounter({ store, clock: new LiveClock(), onFailure });
  for (const one of requests) counter.count(one);
  await counter.flush();
}

async function refusedAt({ store }: TestCentre) {
  const { rows, others } = await allRefusals(store, Date.now());
  const at = rows.flatMap(({ site, reason, serial, address, times }) =>
    site === undefined ? [] : [{ site, reason, serial, address, times }],
  );
  return { at, others };
}

const ROW = { site: 'North', reason: 'malformed_key', serial: 'TOR1', address: '192.0.2.7' };

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('the centre counts what a site refused, with its name, and each request once', async () => {
    await using centre = await TestCentre.start(engine);
    const site = await centre.site('North', engine);
    await refuse(site, MISTYPED, MISTYPED);
    const first = await site.follow();
    await vi.waitFor(
      async () => expect((await refusedAt(centre)).at).toEqual([{ ...ROW, times: 2 }]),
      PATIENTLY,
    );
    await first.close();

    await refuse(site, MISTYPED, { ...MISTYPED, serial: 'TOR2' });
    await (await site.follow()).close();
    await site.follow();
    await vi.waitFor(async () => {
      const { at } = await refusedAt(centre);
      expect(at.sort((a, b) => b.times - a.times)).toEqual([
        { ...ROW, times: 3 },
        { ...ROW, serial: 'TOR2', times: 1 },
      ]);
    }, PATIENTLY);
  });
});

test('what a site refused is seen by its organisation alone: known keys by everybody in it', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const made = await centre.service.administration.keys.create({
    name: 'Gate',
    type: 'hardware',
    events: 'all',
    organisation: site.record.organisationId,
  });
  await site.follow();
  await vi.waitFor(
    async () =>
      expect((await site.store.list('key')).some(({ id }) => id === made.key.id)).toBe(true),
    PATIENTLY,
  );
  await site.stop();
  await refuse(site, MISTYPED, { ...MISTYPED, keys: [made.value], limit: 'rate_limit' });
  await site.follow();
  await vi.waitFor(async () => expect((await refusedAt(centre)).at).toHaveLength(2), PATIENTLY);
  const other = await centre.service.administration.organisations.create('Another');
  const seenBy = async (id: string, isOwner: boolean) => {
    const { rows } = await refusalsOf(centre.store, id, isOwner, Date.now());
    return rows.flatMap(({ site: at, reason }) => (at === undefined ? [] : [reason]));
  };
  expect(await seenBy(site.record.organisationId, false)).toEqual(['rate_limit']);
  expect(await seenBy(site.record.organisationId, true)).toEqual(['rate_limit']);
  expect(await seenBy(other.id, true)).toEqual([]);
});

/** Sends a question of a site by hand. */
async function ask({ service }: TestCentre, { token }: TestSite, changes: object) {
  const answer = await fetch(`${service.url}/admin/v1/site/feed`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...FIRST_QUESTION, ...changes }),
  });
  return { status: answer.status, body: (await answer.json()) as { refusals: string } };
}

test('the counts of a site are checked as anything that a stranger sends', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  const ahead = Date.now() + 400 * 24 * 3_600_000;
  const row = {
    times: 1,
    firstAt: ahead,
    lastAt: ahead,
    reason: 'unknown_key',
    key: null,
    keyId: null,
    serial: null,
    address: '192.0.2.7',
    endpoint: '/',
  };
  const told = (rows: object[]) => ({
    refusals: { digest: 'one', counts: { rows, others: null } },
  });

  expect((await ask(centre, site, told(Array.from({ length: 201 }, () => row)))).status).toBe(422);
  expect((await ask(centre, site, told([{ ...row, reason: 'made_up' }]))).status).toBe(422);
  expect((await ask(centre, site, told([{ ...row, endpoint: 'x'.repeat(2000) }]))).status).toBe(
    422,
  );
  expect((await refusedAt(centre)).at).toEqual([]);
  const { body } = await ask(centre, site, told([row]));
  expect(body.refusals).toBe('one');
  const { rows } = await allRefusals(centre.store, Date.now());
  expect(rows.find(({ site: at }) => at === 'North')?.lastAt).toBeLessThanOrEqual(Date.now());
});

test('an address that a proxy made up does not cut the line', async () => {
  await using centre = await TestCentre.start();
  const site = await centre.site('North');
  await refuse(site, { ...MISTYPED, address: 'x'.repeat(5000) });
  await site.follow();
  await vi.waitFor(async () => {
    const { at } = await refusedAt(centre);
    expect(at.map(({ address }) => address)).toEqual(['x'.repeat(100)]);
  }, PATIENTLY);
});

test('the centre says that nothing waits as soon as the rows are there', async () => {
  await using centre = await TestCentre.start();
  const { site, ticket } = await givenToOneSite(centre);
  await site.stop();
  await site.consume(ticket);
  await site.follow();
  const contact = async () =>
    (await readSiteValue(centre.store, 'site-contact', site.record.id))?.value;
  await vi.waitFor(async () => expect((await contact())?.waiting).toBe(1), {
    ...PATIENTLY,
    interval: 1,
  });
  const asked = (await contact())?.recordsAsOf;

  await vi.waitFor(async () => expect((await contact())?.waiting).toBe(0), PATIENTLY);
  // The next question would have said it too, later.
  expect((await contact())?.recordsAsOf).toBe(asked);
});
