import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { idOf } from '../admin/support/client.ts';
import { noBrowser, withBrowser } from './support/browser.ts';

const FIRST_LOAD_BYTES_MAX = 400 * 1024;

describe.skipIf(noBrowser)('files from and for the dashboard', () => {
  const at = withBrowser({ store: 'memory' });

  test('all that comes over the wire up to the overview weighs less than 400 KB', async () => {
    const { page } = await at.signedIn();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .concat(performance.getEntriesByType('navigation'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0),
    );
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  });

  test('a ticket is printed as PDF by an operator; a viewer sees neither its code nor the button', async () => {
    const code = await at.service.mint();
    const viewer = await at.signedIn({ role: 'viewer' });
    await viewer.page.goto(`/tickets/${idOf(code)}`);
    await viewer.page.getByRole('heading', { name: 'Scan history' }).waitFor();
    expect(await viewer.page.content()).not.toContain(code);
    expect(await viewer.page.getByText('Print sheet (PDF)').count()).toBe(0);
    expect(await viewer.page.getByRole('img', { name: 'QR code of the ticket' }).count()).toBe(0);

    const { page } = await at.signedIn({ role: 'operator' });
    await page.goto(`/tickets/${idOf(code)}`);
    expect((await download(page, 'Print sheet (PDF)')).subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('tickets and log are exported for Excel and as CSV', async () => {
    const { page } = await at.signedIn({ role: 'viewer' });
    await at.service.rest('consume', await at.service.mint());
    for (const path of ['/tickets', '/log']) {
      await page.goto(path);
      expect((await download(page, 'Export for Excel')).toString()).toMatch(/^\ufeff\w+;/u);
      const csv = (await download(page, 'Export CSV')).toString();
      expect(csv.split('\n').length).toBeGreaterThan(2);
    }
  });

  test('a file as the export writes it is imported; of one with a wrong line, the good ones are, and the others saved', async () => {
    const { page } = await at.signedIn({ role: 'operator', path: '/tickets' });
    const [head = '', row = ''] = (await download(page, 'Export CSV')).toString().split(/\r?\n/);
    const fresh = row.replace(
      /(tkt_[a-z0-9]+_)([a-z0-9]+)/,
      (_id, start, random) => start + [...random].reverse().join(''),
    );
    expect(fresh).not.toBe(row);
    const before = await at.service.store.countTickets();

    await choose(page, [head, 'no,such,ticket']);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText('Line 2').first().waitFor();
    expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);

    await choose(page, [head, fresh, 'no,such,ticket', row]);
    await dialog.getByRole('alert').getByText('Line 3').first().waitFor();
    expect(await at.service.store.countTickets()).toBe(before);
    const begun = page.waitForEvent('download');
    await dialog
      .getByRole('button', { name: 'Import the good row, save the 2 others as a list' })
      .click();
    const saved = await begun;
    expect(saved.suggestedFilename()).toBe('tickets-left-out.csv');
    const [mark = '', ...others] = readFileSync(await saved.path(), 'utf8').split('\n');
    expect(mark).toBe(`\ufeff${head}`);
    expect(others.filter((line) => line !== '')).toEqual(['no,such,ticket', row]);
    await page.getByRole('dialog').getByText('1 ticket was imported.').waitFor();
    await dialog.getByText('2 rows were left out and saved as a list.').waitFor();
    expect(await at.service.store.countTickets()).toBe(before + 1);
  });

  test('a list of another shop that is imported again makes tickets of the new rows only', async () => {
    const { page, faults } = await at.signedIn({
      role: 'operator',
      locale: 'de-DE',
      path: '/tickets',
    });
    const german = { open: 'Importieren', field: 'Datei' };
    const dialog = page.getByRole('dialog');
    const list = ['Referenz;Nachname', 'W-1;Noether', 'W-2;Hermann'];
    const before = await at.service.store.countTickets();
    await choose(page, list, german);
    await dialog.getByLabel('Bekannte Referenzen überspringen').check();
    await dialog.getByText('2 Tickets sind lesbar.').waitFor();
    await dialog.getByRole('button', { name: 'Importieren' }).click();
    await dialog.getByText('2 Tickets angelegt').waitFor();
    await dialog.getByRole('button', { name: 'Schließen' }).last().click();

    await choose(page, [...list, 'W-3;Kowalewskaja'], german);
    await dialog.getByLabel('Bekannte Referenzen überspringen').check();
    await dialog.getByText('2 davon werden übersprungen').waitFor();
    await dialog.getByRole('button', { name: 'Importieren' }).click();
    await dialog.getByText('1 Ticket angelegt').waitFor();
    await dialog.getByRole('button', { name: 'Schließen' }).last().click();

    await choose(page, list, german);
    await dialog.getByLabel('Bekannte Referenzen überspringen').check();
    await dialog.getByText('Alle Referenzen sind bekannt').waitFor();
    await dialog.getByRole('button', { name: 'Importieren' }).click();
    await dialog.getByText('2 Zeilen wurden übersprungen').waitFor();
    expect(await at.service.store.countTickets()).toBe(before + 3);
    expect(faults).toEqual([]);
  });

  test('a list of another shop: types are assigned, and what cannot be read is said before the import', async () => {
    const { page, faults } = await at.signedIn({
      role: 'operator',
      locale: 'de-DE',
      path: '/tickets',
    });
    const before = await at.service.store.countTickets();
    const rows = Array.from({ length: 30 }, (_, index) => `B-${index};Familienkarte;Gast ${index}`);
    const list = ['Bestellung;Typ;Nachname', ...rows, 'B-99;Zehnerkarte;Ada'];
    await choose(page, list, { open: 'Importieren', field: 'Datei' });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nicht erkannt').waitFor();
    await dialog.getByLabel('Bestellung').selectOption('-');
    await dialog
      .getByRole('alert')
      .getByText('Zeilen 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 und 20 weitere')
      .waitFor();
    await dialog.getByLabel('Familienkarte').selectOption('multi');
    await dialog.getByText('31 Tickets sind lesbar.').waitFor();
    await dialog.getByLabel('Nutzungen').fill('1');
    await dialog.getByText('Eine ganze Zahl von 2 bis 100.').waitFor();
    await dialog.getByLabel('Nutzungen').fill('5');
    expect(await at.service.store.countTickets()).toBe(before);
    await dialog.getByRole('button', { name: 'Importieren' }).click();
    await page.getByRole('heading', { name: '31 Tickets angelegt' }).waitFor();
    expect(await at.service.store.countTickets()).toBe(before + 31);
    expect(faults).toEqual([]);
  });

  test('numbers are refused as they were typed, and a window that has passed is said', async () => {
    const { page } = await at.signedIn({ role: 'operator', path: '/tickets' });
    await page.getByRole('button', { name: 'Create tickets' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type').selectOption('multi');
    const uses = dialog.getByLabel('Uses');
    await uses.fill('1');
    await uses.press('Tab');
    expect(await uses.inputValue()).toBe('1');
    await dialog.getByLabel('Valid until').fill('2020-01-01T00:00');
    await dialog.getByText('This time has passed').waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText('2 to 100').waitFor();
    expect(await uses.inputValue()).toBe('1');
  });

  test('cancelling several tickets at once asks first', async () => {
    const { page } = await at.signedIn({
      role: 'operator',
      path: `/tickets?event=${at.service.seeded.events.other}`,
    });
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
async function choose(
  page: Page,
  lines: readonly string[],
  { open = 'Import', field = 'File' } = {},
): Promise<void> {
  const buffer = Buffer.from(lines.join('\n'));
  const dialog = page.getByRole('dialog');
  if (!(await dialog.isVisible())) await page.getByRole('button', { name: open }).click();
  const choosing = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: field, exact: true }).click();
  await (await choosing).setFiles({ name: 'tickets.csv', mimeType: 'text/csv', buffer });
}
