import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import type { TestService } from '../support/service.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

/** Runs in the page: whether the button of this name in a dialogue has the focus. */
function inDialog(name: string): boolean {
  const focused = document.activeElement;
  return focused?.textContent === name && focused.closest('[role=dialog]') !== null;
}

describe.skipIf(noBrowser)('tickets after the sale, in a browser', () => {
  let browser: Browser;
  let service: TestService;

  withBrowser(
    (started) => {
      ({ browser, service } = started);
    },
    { store: 'memory' },
  );

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
    await page.getByText('3 of 3 left').waitFor();
    await page.getByText(/wrong ticket scanned/).waitFor();
    await page.getByText(/taken back by #/).waitFor();
    expect(await button('Take back').count()).toBe(0);

    await button('Edit ticket').click();
    await dialog.getByLabel('Last name').fill('Lovelace');
    await dialog.getByLabel('Uses').fill('9');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('9 of 9 left').waitFor();
    await page.getByText('Lovelace').waitFor();
    // Its scans stay in the log: it cannot be deleted, so that is not offered.
    expect(await button('Delete ticket').count()).toBe(0);

    await page.getByRole('link', { name: batch }).click();
    await button('Cancel all matches').click();
    await dialog.getByRole('button', { name: 'Cancel all matches' }).click();
    await dialog.getByText('Changed: 2. Kept: 0.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await button('Delete unused matches').click();
    await dialog.getByRole('button', { name: 'Delete unused matches' }).click();
    await dialog.getByText('Changed: 1. Kept: 1.').waitFor();
    expect(await service.store.listTickets({ batch, limit: 9 })).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test('an owner renames the venue and sets its time zone; the name of a guest is erased', async () => {
    const { page, faults } = await openSignedIn(browser, service);
    const dialog = page.getByRole('dialog');
    await page.goto('/settings');
    const panel = page.locator('section', { has: page.getByText('Name of the venue') });
    await panel.getByRole('textbox').fill('Lido');
    await panel.getByRole('combobox').selectOption('Europe/Athens');
    await panel.getByRole('button', { name: 'Save name and time zone' }).click();
    await panel.getByText('The changes are saved.').waitFor();
    await page.locator('.account-box').getByText('Lido').waitFor();
    expect(await service.store.list('organisation')).toContainEqual(
      expect.objectContaining({ name: 'Lido', timeZone: 'Europe/Athens' }),
    );

    const code = await service.mint({ firstName: 'Ida', lastName: 'Rhodes' });
    await page.goto(`/tickets/${code.split('.')[1]}`);
    await page.getByText('Ida Rhodes').waitFor();
    await page.getByRole('button', { name: 'Erase name' }).click();
    await dialog.getByText(/Backups, exported lists and printed tickets/).waitFor();
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep name' }).click();
    await page.getByRole('button', { name: 'Erase name' }).click();
    // The keyboard alone: the button that erases has the focus.
    await page.waitForFunction(inDialog, 'Erase name');
    await page.keyboard.press('Enter');
    await dialog.getByText('The name on 1 ticket is erased.').waitFor();
    await page.waitForFunction(inDialog, 'Close');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('Ida Rhodes').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Erase name' }).count()).toBe(0);
    expect((await service.rest('consume', code)).json).toMatchObject({ status: 'consumed' });
    expect(JSON.stringify(await service.store.listTickets({ limit: 999 }))).not.toContain('Ida');
    expect(faults).toEqual([]);
  });

  test('a replacement is issued for a lost card; both pages lead to the other', async () => {
    const { page, faults } = await openSignedIn(browser, service, { role: 'operator' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const lost = await service.mint({ kind: 'multi', uses: 3 });
    const id = lost.split('.')[1] ?? '';
    await service.rest('consume', lost);
    await page.goto(`/tickets/${id}`);
    await button('Issue a replacement').click();
    await page
      .getByRole('dialog')
      .getByText(/cancelled for good/)
      .waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Issue a replacement' }).click();
    // The lost card's own page says "2 of 3 left" too, until the new one takes its place.
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByText('Replacement for').waitFor();
    await page.getByText('2 of 3 left').waitFor();
    const made = page.url().split('/').at(-1) ?? '';
    expect(made).not.toBe(id);
    expect(await button('Delete ticket').count()).toBe(0);

    await page.getByRole('link', { name: id }).click();
    await page.getByText('Replaced by').waitFor();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    for (const name of ['Reinstate', 'Issue a replacement', 'Cancel ticket'])
      expect(await button(name).count()).toBe(0);
    await page.getByRole('link', { name: made }).click();
    await page.waitForURL(`**/tickets/${made}`);
    expect(faults).toEqual([]);
  });

  test('a scan with a key says when and where the ticket was used', async () => {
    const { page, faults } = await openSignedIn(browser, service, { role: 'viewer' });
    const used = await service.mint();
    await service.card('consume', used, { Serial: 'North' });
    await page.goto('/scanner');
    await page.getByRole('textbox', { name: 'API key' }).fill(service.key('rest'));
    await page.keyboard.press('Enter');
    for (const [code, word] of [
      [used, /Last used:.*, North/],
      [await service.mint(), /ADMITTED/],
      ['forged', /DENIED/],
    ] as const) {
      await page.getByRole('textbox', { name: 'Ticket code' }).fill(code);
      await page.keyboard.press('Enter');
      await page.locator('.result').getByText(word).waitFor();
      const isUsed = code === used;
      expect((await page.locator('.result').innerText()).includes('Last used')).toBe(isUsed);
    }
    expect(faults).toEqual([]);
  });
});
