import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { TestClock } from '../support/clock.ts';
import type { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

const MENU = {
  de: [
    'Übersicht',
    'Scannen',
    'Tickets',
    'Protokoll',
    'Statistik',
    'Veranstaltungen',
    'Tore',
    'Konten',
    'Einstellungen',
  ],
  en: [
    'Overview',
    'Scan',
    'Tickets',
    'Log',
    'Statistics',
    'Events',
    'Gates',
    'Accounts',
    'Settings',
  ],
};

describe.skipIf(noBrowser)('ways through the dashboard', () => {
  let browser: Browser;
  let service: TestService;
  withBrowser(
    async (started) => {
      ({ browser, service } = started);
      const code = await service.mint({ firstName: 'Grete', lastName: 'Hermann' });
      await service.mint({ firstName: 'Ida', lastName: 'Rhodes' });
      await service.rest('consume', code);
      await service.card('consume', code, { Serial: 'North' });
    },
    // The page chooses the days of the statistics by the clock of the browser.
    { store: 'memory', clock: new TestClock(Date.now()) },
  );

  test.each([
    ['owner', 'de-DE', MENU.de, ['Schlüssel', 'Geräte', 'Telefone']],
    [
      'operator',
      'en-GB',
      MENU.en.filter((one) => one !== 'Accounts'),
      ['Keys', 'Devices', 'Phones'],
    ],
    ['viewer', 'en-GB', MENU.en.filter((one) => one !== 'Accounts'), ['Keys', 'Devices']],
  ] as const)('the menu of an %s', async (role, locale, menu, gates) => {
    const { page } = await openSignedIn(browser, service, { role, locale });
    const links = (index: number) => page.locator('nav').nth(index).getByRole('link');
    expect(await links(0).allInnerTexts()).toEqual(menu);
    await links(0)
      .nth(menu.findIndex((one) => one === 'Tore' || one === 'Gates'))
      .click();
    await page.waitForURL('**/gates');
    expect(await links(1).allInnerTexts()).toEqual(gates);
    await page.goto('/settings');
    await links(1).first().waitFor();
    expect(await links(1).count()).toBe(role === 'owner' ? 4 : 2);
    await page.goto('/settings/audit-log');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const refused = page.getByText('it takes the role Owner');
    if (role !== 'owner') await refused.waitFor();
    expect(await refused.count()).toBe(role === 'owner' ? 0 : 1);
  });

  test('why a guest was refused takes two steps from the overview, by the reason and by the scan', async () => {
    const { page, faults } = await openSignedIn(browser, service, { role: 'viewer' });
    await page.getByRole('term').getByRole('link', { name: 'Used up' }).click();
    await page.waitForURL('**/log/history?outcome=exhausted&from=*');
    await page
      .getByRole('row', { name: /Grete Hermann.*Used up.*North/ })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'Scan history' }).waitFor();
    await page.getByRole('row', { name: /Used up.*North/ }).waitFor();

    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.locator('.small-scans').getByRole('link', { name: 'Grete Hermann' }).first().click();
    await page.getByRole('row', { name: /Used up.*North/ }).waitFor();
    await page.goBack();
    await page.locator('.gates').getByRole('link', { name: 'North' }).click();
    await page.getByRole('row', { name: /Used up/ }).waitFor();
    await page.goto('/');
    await page.locator('.total', { hasText: 'Denied today' }).getByRole('link').click();
    await page.getByRole('row', { name: /Used up/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test('an address with a slash at its end is the same page', async () => {
    const { page } = await openSignedIn(browser, service);
    await page.goto('/tickets/');
    await page.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
  });

  test('Back brings a search, a filter and a period back; a guest is found from every page', async () => {
    const { page, faults } = await openSignedIn(browser, service);
    await page.goto('/gates/devices');
    await page.getByRole('searchbox', { name: 'Find a ticket' }).fill('herm');
    await page.keyboard.press('Enter');
    const search = page.getByRole('searchbox', { name: 'Ticket id or holder' });
    await page.getByRole('row', { name: /Grete/ }).waitFor();
    expect(await search.inputValue()).toBe('herm');
    await search.fill('rhod');
    await page.getByLabel('State').selectOption('Valid');
    await page.getByRole('row', { name: /Ida/ }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Scan history' }).waitFor();
    await page.goBack();
    await page.getByRole('row', { name: /Ida Rhodes/ }).waitFor();
    expect(await search.inputValue()).toBe('rhod');
    expect(await page.getByLabel('State').inputValue()).toBe('valid');
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByRole('row', { name: /Grete/ }).waitFor();
    expect(await search.inputValue()).toBe('');

    await page.goto('/statistics');
    await page.getByLabel('Period').selectOption('30 days');
    await page.getByLabel('Group by').selectOption('Gate');
    await page.getByRole('link', { name: 'Used up' }).click();
    await page.waitForURL('**/log/history?outcome=exhausted&from=*&until=*');
    await page.goBack();
    await page.locator('.total', { hasText: 'Denied' }).getByRole('link').click();
    await page.waitForURL('**/log/history?outcome=denied&from=*&until=*');
    await page.getByRole('row', { name: /Used up/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Scans by gate' }).waitFor();
    expect(await page.getByLabel('Period').inputValue()).toBe('month');
    await page.getByLabel('First day').fill('2026-01-01');
    await page.reload();
    expect(await page.getByLabel('First day').inputValue()).toBe('2026-01-01');
    expect(faults).toEqual([]);
  });
});
