import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { AdminClient } from '../admin/support/client.ts';
import { TestService } from '../support/service.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openPage, openSignedIn, startBrowser } from './support/browser.ts';

describe.skipIf(noBrowser).each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  let browser: Browser;
  let service: TestService;
  let page: Page;
  let ticketId: string;

  beforeAll(async () => {
    browser = await startBrowser();
    service = await TestService.start();
    const code = await service.mint({ firstName: 'Ada', lastName: 'Lovelace' });
    ticketId = code.split('.')[1] ?? '';
    await service.rest('consume', code);
    await service.rest('consume', code);
    await service.card('consume', code);
    // A warning with a link in it.
    await service.rest('consume', code, { 'x-api-key': service.key('disabled') });
    const owner = await AdminClient.signedIn(service);
    const webhook = { name: 'Till', url: 'https://example.org/', events: ['scan.granted'] };
    await owner.post('/webhooks', webhook);
    ({ page } = await openSignedIn(browser, service, { colorScheme }));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test.each(PAGE_PATHS)('%s has no serious barrier', async (path) => {
    await page.goto(path.replace(':id', ticketId));
    await page.getByRole('heading', { level: 1 }).waitFor();
    // A page may load several lists at once.
    await page.waitForFunction(() => document.querySelector('.state [aria-hidden]') === null);
    expect(await barriers(page)).toEqual([]);
  });

  test('an import that cannot be read has none', async () => {
    await page.goto('/tickets');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const buffer = Buffer.from('Vorname;"Produkt; Preis"\nAda;"Kombikarte; 9 €"\n');
    const list = { name: 'list.csv', mimeType: 'text/csv', buffer };
    await page.locator('input[type=file]').setInputFiles(list);
    await page.getByText('This file cannot be imported like this').waitFor();
    await page.getByRole('dialog').getByLabel('Produkt; Preis').waitFor();
    await page.getByText('Example: Kombikarte; 9 €').waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test('the dialogues have none', async () => {
    await page.goto('/gates');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Hardware').check();
    await page.getByRole('dialog').getByLabel('Selected events').check();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('dialog').getByLabel('Name').fill('Axe');
    await page.getByRole('dialog').getByLabel('All events').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test('the sign-in and the scan desk have none, green or red', async () => {
    await page.goto('/scanner');
    await page.getByRole('button', { name: 'Scan with a key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Scan as your account' }).click();
    for (const code of [await service.mint(), 'no ticket']) {
      await page.getByRole('textbox', { name: 'Ticket code' }).fill(code);
      await page.getByRole('button', { name: 'Scan', exact: true }).click();
      await page
        .locator('.result')
        .getByText(/ADMITTED|DENIED/)
        .waitFor();
      expect(await barriers(page)).toEqual([]);
    }
    const { page: signIn } = await openPage(browser, service, { colorScheme });
    await signIn.goto('/');
    await signIn.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await barriers(signIn)).toEqual([]);
  });
});
