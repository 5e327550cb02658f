import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIVE_ENTRIES_MAX } from '../../src/dashboard/components/scans.tsx';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { AdminClient, idOf, makeAccount } from '../admin/support/client.ts';
import { TestClock } from '../support/clock.ts';
import { PATIENTLY } from '../support/patience.ts';
import { isInstalled, PROXIES, startProxy } from '../support/proxies.ts';
import type { TestService } from '../support/service.ts';
import { noBrowser, openPage, signIn, withBrowser } from './support/browser.ts';
import { CuttableProxy } from './support/cuttable-proxy.ts';
import { scanByKeys } from './support/page-actions.ts';

const MENU = {
  de: [
    'Übersicht',
    'Scannen',
    'Tickets',
    'Protokoll',
    'Statistik',
    'Abschluss',
    'Veranstaltungen',
    'Tore',
    'Standorte',
    'Konten',
    'Einstellungen',
  ],
  en: [
    'Overview',
    'Scan',
    'Tickets',
    'Log',
    'Statistics',
    'Closing',
    'Events',
    'Gates',
    'Sites',
    'Accounts',
    'Settings',
  ],
};

describe.skipIf(noBrowser)('ways through the dashboard', () => {
  // The page chooses the days of the statistics by the clock of the browser.
  const clock = new TestClock(Date.now());
  const at = withBrowser({ store: 'memory', clock }, async (service) => {
    const code = await service.mint({ firstName: 'Grete', lastName: 'Hermann' });
    const other = await service.mint({ firstName: 'Ida', lastName: 'Rhodes' });
    await service.card('validate', other, { Serial: 'South' });
    await service.rest('consume', code);
    await service.card('consume', code, { Serial: 'North' });
  });

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
    const { page } = await at.signedIn({ role, locale });
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
    if (role !== 'viewer') return;
    // A viewer is offered nothing that only others may do.
    for (const path of ['/tickets', '/events', '/gates', '/accounts']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByRole('button', { name: /create|import/i }).count(), path).toBe(0);
    }
  });

  test('why a guest was refused takes two steps from the overview, by the reason and by the scan', async () => {
    const { page, faults } = await at.signedIn({ role: 'viewer' });
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
    const { page } = await at.signedIn({ path: '/tickets/' });
    await page.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
  });

  test('Back brings a search, a filter and a period back; a guest is found from every page', async () => {
    const { page, faults } = await at.signedIn({ path: '/gates/devices' });
    await page.getByRole('searchbox', { name: 'Find a ticket' }).fill('herm');
    await page.keyboard.press('Enter');
    const search = page.getByRole('searchbox', { name: 'Id, holder, reference' });
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

  test('statistics show a period as a chart and as a table, and give it as CSV', async () => {
    const { page, faults } = await at.signedIn();
    await page.getByRole('navigation').getByRole('link', { name: 'Statistics' }).click();
    await page.getByLabel('Period').selectOption('Today');
    const chart = page.getByRole('img', { name: /Admitted: \d+\. Denied: \d+\. Most scans: / });
    await chart.waitFor();

    await page.getByLabel('Group by').selectOption('Gate');
    await page.getByRole('button', { name: 'Show as table' }).click();
    for (const cells of [
      ['Gates (North)', '0', '1', '0'],
      ['Gates (South)', '0', '0', '1'],
    ]) {
      const row = page.getByRole('row', { name: cells.join(' '), exact: true });
      await row.waitFor();
      expect(await row.getByRole('cell').allTextContents()).toEqual(cells);
    }

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toMatch(/^gate,keyId,serial,admitted,denied,validations,undone,exits\n/);
    expect(csv).toMatch(/^Gates \(North\),key_\w+,North,0,1,0,0,0$/m);
    expect(csv).toMatch(/^Gates \(South\),key_\w+,South,0,0,1,0,0$/m);
    expect(faults).toEqual([]);
  });

  test('statistics name an account that scans, as they name a key', async () => {
    const account = await AdminClient.signedIn(at.service);
    const scan = { operation: 'consume', requestId: 'the-only-one' };
    const { status } = await account.post('/scans', {
      ...scan,
      ticketCode: await at.service.mint(),
    });
    expect(status).toBe(200);
    const { page } = await at.signedIn({ path: '/statistics?by=gate' });
    await page
      .locator('.gates')
      .getByText(/^owner \w+$/)
      .waitFor();
  });
});

