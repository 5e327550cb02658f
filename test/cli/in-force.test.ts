import { afterAll, beforeAll, expect, test } from 'vitest';
import { idOf } from '../admin/support/client.ts';
import { LiveClock } from '../sites/support/centre-and-sites.ts';
import { CentreAndSite } from '../support/centre-and-site.ts';
import { CliFolder } from '../support/cli.ts';

const folder = new CliFolder();
let at: CentreAndSite;
beforeAll(async () => {
  at = await CentreAndSite.start({ clock: new LiveClock() });
  await at.move(at.siteId);
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const SINCE = /^In force here; Pool North since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(.+\)$/m;
const run = (...args: string[]) => folder.run([...args, '--store', at.centre.storeUrl]);

test('a cancellation waits for the site, and says since when it is in force there', async () => {
  const [one, two] = [idOf(await at.centre.mint()), idOf(await at.centre.mint())];
  const { code, out } = await run('tickets', 'cancel', one, two);
  expect([code, out]).toEqual([0, expect.stringMatching(SINCE)]);
  expect(out).toContain(`Ticket ${two} is cancelled.\nIn force here`);

  const { main } = at.centre.seeded.events;
  await at.owner.post('/tickets', { event: main, type: 'single', count: 2, reference: 'R-7' });
  const many = await run('tickets', 'cancel', '--reference', 'R-7', '--yes', '--json');
  // JSON is as it was: what is said beside it stands on stderr.
  expect([JSON.parse(many.out), many.err]).toEqual([
    { cancelled: 2, kept: 0 },
    expect.stringMatching(SINCE),
  ]);
});

test('a key that is disabled, renewed or deleted says it too', async () => {
  const made = await at.owner.post('/keys', { name: 'Side gate', type: 'api', events: 'all' });
  const { id } = made.json;
  expect((await run('keys', 'disable', id)).out).toMatch(SINCE);
  expect((await run('keys', 'rotate', id)).out).toMatch(SINCE);
  const { out, err } = await run('keys', 'delete', id, '--json', '--yes');
  expect([JSON.parse(out).id, err]).toEqual([id, expect.stringMatching(SINCE)]);
});

test('the list of events says where they are decided, in a column that is there when one is away', async () => {
  const { out } = await run('events', 'list');
  const [head, ...rows] = out.split('\n');
  expect(head).toMatch(/DECIDED AT$/);
  const { main, other } = at.centre.seeded.events;
  expect(rows.find((row) => row.startsWith(main))).toMatch(/Pool North$/);
  expect(rows.find((row) => row.startsWith(other))).toMatch(/here$/);
  const json = await folder.json(['events', 'list', '--store', at.centre.storeUrl]);
  expect(json.map(({ home }: { home?: object }) => home).filter(Boolean)).toEqual([
    { at: 'away', site: { id: at.siteId, name: 'Pool North' } },
  ]);
});

test('without a line it says since when, and waits for nobody', async () => {
  const ticket = idOf(await at.centre.mint());
  at.line.cut();
  const { store } = at.centre;
  const contact = await store.read('site-contact', at.siteId);
  const heardAt = Date.now() - 2 * 60_000;
  const { kind, id, revision, value } = contact!;
  const administrative = [{ kind, id, revision, value: { ...(value as object), heardAt } }];
  await store.write({ administrative, audit: [] });
  const { out } = await run('tickets', 'cancel', ticket);
  expect(out).toMatch(/In force here; Pool North not yet: no line since \d{4}-/);

  await at.owner.post(`/sites/${at.siteId}/free`);
  expect((await run('events', 'list')).out).not.toContain('DECIDED AT');
});
