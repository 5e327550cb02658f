import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { AdminClient, idOf } from '../admin/support/client.ts';
import type { TestService } from '../support/service.ts';
import { wholeOrCover } from '../support/whole.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { chooseInMenu, settle } from './support/page-actions.ts';

/** The height of a row with its padding; a row of buttons is a little higher than one of text. */
const ROW_HEIGHT_MAX = 50;
const TWO_LINES_MAX = 70;
const WIDE = ['table.data tbody tr, .small-scans li', ROW_HEIGHT_MAX] as const;
const NARROW = ['table.data td > div, .small-scans li', TWO_LINES_MAX] as const;

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
let eventId = '';
let deliveries = '';

/** An evening at the gates: tickets of all kinds admitted and denied, a forged code, an undone use, refused keys. */
async function fill(service: TestService): Promise<void> {
  const owner = await AdminClient.signedIn(service);
  const event = await owner.post('/events', { name: 'Freibad am Stadtpark, Sommersaison 2027' });
  eventId = event.json.id;
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
  for (const key of ['tscn_api_mistyped', service.key('disabled')])
    await service.rest('consume', await service.mint(), { 'x-api-key': key });
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

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  const path = `${folder}/${name.replaceAll(/\W+/g, '-')}.png`;
  if (folder) await page.screenshot({ path, fullPage: true });
}

/** A language, a width, colours, and whether a tool looks for barriers: each is in one of the first two. */
const LOOKS = [
  ['en-GB', 1280, 'dark', true],
  ['de-DE', 390, 'light', true],
  ['de-DE', 1280, 'light', true],
  ['en-GB', 390, 'dark', false],
] as const;

