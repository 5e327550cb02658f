import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { AdminClient } from '../admin/support/client.ts';
import type { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

/** With its padding; a row of buttons is a little higher than one of text. */
const ROW_HEIGHT_MAX = 50;
const TWO_LINES_MAX = 70;

const TICKETS = [
  {
    type: 'multi',
    uses: 10,
    holder: { firstName: 'Hans-Joachim', lastName: 'Müller-Lüdenscheidt' },
  },
  { type: 'permanent', validFrom: '2026-01-01T00:00:00Z', validUntil: '2027-12-31T22:59:59Z' },
  { type: 'single', validUntil: '2020-01-01T00:00:00Z' },
  { type: 'single', validFrom: '2099-05-01T08:00:00Z', validUntil: '2099-05-01T10:00:00Z' },
] as const;

let ticketId = '';
let deliveries = '';

/** An evening at the gates: tickets of all kinds admitted and denied, a forged code, an undone use, a refused key. */
async function fill(service: TestService): Promise<void> {
  const owner = await AdminClient.signedIn(service);
  const event = await owner.post('/events', { name: 'Freibad am Stadtpark, Sommersaison 2027' });
  const readers = { 0: 'in', 1: 'out' };
  await owner.post('/keys', { name: 'Drehkreuz Süd', type: 'hardware', events: 'all', readers });
  const url = 'https://nobody.invalid/a-path-that-is-not-short/for-the-scans-of-the-box-office';
  const webhook = await owner.post('/webhooks', { name: 'Kasse', url, events: ['scan.granted'] });
  await owner.post(`/webhooks/${webhook.json.id}/test`);
  deliveries = `/settings/webhooks?webhook=${webhook.json.id}`;
  await owner.post('/access-tokens', { name: 'Nachtlauf', days: 9, role: 'viewer' });
  for (const options of TICKETS) {
    const made = await owner.post('/tickets', { event: event.json.id, count: 1, ...options });
    const [{ code, ticketId: id }] = made.json.items;
    if (ticketId === '') ticketId = id;
    await service.card('consume', code, { Serial: 'Eingang Nord 0123456' });
    await service.rest('consume', code);
    await service.rest('validate', code);
  }
  await service.rest('consume', 'FORGED-ONE-and-some-more-characters');
  await service.rest('consume', await service.mint(), { 'x-api-key': 'tscn_api_mistyped' });
  const { json } = await owner.get(`/log?ticket=${ticketId}&outcome=consumed`);
  const reason =
    'The guest left again at once: it was the wrong event, and the next one is tomorrow';
  await owner.post(`/log/${json.items[0].sequence}/undo`, { reason });
}

/** Runs in the page: what is higher than it may be. */
function tooHigh([selector, max]: readonly [string, number]): string[] {
  return [...document.querySelectorAll(selector)]
    .filter((element) => element.getBoundingClientRect().height > max)
    .map((element) => `${element.getBoundingClientRect().height}: ${element.textContent}`);
}

describe.skipIf(noBrowser)('rows', () => {
  let browser: Browser;
  let service: TestService;
  withBrowser(
    async (started) => {
      ({ browser, service } = started);
      await fill(service);
    },
    { store: 'memory' },
  );

  async function picture(page: Page, name: string): Promise<void> {
    const folder = process.env['PICTURES'];
    if (!folder) return;
    await page.screenshot({
      path: `${folder}/${name.replaceAll(/\W+/g, '-')}.png`,
      fullPage: true,
    });
  }

  test.concurrent.each([
    ['en-GB', 1280, 'dark'],
    ['de-DE', 1280, 'light'],
    ['en-GB', 390, 'light'],
    ['de-DE', 390, 'dark'],
  ] as const)(
    'in %s at %i pixels, %s, are short on every page',
    async (locale, width, colorScheme) => {
      const viewport = { width, height: 844 };
      const { page, faults } = await openSignedIn(browser, service, {
        locale,
        viewport,
        colorScheme,
      });
      const rules: readonly (readonly [string, number])[] =
        width === 1280
          ? [['table.data tbody tr, .small-scans li', ROW_HEIGHT_MAX]]
          : [['table.data td > div, .small-scans li', TWO_LINES_MAX]];
      for (const path of [...PAGE_PATHS, deliveries]) {
        await page.goto(path.replace(':id', ticketId));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForFunction(() => document.querySelector('.state [aria-hidden]') === null);
        // Names of tickets come after the rows.
        await page.waitForTimeout(300);
        await picture(page, `${locale}-${width}${path}`);
        for (const rule of rules) expect(await page.evaluate(tooHigh, rule), path).toEqual([]);
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
        expect(scrollWidth, path).toBe(clientWidth);
      }
      expect(faults).toEqual([]);
    },
  );

  test('name the guest, or the kind and the end of the id; what is left; and when', async () => {
    const { page } = await openSignedIn(browser, service, { locale: 'de-DE' });
    await page.goto('/tickets');
    const row = (name: RegExp) => page.getByRole('row', { name }).waitFor();
    await row(/Hans-Joachim Müller-Lüdenscheidt.*noch 9 von 10 unbegrenzt Gültig$/);
    await row(/Dauerkarte \w{5} .*unbegrenzt 01\.01\.2026\s?–\s?31\.12\.2027 Gültig$/);
    await row(/Einzelticket \w{5} .*noch 1 von 1 bis 01\.01\.2020 Abgelaufen$/);
    await row(/Einzelticket \w{5} .*01\.05\.2099, \d\d:00–\d\d:00 Uhr Noch nicht gültig$/);
    await page.goto(`/tickets/${ticketId}`);
    await page.getByText(ticketId, { exact: true }).waitFor();
    await page.goto('/events');
    const name = page.getByText('Freibad am Stadtpark, Sommersaison 2027', { exact: true });
    expect(await name.evaluate((cell) => cell.scrollWidth > cell.clientWidth)).toBe(false);
  });

  test('name what was changed, and lead from a changed ticket to its page', async () => {
    const { page } = await openSignedIn(browser, service, { locale: 'de-DE' });
    await page.goto('/settings/audit-log');
    const row = (name: RegExp) => page.getByRole('row', { name }).first().waitFor();
    await row(/API-Schlüssel angelegt Drehkreuz Süd/);
    await row(/Tickets angelegt Freibad am Stadtpark, Sommersaison 2027/);
    await row(/Angemeldet owner \w+/);
    await page
      .getByRole('row', { name: /Nutzung zurückgegeben/ })
      .getByRole('link', { name: 'Hans-Joachim Müller-Lüdenscheidt' })
      .click();
    await page.waitForURL(`**/tickets/${ticketId}`);
  });

  test('of people inside lead to the scans that are counted', async () => {
    const { page } = await openSignedIn(browser, service, { locale: 'de-DE' });
    const tile = page.locator('.total', { hasText: 'Personen drinnen: Freibad am Stadtpark' });
    await tile.getByRole('link').click();
    await page.waitForURL('**/log/history?event=*');
    await page
      .getByRole('row', { name: /Eingelassen/ })
      .first()
      .waitFor();
  });

  test('of a ticket that is not there lead nowhere, and its page offers no second attempt', async () => {
    const { page } = await openSignedIn(browser, service);
    const gone = await service.mint();
    const id = gone.split('.')[1] ?? '';
    const owner = await AdminClient.signedIn(service);
    await owner.delete(`/tickets/${id}`);
    await service.rest('consume', gone);
    await page.goto('/log');
    const row = page.getByRole('row', { name: /Not found/ });
    await row.getByTitle(id).and(page.locator('span')).waitFor();
    expect(await row.getByRole('link').count()).toBe(0);
    await page.goto(`/tickets/${id}`);
    await page.getByText('This does not exist, or was deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});
