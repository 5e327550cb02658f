import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { CentreHere, SiteHere, scan, until } from './support.ts';

const CANNOT = { status: 500, valid: undefined, uses: undefined };

test('an event that went to a site is decided there and nowhere else, also while the line is cut; every use comes home, once', async () => {
  await using centre = await CentreHere.open();
  const { id, code } = await centre.ticket(9);
  const token = await centre.token('Pool North');
  await using site = await SiteHere.open(centre, token, 'site.db');
  const at = (server: { readonly url: string }) => scan(server, centre.key, code);
  expect(await at(centre)).toMatchObject({ valid: true, uses: 1 });
  expect(await at(site)).toEqual(CANNOT);

  await centre.rules.giveTo(centre.event, await centre.rules.find('Pool North'));
  expect(await at(centre)).toEqual(CANNOT);
  await centre.moved('away');
  expect(await at(site)).toMatchObject({ valid: true, uses: 2 });
  centre.line.cut();
  expect(await at(site)).toMatchObject({ valid: true, uses: 3 });
  expect(await at(site)).toMatchObject({ valid: true, uses: 4 });
  expect(await at(centre)).toEqual(CANNOT);
  centre.line.mend();
  await until(async () => (await centre.use(id)) === 4, 'the centre has every use');

  await centre.rules.askBack(centre.event);
  await centre.moved('centre');
  expect(await at(site)).toEqual(CANNOT);
  expect(await at(centre)).toMatchObject({ valid: true, uses: 5 });
  const log = await centre.store.readLog({ limit: 100 });
  expect(log.map(({ usesConsumed, site: origin }) => [usesConsumed, origin?.late])).toEqual([
    [1, undefined],
    [2, false],
    [3, false],
    [4, false],
    [5, undefined],
  ]);
  await until(async () => (await site.store.countTickets()) === 0, 'the site has forgotten it');
  expect((await centre.store.verify()).problems).toEqual([]);
  expect((await site.store.verify()).problems).toEqual([]);
});

test('an event that comes again has the uses that were taken meanwhile', async () => {
  await using centre = await CentreHere.open();
  const { id, code } = await centre.ticket(9);
  await using site = await SiteHere.open(centre, await centre.token('North'), 'site.db');
  for (const round of [0, 1]) {
    await centre.rules.giveTo(centre.event, await centre.rules.find('North'));
    await centre.moved('away');
    expect(await scan(site, centre.key, code)).toMatchObject({ uses: 2 * round + 1 });
    await centre.rules.askBack(centre.event);
    await centre.moved('centre');
    expect(await scan(centre, centre.key, code)).toMatchObject({ uses: 2 * round + 2 });
  }
  expect(await centre.use(id)).toBe(4);
  expect((await centre.store.verify()).problems).toEqual([]);
});

test('an event that was freed and is given again: what its site had admitted is kept, flagged, and takes no use; the new stay begins with the uses of the centre', async () => {
  await using centre = await CentreHere.open();
  const { id, code } = await centre.ticket(3);
  await using site = await SiteHere.open(centre, await centre.token('North'), 'site.db');
  const north = await centre.rules.find('North');
  await centre.rules.giveTo(centre.event, north);
  await centre.moved('away');
  centre.line.cut();
  expect(await scan(site, centre.key, code)).toMatchObject({ valid: true, uses: 1 });
  expect(await centre.rules.usesAtRisk(north)).toBe(3);
  await centre.rules.free(north);
  expect(await scan(centre, centre.key, code)).toMatchObject({ valid: true, uses: 1 });
  expect(await scan(centre, centre.key, code)).toMatchObject({ valid: true, uses: 2 });
  await centre.rules.giveTo(centre.event, await centre.rules.find('North'));
  centre.line.mend();
  await centre.moved('away');
  expect(await scan(site, centre.key, code)).toMatchObject({ valid: true, uses: 3 });
  expect(await scan(site, centre.key, code)).toMatchObject({ valid: false });
  await until(async () => (await centre.use(id)) === 3, 'the centre has the last use');
  const late = (await centre.store.readLog({ limit: 100 })).filter((one) => one.site?.late);
  expect(late).toMatchObject([{ ticketId: id, status: 'consumed', replayed: true }]);
  expect((await centre.store.verify()).problems).toEqual([]);
});

