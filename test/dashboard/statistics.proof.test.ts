import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { AdminClient } from '../admin/support/client.ts';
import { TestClock } from '../support/clock.ts';
import type { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('the statistics', () => {
  let browser: Browser;
  let service: TestService;

  // The page chooses its days by the clock of the browser.
  const clock = new TestClock(Date.now());
  withBrowser(
    async (started) => {
      ({ browser, service } = started);
      const code = await service.mint({ kind: 'multi', uses: 2 });
      await service.card('consume', code);
      await service.card('validate', code, { Serial: 'North' });
      await service.card('consume', code);
      await service.card('consume', code, { Serial: 'North' });
    },
    { clock },
  );

  test('show a period as a chart and as a table, and give it as CSV', async () => {
    const { page, faults } = await openSignedIn(browser, service);
    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.getByLabel('Period').selectOption('Today');
    const chart = page.getByRole('img', { name: /Admitted: \d+\. Denied: \d+\. Most scans: / });
    await chart.waitFor();

    await page.getByLabel('Group by').selectOption('Gate');
    await page.getByRole('button', { name: 'Show as table' }).click();
    const row = page.getByRole('row', { name: /^North/ });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).toEqual(['North', '0', '1', '1']);

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toMatch(/^gate,keyId,serial,admitted,denied,validations,undone,exits\n/);
    expect(csv).toMatch(/^North,key_\w+,North,0,1,1,0,0$/m);
    expect(faults).toEqual([]);
  });

  test('name an account that scans, as they name a key', async () => {
    const account = await AdminClient.signedIn(service);
    const scan = { operation: 'consume', requestId: 'the-only-one' };
    const { status } = await account.post('/scans', { ...scan, ticketCode: await service.mint() });
    expect(status).toBe(200);
    const { page } = await openSignedIn(browser, service);
    await page.goto('/statistics?by=gate');
    await page
      .locator('.gates')
      .getByText(/^owner \w+$/)
      .waitFor();
  });

  test('speak German', async () => {
    const { page } = await openSignedIn(browser, service, { locale: 'de-DE' });
    await page.goto('/statistics');
    await page.getByRole('heading', { name: 'Statistik' }).waitFor();
    await page.getByRole('img', { name: /Eingelassen: \d+/ }).waitFor();
    await page.getByLabel('Zeitraum').selectOption('30 Tage');
  });
});
