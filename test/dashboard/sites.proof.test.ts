import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf } from '../admin/support/client.ts';
import { CentreAndSite } from '../support/centre-and-site.ts';
import { PATIENTLY } from '../support/patience.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openSignedIn, startBrowser } from './support/browser.ts';
import { LOOKS, picture } from './support/looks.ts';
import { chooseInMenu } from './support/page-actions.ts';

const TEXTS = {
  'en-GB': {
    sites: 'Sites',
    site: 'Site Pool North',
    connected: 'Connected',
    decidedThere: 'decided there',
    goOn: /No line to the centre since \d\d:\d\d; gates go on\. 1 scan waits\./,
    standStill: /No line to the centre since \d\d:\d\d; gates stand still\. 1 scan waits\./,
    createEvent: 'Create event',
    isSite: 'This server is a site itself. Its centre has the list of sites.',
  },
  'de-DE': {
    sites: 'Standorte',
    site: 'Standort Pool North',
    connected: 'Verbunden',
    decidedThere: 'dort entschieden',
    goOn: /Keine Verbindung zur Zentrale seit \d\d:\d\d; die Tore arbeiten weiter\. 1 Scan wartet\./,
    standStill:
      /Keine Verbindung zur Zentrale seit \d\d:\d\d; die Tore stehen still\. 1 Scan wartet\./,
    createEvent: 'Veranstaltung anlegen',
    isSite: 'Dieser Server ist selbst ein Standort. Die Liste der Standorte hat seine Zentrale.',
  },
};

const MINUTE_MS = 60_000;

