import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, startBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('files from and for the dashboard', () => {
  let browser: Browser;
  let service: TestService;
  beforeAll(async () => {
    browser = await startBrowser();
    service = await TestService.start();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test('a ticket is printed as PDF', async () => {
    const { page } = await openSignedIn(browser, service, { role: 'viewer' });
    const id = (await service.mint()).split('.')[1];
    await page.goto(`/tickets/${id}`);
    expect((await download(page, 'Print sheet (PDF)')).subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('tickets and log are exported as CSV and JSON Lines', async () => {
    const { page } = await openSignedIn(browser, service, { role: 'viewer' });
    await service.rest('consume', await service.mint());
    for (const path of ['/tickets', '/log']) {
      await page.goto(path);
      const csv = (await download(page, 'Export CSV')).toString();
      expect(csv.split('\n').length).toBeGreaterThan(2);
      const [line = ''] = (await download(page, 'Export JSON Lines')).toString().split('\n');
      expect(Object.keys(JSON.parse(line)).length).toBeGreaterThan(3);
    }
  });

  test('a file as the export writes it is imported; with a wrong line in it, nothing is', async () => {
    const { page } = await openSignedIn(browser, service, { role: 'operator' });
    await page.goto('/tickets');
    const [head = '', row = ''] = (await download(page, 'Export CSV')).toString().split(/\r?\n/);
    const fresh = row.replace(
      /(tkt_[a-z0-9]+_)([a-z0-9]+)/,
      (_id, start, random) => start + [...random].reverse().join(''),
    );
    expect(fresh).not.toBe(row);
    const before = await service.store.countTickets();

    await offer(page, [head, fresh, 'no,such,ticket']);
    await page.getByRole('dialog').getByRole('alert').getByText('Line 3').first().waitFor();
    expect(await service.store.countTickets()).toBe(before);

    await offer(page, [head, fresh]);
    await page.getByRole('dialog').getByText('1 ticket was imported.').waitFor();
    expect(await service.store.countTickets()).toBe(before + 1);
  });

  test('cancelling several tickets at once asks first', async () => {
    const { page } = await openSignedIn(browser, service, { role: 'operator' });
    await page.goto(`/tickets?event=${service.seeded.events.other}`);
    await page.getByLabel('State').selectOption('Valid');
    await page.getByLabel('Select all tickets of this page').check();
    await page.getByRole('button', { name: 'Cancel ticket' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel ticket' }).click();
    await page.getByText('No tickets match.').waitFor();
    await page.getByLabel('State').selectOption('Cancelled');
    await page.getByRole('cell', { name: 'Cancelled' }).first().waitFor();
  });
});

/** Presses a link that downloads. */
async function download(page: Page, name: string): Promise<Buffer> {
  const begun = page.waitForEvent('download');
  await page.getByRole('link', { name, exact: true }).click();
  return readFileSync(await (await begun).path());
}

/** Brings a CSV file to the import. */
async function offer(page: Page, lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from(`${lines.join('\r\n')}\r\n`);
  await page.goto('/tickets');
  await page.getByRole('button', { name: 'Import' }).click();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('dialog').getByRole('button', { name: 'File' }).click();
  await (await choosing).setFiles({ name: 'tickets.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
}