describe.skipIf(noBrowser)('every page', () => {
  const at = withBrowser({ store: 'memory' }, fill);

  test.each(wholeOrCover(LOOKS, ([locale, width, scheme]) => [locale, String(width), scheme]))(
    'in %s at %i pixels, %s: rows are short, nothing is too wide, and there is no serious barrier',
    async (locale, width, colorScheme, isJudged) => {
      const viewport = { width, height: 844 };
      const looks = { locale, viewport, colorScheme };
      const watched = await at.signedIn(looks);
      const { page } = watched;
      for (const path of [...PAGE_PATHS, deliveries]) {
        await page.goto(path.replace('events/:id', `events/${eventId}`).replace(':id', ticketId));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await settle(watched);
        await picture(page, `${locale}-${width}${path}`);
        const rows = width === 1280 ? WIDE : NARROW;
        expect(await page.evaluate(tooHigh, rows), path).toEqual([]);
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
        expect(scrollWidth, path).toBe(clientWidth);
        if (isJudged) expect(await barriers(page), path).toEqual([]);
      }
      expect(watched.faults).toEqual([]);
      await page.context().close();
    },
  );

  test.each(['light', 'dark'] as const)(
    'in %s colours dialogues, the scan desk and the sign-in have no serious barrier',
    async (colorScheme) => {
      const { service } = at;
      const { page } = await at.signedIn({ colorScheme, path: '/tickets' });
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      const buffer = Buffer.from('Vorname;"Produkt; Preis"\nAda;"Kombikarte; 9 €"\n');
      const list = { name: 'list.csv', mimeType: 'text/csv', buffer };
      await page.locator('input[type=file]').setInputFiles(list);
      await page.getByText('This file cannot be imported like this').waitFor();
      await dialog.getByLabel('Produkt; Preis').waitFor();
      await page.getByText('Example: Kombikarte; 9 €').waitFor();
      expect(await barriers(page)).toEqual([]);

      await page.goto('/gates');
      await page.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByLabel('Hardware').check();
      await dialog.getByLabel('Selected events').check();
      expect(await barriers(page)).toEqual([]);
      await dialog.getByLabel('Name').fill('Axe');
      await dialog.getByLabel('All events').check();
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).waitFor();
      expect(await barriers(page)).toEqual([]);

      await page.goto('/scanner');
      await page.getByRole('button', { name: 'Scan with a key' }).click();
      await page.getByRole('textbox', { name: 'API key' }).waitFor();
      expect(await barriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Scan as your account' }).click();
      for (const [code, word] of [
        [await service.mint(), 'ADMITTED'],
        ['no ticket', 'DENIED'],
      ] as const) {
        await page.getByRole('textbox', { name: 'Ticket code' }).fill(code);
        await page.getByRole('button', { name: 'Scan', exact: true }).click();
        await page.locator('.result').getByText(word).waitFor();
        expect(await barriers(page)).toEqual([]);
      }
      await page.context().clearCookies();
      await page.goto('/');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await barriers(page)).toEqual([]);
      await page.context().close();
    },
  );

  test('rows name the guest, or the kind and the end of the id; what is left; when; and what was changed', async () => {
    const looks = { locale: 'de-DE', path: '/tickets' };
    const { page } = await at.signedIn(looks);
    const row = (name: RegExp) => page.getByRole('row', { name }).first();
    for (const name of [
      /Hans-Joachim Müller-Lüdenscheidt.*noch 9 von 10 unbegrenzt Gültig$/,
      /Dauerkarte \w{5} .*unbegrenzt 01\.01\.2026\s?–\s?31\.12\.2027 Gültig$/,
      /Einzelticket \w{5} .*noch 1 von 1 bis 01\.01\.2020 Abgelaufen$/,
      /Einzelticket \w{5} .*01\.05\.2099, \d\d:00–\d\d:00 Uhr Noch nicht gültig$/,
    ])
      await row(name).waitFor();
    await page.goto('/events');
    const name = page.getByText('Freibad am Stadtpark, Sommersaison 2027', { exact: true });
    expect(await name.evaluate((cell) => cell.scrollWidth > cell.clientWidth)).toBe(false);

    await page.goto('/settings/audit-log');
    await row(/API-Schlüssel Drehkreuz Süd angelegt/).waitFor();
    await row(/Tickets für Freibad am Stadtpark, Sommersaison 2027 angelegt/).waitFor();
    await row(/Als owner \w+ angemeldet/).waitFor();
    const guest = { name: 'Hans-Joachim Müller-Lüdenscheidt' };
    await row(/Nutzung von .* zurückgegeben/)
      .getByRole('link', guest)
      .click();
    await page.waitForURL(`**/tickets/${ticketId}`);
    await page.getByText(ticketId, { exact: true }).waitFor();

    await page.goto('/');
    await page.getByRole('link', { name: /^Personen in Freibad am Stadtpark.*: \d/ }).click();
    await page.waitForURL('**/log/history?event=*');
    await row(/Eingelassen/).waitFor();

    // The whole row of an event leads to its page, and that to its tickets, numbers and keys.
    await page.goto('/events');
    await row(/Freibad am Stadtpark/)
      .getByText(eventId)
      .click({ force: true });
    await page.waitForURL(`**/events/${eventId}`);
    await page.getByRole('heading', { name: 'Freibad am Stadtpark', level: 1 }).waitFor();
    await row(/Drehkreuz Süd/).waitFor();
    await page.locator('.total', { hasText: 'Tickets' }).getByRole('link').click();
    await page.waitForURL(`**/tickets?event=${eventId}`);
    await row(/Müller-Lüdenscheidt/).waitFor();
  });

  test('a row of a ticket that is not there leads nowhere, and its page offers no second attempt', async () => {
    const { service } = at;
    const gone = await service.mint();
    const id = idOf(gone);
    await (await AdminClient.signedIn(service)).delete(`/tickets/${id}`);
    await service.rest('consume', gone);
    const { page } = await at.signedIn({ path: '/log' });
    const row = page.getByRole('row', { name: /Not found/ });
    await row.getByTitle(id).and(page.locator('span')).waitFor();
    expect(await row.getByRole('link').count()).toBe(0);
    await page.goto(`/tickets/${id}`);
    await page.getByText('This does not exist, or was deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});

const HOSTILE = [
  `<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template that nobody may fill in
  '${harmed=1} {{harmed=1}} javascript:harmed=1',
  'مرحبا \u200Fgnp.exe\u200E שלום',
  '🏊‍♀️👩🏽‍🚒🇩🇪 Zürich Z̸̢͇a̸l̷g̸o',
  'Donaudampfschifffahrtsgesellschaft'.repeat(10).slice(0, 200),
];

describe.skipIf(noBrowser)('hostile names', () => {
  const ticketIds: string[] = [];
  const at = withBrowser({ store: 'memory', limits: { keysMax: 50 } }, async (service) => {
    const owner = await AdminClient.signedIn(service);
    for (const name of HOSTILE) {
      const event = await owner.post('/events', { name });
      const key = await owner.post('/keys', { name, type: 'api', events: [event.json.id] });
      const holder = { firstName: name, lastName: name };
      const order = { event: event.json.id, type: 'single', count: 1, holder };
      const tickets = await owner.post('/tickets', order);
      expect([event.status, key.status, tickets.status], name).toEqual([201, 201, 201]);
      const [{ ticketId: id, code }] = tickets.json.items;
      ticketIds.push(id);
      await service.rest('consume', code, { 'x-api-key': key.json.key });
      // Names with overrides are refused; a device may say what it likes.
      await service.card('consume', code, { Serial: `\u202E${name}` });
      const beat = JSON.stringify({ Key: 'x', Serial: name, Version: name, ID: name });
      await service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}`, beat);
    }
  });

  const LISTS = ['/', '/gates', '/events', '/tickets', '/log/history', '/gates/devices'];

  test.each([360, 1280])('are text, whole and in their place, at %i pixels', async (width) => {
    const viewport = { width, height: 800 };
    const { page, faults } = await at.signedIn({ viewport });
    for (const path of [...LISTS, '/settings/audit-log']) {
      await page.goto(path);
      const names = page.locator('.shell-main .name');
      // A phone shows the first few of some lists.
      await names.nth(HOSTILE.length - 1).waitFor({ state: 'attached' });
      await expectHarmless(page, path);
    }
    await page.goto('/events');
    for (const name of HOSTILE)
      await page.locator('bdi.name').getByText(name, { exact: true }).waitFor();
    for (const id of ticketIds) {
      await page.goto(`/tickets/${id}`);
      await page.locator('.ticket').waitFor();
      await expectHarmless(page, id);
    }
    await page.goto('/gates');
    const dialog = page.getByRole('dialog');
    for (const name of HOSTILE) {
      await chooseInMenu(page, `More actions for ${name}`, `Delete ${name}`);
      await dialog.getByText(name).waitFor();
      await expectHarmless(page, name);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    }
    expect(faults).toEqual([]);
  });

  test('a name that is too long is refused in words, and what was typed stays', async () => {
    const { page } = await at.signedIn({ path: '/events' });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create event' }).click();
    await dialog.getByLabel('Name').fill('x'.repeat(300));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText('200').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toHaveLength(300);
  });
});

/** Nothing of it ran or became an element, and nothing pushes the page wider than its window. */
async function expectHarmless(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => ({
    harmed: 'harmed' in globalThis,
    pictures: document.querySelectorAll('img[src="x"]').length,
    tooWideBy: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  expect(found, where).toEqual({ harmed: false, pictures: 0, tooWideBy: 0 });
}