describe.skipIf(noBrowser)('a centre and its site', () => {
  let browser: Browser;
  let at: CentreAndSite;
  beforeAll(async () => {
    [browser, at] = await Promise.all([
      startBrowser(),
      CentreAndSite.start({ maxAgeMs: 15 * MINUTE_MS }),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await at?.[Symbol.asyncDispose]();
  });
  const dialogOf = (page: Page) => page.getByRole('dialog');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const card = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, level: 2 }) });

  test('an owner makes a site, sees its token once with the command, gives it an event, and retires it', async () => {
    const { page, faults } = await openSignedIn(browser, at.centre, { path: '/sites' });
    await button(page, 'Create site').click();
    await dialogOf(page).getByLabel('Name').fill('Pool West');
    expect(await barriers(page)).toEqual([]);
    await dialogOf(page).getByRole('button', { name: 'Create' }).click();
    const token = await dialogOf(page).getByRole('textbox', { name: 'Token' }).inputValue();
    expect(token).toMatch(/^tscn_site_/);
    const command = `ticketscan serve --centre ${at.centre.url} --site-token file:site.token`;
    expect(await dialogOf(page).getByRole('textbox', { name: 'Command' }).inputValue()).toBe(
      command,
    );
    expect(await barriers(page)).toEqual([]);
    await button(page, 'I have stored it').click();

    const made = card(page, 'Pool West');
    await made.getByText('Never heard').first().waitFor();
    await page.getByRole('button', { name: 'Give an event to Pool West' }).click();
    const { events } = at.centre.seeded;
    await dialogOf(page).getByLabel('Event').selectOption(events.other);
    await dialogOf(page).getByRole('button', { name: 'Give an event' }).click();
    await made.getByText('on its way there, decided nowhere').waitFor();

    await chooseInMenu(page, 'More actions for Pool West', 'Retire Pool West');
    await dialogOf(page).getByRole('button', { name: 'Retire' }).click();
    await made.getByText('Retired').first().waitFor();
    // Only who has seen the risk can free something.
    await chooseInMenu(page, 'More actions for Pool West', 'Free events Pool West');
    await dialogOf(page)
      .getByText(/Events: 1\. Up to \d+ uses may be admitted twice\./)
      .waitFor();
    await dialogOf(page).getByRole('button', { name: 'Free events' }).click();
    await made.getByText('on its way there, decided nowhere').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('an event moves to a site from its row, which says where it is decided', async () => {
    const { page } = await openSignedIn(browser, at.centre, { path: '/events' });
    const { main } = at.centre.seeded.events;
    const row = page.getByRole('row').filter({ hasText: main });
    await row.getByRole('button', { name: /^Move/ }).click();
    await dialogOf(page).getByLabel('Decided at').selectOption({ label: 'Pool North' });
    expect(await barriers(page)).toEqual([]);
    await dialogOf(page).getByRole('button', { name: 'Move' }).click();
    await row.getByText(/^(on its way to|at) Pool North$/).waitFor();
    await at.untilHome('away');
    await page.goto(`/events/${main}`);
    await page.getByText('at Pool North', { exact: true }).waitFor();
    await page.context().close();
  });

  test.each(LOOKS)(
    '%s: the list of sites has each line and event, without a barrier',
    async (look, options) => {
      const words = TEXTS[options.locale];
      const watched = await openSignedIn(browser, at.centre, {
        role: 'viewer',
        path: '/sites',
        ...options,
      });
      const { page, faults } = watched;
      await page.getByRole('heading', { name: words.sites, level: 1 }).waitFor();
      const north = card(page, 'Pool North');
      await north.getByText(words.connected, { exact: true }).waitFor();
      await north.getByText(words.decidedThere).waitFor();
      await picture(page, `${look} 1 sites`, true);
      expect(await barriers(page)).toEqual([]);
      expect(await page.getByRole('button', { name: /Pool North/ }).count()).toBe(0);
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  test('after a cancellation and a disabled key the page says since when they are in force at the site', async () => {
    const ticket = idOf(await at.centre.mint());
    const { page } = await openSignedIn(browser, at.centre, { path: `/tickets/${ticket}` });
    await button(page, 'Cancel ticket').click();
    await dialogOf(page).getByRole('button', { name: 'Cancel ticket' }).click();
    await page.getByText(/^here; Pool North since \d\d:\d\d:\d\d$/).waitFor();

    const key = await at.owner.post('/keys', { name: 'Side gate', type: 'api', events: 'all' });
    // A clock that stands still cannot tell the change from what was there before.
    at.clock.advance(1000);
    await page.goto('/gates');
    await page.getByRole('button', { name: 'Disable Side gate' }).click();
    await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
    const notice = page.getByRole('status').filter({ hasText: 'In force: here; Pool North' });
    await notice.waitFor();
    at.clock.advance(30_000);
    await notice.getByText(/Pool North since \d\d:\d\d:\d\d/).waitFor();
    expect(await barriers(page)).toEqual([]);
    await at.owner.delete(`/keys/${key.json.id}`);
    await page.context().close();
  });

  test.each(LOOKS)(
    '%s: at the site a line says its name, and nothing offers what only its centre makes',
    async (look, options) => {
      const words = TEXTS[options.locale];
      const { page, faults } = await openSignedIn(browser, at.site, {
        path: '/events',
        ...options,
      });
      await page.getByRole('status').getByText(words.site).waitFor();
      await picture(page, `${look} 2 site`);
      expect(await barriers(page)).toEqual([]);
      await page.getByRole('row').filter({ hasText: at.centre.seeded.events.main }).waitFor();
      expect(await button(page, words.createEvent).count()).toBe(0);
      const menu = page.getByRole('navigation', { name: /^(Pages|Seiten)$/ });
      expect(await menu.getByRole('link', { name: words.sites }).count()).toBe(0);
      await page.goto('/sites');
      await page.getByText(words.isSite).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  test('a steward reads since when there is no line, what waits, and whether gates go on', async () => {
    const code = await at.centre.mint({ kind: 'multi', uses: 5 });
    await expect.poll(async () => (await at.scanAtSite(code)).status, PATIENTLY).toBe(200);
    const looks = { viewport: { width: 390, height: 844 } } as const;
    const open = (locale: 'en-GB' | 'de-DE') =>
      openSignedIn(browser, at.site, { role: 'scanner', locale, path: '/scanner', ...looks });
    const [{ page: english }, { page: german }] = [await open('en-GB'), await open('de-DE')];
    await english.getByRole('status').getByText('Site Pool North').waitFor();
    at.line.cut();
    at.clock.advance(2 * MINUTE_MS);
    expect((await at.scanAtSite(code)).json.status).toBe('consumed');
    // It asks again by itself.
    await english.getByText(TEXTS['en-GB'].goOn).waitFor();
    await german.getByText(TEXTS['de-DE'].goOn).waitFor();
    await picture(german, 'phone 3 cut');
    expect(await barriers(german)).toEqual([]);
    const stage = await german.locator('.stage').boundingBox();
    expect((stage?.y ?? 0) + (stage?.height ?? 0)).toBeLessThanOrEqual(844);

    at.clock.advance(14 * MINUTE_MS);
    await english.getByText(TEXTS['en-GB'].standStill).waitFor();
    await german.getByText(TEXTS['de-DE'].standStill).waitFor();
    await picture(english, 'phone 4 still');
    expect(await barriers(english)).toEqual([]);
    await english.context().close();
    await german.context().close();
  });

  test('the log names the site, and says of a late scan that it took no use', async () => {
    await at.owner.post(`/sites/${at.siteId}/free`);
    at.line.mend();
    const { page } = await openSignedIn(browser, at.centre, { path: '/log/history' });
    const late = page.getByRole('row', { name: /Admitted late/ });
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole('row').nth(1).waitFor();
        return late.count();
      }, PATIENTLY)
      .toBe(1);
    await late.getByText('Pool North: came after the event had been freed, took no use').waitFor();
    await page
      .getByRole('row', { name: /Admitted Gate.* Pool North$|Admitted .* Pool North$/ })
      .first()
      .waitFor();
    await picture(page, 'desk 5 log');
    expect(await barriers(page)).toEqual([]);
    await page.context().close();
  });

  test('the page of a restored centre says which site may have an event, and an owner can free that', async () => {
    at.line.cut();
    await at.centre.store.forgetSite();
    const looks = { viewport: { width: 390, height: 844 } } as const;
    const { page, faults } = await openSignedIn(browser, at.centre, { path: '/sites' });
    const german = await openSignedIn(browser, at.centre, {
      path: '/events',
      locale: 'de-DE',
      ...looks,
    });
    const north = card(page, 'Pool North');
    await north
      .getByText('may be there, not heard since the restore: nobody decides')
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: /^Bring back/ }).count()).toBe(0);
    await picture(page, 'desk 6 asking', true);
    expect(await barriers(page)).toEqual([]);
    await german.page.getByText('noch nicht geklärt').first().waitFor();
    await picture(german.page, 'phone 7 asking', true);
    expect(await barriers(german.page)).toEqual([]);

    await chooseInMenu(page, 'More actions for Pool North', 'Free events Pool North');
    await dialogOf(page).getByRole('button', { name: 'Free events' }).click();
    await north.getByText('may be there').first().waitFor({ state: 'detached' });
    await german.page.reload();
    await german.page.getByRole('row').nth(1).waitFor();
    expect(await german.page.getByText('noch nicht geklärt').count()).toBe(0);
    expect([...faults, ...german.faults]).toEqual([]);
    await page.context().close();
    await german.page.context().close();
  });
});