const SCANS_PER_SECOND = 200;
const SECONDS = 3;

describe.skipIf(noBrowser)('the live view', () => {
  const args = ['--js-flags=--expose-gc', '--enable-precise-memory-info'];
  const at = withBrowser({ store: 'memory', args });

  test('with 200 scans a second it keeps the newest 200 and answers to the user', async () => {
    const { page, faults } = await at.signedIn({ path: '/log' });
    await page.locator('.live-state.open').waitFor();
    const code = await at.service.mint({ kind: 'permanent' });
    const rows = page.getByRole('table').getByRole('row');
    const first = await sizeDuring(page, () => scan(at.service, code));
    const later = await sizeDuring(page, () => scan(at.service, code));

    // The header is a row too.
    expect(await rows.count()).toBe(LIVE_ENTRIES_MAX + 1);
    expect(later.nodes).toBeLessThan(first.nodes * 1.1);
    expect(later.heapBytes).toBeLessThan(first.heapBytes + 8 * 1024 * 1024);
    const newest = await at.service.store.readLog({ limit: 1 });
    await page
      .getByRole('table')
      .locator(`time[datetime="${new Date(newest[0]?.at ?? 0).toISOString()}"]`)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.reload();
    await rows.nth(LIVE_ENTRIES_MAX).waitFor();
    expect(faults).toEqual([]);
  });

  test('a filter shows only what it names, and a break in the connection loses nothing', async () => {
    await using proxy = await CuttableProxy.start(at.service.url);
    const { page } = await at.signedIn({ baseURL: proxy.url, path: '/log' });
    const filtered = page.waitForResponse(/live\?outcome=invalid_ticket/);
    await page.getByLabel('Outcome').selectOption('Not a valid code');
    await filtered;
    const table = page.getByRole('table');
    await at.service.rest('validate', await at.service.mint());
    await at.service.rest('validate', 'FORGED-ONE-and-some-more-characters');
    await table.getByText(/FORGED-ONE/).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);

    proxy.cut();
    await page.getByText('Connection lost').waitFor();
    await at.service.rest('validate', 'FORGED-TWO-and-some-more-characters');
    proxy.mend();
    await table.getByText(/FORGED-TWO/).waitFor();
    expect(await table.getByRole('row').count()).toBe(3);
  });

  test('the overview counts what the gates do, as it happens', async () => {
    const { page, faults } = await at.signedIn({ path: '/' });
    const total = page.locator('.total').filter({ hasText: 'Admitted today' }).locator('dd');
    const before = Number((await total.innerText()).replaceAll(/\D/g, ''));
    const code = await at.service.mint();
    await at.service.card('consume', code);
    await at.service.card('consume', code);
    await expect
      .poll(async () => Number((await total.innerText()).replaceAll(/\D/g, '')), PATIENTLY)
      .toBe(before + 1);
    await page.getByRole('heading', { name: 'Latest scans' }).waitFor();
    await page.locator('.small-scans').getByText('Used up').first().waitFor();
    await page.reload();
    await page.locator('.small-scans').getByText('Used up').first().waitFor();
    await page
      .getByRole('img', { name: /^Scans per minute in the last hour: .*admitted/ })
      .waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('columnheader', { name: 'Denied' }).waitFor();
    expect(faults).toEqual([]);
  });
});

/** The settings in the manual of nginx: the slash behind the upstream takes the path off on the way. */
const belowPath: typeof PROXIES.nginx.configuration = (...at) =>
  PROXIES.nginx
    .configuration(...at)
    .replace('location / {', 'location /svc/gate/ { proxy_set_header Host $http_host;')
    .replace('proxy_pass http://scan;', 'proxy_pass http://scan/;');