test('what the centre changes is in force at the site, and the centre knows since when', async () => {
  await using centre = await CentreHere.open();
  const { id, code } = await centre.ticket(5);
  await using site = await SiteHere.open(centre, await centre.token('North'), 'site.db');
  await centre.rules.giveTo(centre.event, await centre.rules.find('North'));
  await centre.moved('away');
  const entry = {
    at: Date.now(),
    organisationId: centre.event.organisationId,
    accountId: null,
    by: 'test',
    act: 'tickets.cancel',
    subject: id,
    details: {},
  };
  await centre.store.cancelTickets([id], Date.now(), entry);
  await until(async () => (await site.ticket(id))?.cancelledAt !== null, 'it is cancelled there');
  expect(await scan(site, centre.key, code)).toMatchObject({ valid: false });
  await until(async () => {
    const [change] = await centre.store.siteChangesOf([id]);
    return change?.inForceAt != null;
  }, 'the centre knows that it is in force');
  const made = await centre.ticket(2);
  await until(async () => (await site.ticket(made.id)) !== undefined, 'a new ticket is there');
  const [key] = await centre.store.list('key');
  await centre.administration.keys.delete(key?.id ?? '');
  await until(
    async () => (await scan(site, centre.key, made.code)).status === 401,
    'the deleted key is refused there',
  );
});

test('only the home of an event counts its uses: at the centre they are not changed while it is away, and at a site nothing is administered', async () => {
  await using centre = await CentreHere.open();
  const { id, code } = await centre.ticket(5);
  await scan(centre, centre.key, code);
  await using site = await SiteHere.open(centre, await centre.token('North'), 'site.db');
  await centre.rules.giveTo(centre.event, await centre.rules.find('North'));
  await centre.moved('away');
  const [use] = await centre.store.readLog({ limit: 1 });
  const away = { code: 'conflict', message: expect.stringContaining('the site "North"') };
  await expect(centre.tickets.undo(use?.sequence ?? 0, 'a mistake')).rejects.toMatchObject(away);
  const there = { code: 'conflict', message: expect.stringContaining('This is a site') };
  const [ticket] = await site.store.listTickets({ limit: 1 });
  const entry = {
    at: 1,
    organisationId: null,
    accountId: null,
    by: '',
    act: '',
    subject: id,
    details: {},
  };
  await expect(site.store.cancelTickets([ticket?.id ?? ''], 1, entry)).rejects.toMatchObject(there);
});

test('a store that was copied from a site is a new site without events; the first one goes on', async () => {
  await using centre = await CentreHere.open();
  const { code } = await centre.ticket(5);
  const token = await centre.token('North');
  await using site = await SiteHere.open(centre, token, 'site.db');
  await centre.rules.giveTo(centre.event, await centre.rules.find('North'));
  await centre.moved('away');
  expect(await scan(site, centre.key, code)).toMatchObject({ uses: 1 });
  const { copyStore } = await import('../../src/stores/transfer/copy-store.ts');
  const target = await openStore(`sqlite:${join(centre.folder, 'copy.db')}`);
  await copyStore(site.store, target, { source: 'site' });
  await target.close();
  await using copy = await SiteHere.open(centre, token, 'copy.db');
  expect(await scan(copy, centre.key, code)).toEqual(CANNOT);
  expect(await scan(site, centre.key, code)).toMatchObject({ uses: 2 });
  await centre.rules.askBack(centre.event);
  await centre.moved('centre');
  expect(await scan(centre, centre.key, code)).toMatchObject({ uses: 3 });
});

test('a site needs its own token and its own store, and says what is wrong', async () => {
  await using centre = await CentreHere.open();
  const north = await centre.token('North');
  const south = await centre.token('South');
  const wrong = `tscn_site_${'a'.repeat(38)}`;
  await expect(SiteHere.open(centre, wrong, 'site.db')).rejects.toMatchObject({
    code: 'not_allowed',
  });
  await (await SiteHere.open(centre, north, 'site.db'))[Symbol.asyncDispose]();
  copyFileSync(join(centre.folder, 'site.db'), join(centre.folder, 'other.db'));
  {
    await using other = await SiteHere.open(centre, south, 'other.db');
    // It goes on with what it has; the centre takes nothing from it.
    expect(other.url).toMatch(/^http/);
  }
  const [first, second] = await centre.rules.list();
  expect([first?.incarnation, second?.incarnation]).toEqual([expect.any(String), null]);
  await centre.rules.retire(await centre.rules.find('North'));
  await expect(SiteHere.open(centre, north, 'new.db')).rejects.toMatchObject({
    code: 'not_allowed',
  });
});

test('with a bound for the silence of the centre, the gates of a site stand still after it, and go on when the line is there', async () => {
  await using centre = await CentreHere.open();
  const { code } = await centre.ticket(5);
  const token = await centre.token('North');
  await using site = await SiteHere.open(centre, token, 'site.db', { maxAgeMs: 1500 });
  await centre.rules.giveTo(centre.event, await centre.rules.find('North'));
  await centre.moved('away');
  centre.line.cut();
  const dead = `${code.slice(0, -4)}AAAA`;
  await until(
    async () => (await scan(site, centre.key, dead)).status === 500,
    'the gates stand still',
  );
  centre.line.mend();
  await until(async () => (await scan(site, centre.key, code)).valid === true, 'they go on');
});
