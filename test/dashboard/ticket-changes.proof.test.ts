import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, startBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('tickets after the sale, in a browser', () => {
  let browser: Browser;
  let service: TestService;

  beforeAll(async () => {
    browser = await startBrowser();
    service = await TestService.start({ store: 'memory' });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test('a use is taken back with a reason, holder and uses are edited, a batch is cancelled and deleted', async () => {
    const { page, faults } = await openSignedIn(browser, service, { role: 'operator' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    await page.goto('/tickets');
    await button('Create tickets').click();
    await dialog.getByLabel('Type').selectOption('Multi-use card');
    await dialog.getByLabel('Uses').fill('3');
    await dialog.getByLabel('How many').fill('2');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const batch = (await dialog.getByText('Batch:').innerText()).replace('Batch: ', '');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const [ticket] = await service.store.listTickets({ batch, limit: 1 });
    await service.rest('consume', makeTicketCode(ticket?.id ?? '', service.keyring, 'TS1'));

    await page.goto(`/tickets/${ticket?.id}`);
    await button('Take back').click();
    await dialog.getByLabel('Reason').fill('wrong ticket scanned');
    await dialog.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('0 of 3').waitFor();
    await page.getByText(/wrong ticket scanned/).waitFor();
    await page.getByText(/taken back by #/).waitFor();
    expect(await button('Take back').count()).toBe(0);

    await button('Edit ticket').click();
    await dialog.getByLabel('Last name').fill('Lovelace');
    await dialog.getByLabel('Uses').fill('9');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 9').waitFor();
    await page.getByText('Lovelace').waitFor();
    await button('Delete ticket').click();
    await dialog.getByRole('button', { name: 'Delete ticket' }).click();
    await dialog.getByText(/cannot be deleted/).waitFor();
    await dialog.getByRole('button', { name: 'Keep ticket' }).click();

    await page.getByRole('link', { name: batch }).click();
    await button('Cancel all of these').click();
    await dialog.getByRole('button', { name: 'Cancel all of these' }).click();
    await dialog.getByText('Changed: 2. Kept: 0.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await button('Delete the unused of these').click();
    await dialog.getByRole('button', { name: 'Delete the unused of these' }).click();
    await dialog.getByText('Changed: 1. Kept: 1.').waitFor();
    expect(await service.store.listTickets({ batch, limit: 9 })).toHaveLength(1);
    expect(faults).toEqual([]);
  });
});