// Needs nginx besides the browser; `.ci/run` installs both.
describe.skipIf(noBrowser !== undefined || !isInstalled('nginx'))('below a path of nginx', () => {
  const at = withBrowser();
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let root: string;
  beforeAll(async () => {
    proxy = await startProxy('nginx', Number(new URL(at.service.url).port), belowPath);
    root = `http://127.0.0.1:${proxy.port}/svc/gate`;
  });
  afterAll(() => proxy?.[Symbol.asyncDispose]());

  async function openOwner(path = '/'): Promise<{ page: Page; faults: string[] }> {
    const name = `owner ${crypto.randomUUID()}`;
    await makeAccount(at.service, name, 'owner');
    const { page, faults } = await openPage(at.browser, { url: new URL(root).origin });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${root}/`)) faults.push(`a request to ${request.url()}`);
    });
    await page.goto(root + path);
    await signIn(page, name);
    return { page, faults };
  }

  test('every page opens, by a click and by its address, and nothing is asked for outside the path', async () => {
    const { page, faults } = await openOwner();
    const links = new Set([`${root}/tickets/${idOf(await at.service.mint())}`, `${root}/`]);
    // A set gives what is added while it is gone through: the pages below an entry are linked on its page.
    for (const link of links) {
      expect(link.startsWith(root)).toBe(true);
      await page.goto(link);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const found = page.locator('nav a');
      for (const href of await found.evaluateAll((all) => all.map((one) => String(one)))) {
        links.add(href);
      }
    }
    // Without the page of pairing, which nothing links, and that of an event, which its row links.
    expect(links.size).toBe(PAGE_PATHS.length - 2);
    await page.getByRole('link', { name: 'Gates', exact: true }).click();
    await page.waitForURL(`${root}/gates`);
    expect(faults).toEqual([]);
  });

  test('an address that leads nowhere has a page with the way back', async () => {
    const { page, faults } = await openOwner();
    for (const path of ['/nothing', '/no/such/page?of=ours']) {
      expect((await page.goto(root + path))?.status()).toBe(404);
      expect(await page.evaluate(() => document.styleSheets[0]?.cssRules.length)).toBeGreaterThan(
        5,
      );
      await page.getByRole('link', { name: 'Go to the start page' }).click();
      await page.waitForURL(`${root}/`);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
    expect(faults).toEqual([]);
  });

  test('a new hardware key shows URLs with the path, and a device reaches the service under them', async () => {
    const { page, faults } = await openOwner('/gates');
    await page.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('Gate');
    await form.getByLabel('Hardware').check();
    await form.getByRole('button', { name: 'Create' }).click();
    const url = await form.getByLabel('Card URL', { exact: true }).inputValue();
    expect(url.startsWith(`${root}/scan/hw/consume?key=tscn_hw_`)).toBe(true);
    await page.getByText('Only this machine can reach this address').waitFor();
    const Card = Buffer.from(await at.service.mint()).toString('base64');
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ Card, Serial: '1' }),
    });
    expect(await response.json()).toMatchObject({ AcsRes: '1' });
    expect(faults).toEqual([]);
  });

  test('the scan page scans, and the settings lead to the description of the API', async () => {
    const { page, faults } = await openOwner('/scanner');
    await page.getByRole('textbox', { name: 'Ticket code' }).waitFor();
    await scanByKeys(page, await at.service.mint());
    await page.locator('.result').getByText('ADMITTED').waitFor();

    await page.goto(`${root}/settings`);
    await page.getByRole('link', { name: 'API description (OpenAPI)' }).click();
    await page.waitForURL(`${root}/openapi.json`);
    expect(faults.filter((fault) => fault.startsWith('a request'))).toEqual([]);
  });
});

/** 200 scans a second for some seconds, evenly. */
async function scan(service: TestService, code: string): Promise<void> {
  const begun = performance.now();
  for (let sent = 0; sent < SCANS_PER_SECOND * SECONDS; sent += 10) {
    await Promise.all(Array.from({ length: 10 }, () => service.rest('consume', code)));
    const due = begun + ((sent + 10) * 1000) / SCANS_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
}

/** How large the page is after something has happened, rubbish collected. */
async function sizeDuring(page: Page, act: () => Promise<void>) {
  await act();
  await page.waitForFunction(
    (rows) => document.querySelectorAll('tbody tr').length >= rows,
    LIVE_ENTRIES_MAX,
  );
  return page.evaluate(() => {
    (globalThis as unknown as { gc: () => void }).gc();
    const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
    return { nodes: document.querySelectorAll('*').length, heapBytes: memory.usedJSHeapSize };
  });
}
