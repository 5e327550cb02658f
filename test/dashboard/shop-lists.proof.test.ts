import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { barriers } from './support/barriers.ts';
import { noBrowser, withBrowser } from './support/browser.ts';

const file = (rows: string) => ({
  name: 'orders.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(rows),
});

describe.skipIf(noBrowser)('the list of a shop, in a browser', () => {
  const at = withBrowser({ store: 'memory' });

  const stored = async () =>
    (await at.service.store.listTickets({ limit: 100 })).flatMap(
      ({ reference, holder, cancelledAt }) =>
        reference === undefined
          ? []
          : [[reference, holder?.lastName ?? '', cancelledAt === null].join(' ')],
    );

  test('comes again: what changes is shown first, and done when it is agreed to', async () => {
    const { page, faults } = await at.signedIn({ role: 'operator' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    const sample = readFileSync('fixtures/shop-maps/pretix.csv', 'utf8');
    const choose = async (rows: string) => {
      await button('Import').click();
      await dialog.locator('input[type=file]').setInputFiles(file(rows));
      // What happens to known tickets is as it was chosen for the list before; whose list it is, its headings say.
      expect(await dialog.getByLabel('Shop').inputValue()).toBe('');
      await dialog.getByRole('button', { name: 'Read it as pretix' }).click();
      expect(await dialog.getByLabel('Take over changes').isChecked()).toBe(true);
      await dialog.getByLabel('Day ticket').selectOption('Single ticket');
    };
    await page.goto('/tickets');
    await button('Import').click();
    await dialog.locator('input[type=file]').setInputFiles(file(sample));
    // No red field for each of its columns, but one tap.
    await dialog.getByText('This seems to be a list of pretix.').waitFor();
    expect(await dialog.locator('.mantine-InputWrapper-error').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Read it as pretix' }).click();
    await dialog.getByLabel('Day ticket').selectOption('Single ticket');
    await dialog.getByText('1 row is cancelled in the list: it becomes no ticket.').waitFor();
    await dialog.getByLabel('Take over changes').check();
    await dialog.getByText('New: 2. To change: 0. To cancel: 0. As they are: 0.').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('Ada Lovelace KX3QD-1').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect((await stored()).toSorted()).toEqual(['KX3QD-1 Lovelace true', 'KX3QD-2 Babbage true']);

    const next = sample.replace(',paid,', ',canceled,').replaceAll('Babbage', 'Babbage-King');
    await choose(next);
    await dialog.getByText('New: 0. To change: 1. To cancel: 1. As they are: 0.').waitFor();
    await dialog.getByText('KX3QD-2: Holder: Charles Babbage → Charles Babbage-King').waitFor();
    await dialog.getByText('KX3QD-1: will be cancelled').waitFor();
    expect(await dialog.innerText()).not.toContain('nothing is imported');
    expect(await barriers(page)).toEqual([]);
    expect((await stored()).toSorted()).toEqual(['KX3QD-1 Lovelace true', 'KX3QD-2 Babbage true']);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('Changed: 1. Cancelled: 1.').waitFor();
    expect((await stored()).toSorted()).toEqual([
      'KX3QD-1 Lovelace false',
      'KX3QD-2 Babbage-King true',
    ]);

    // A map of the shop would leave out the names of another list.
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await button('Import').click();
    await dialog.locator('input[type=file]').setInputFiles(file('Referenz,Gast\nA-1,Ada'));
    await dialog.locator('.mantine-InputWrapper-error').first().waitFor();
    expect(faults).toEqual([]);
  });

  test('of an unknown shop: columns are assigned, also the one that says what was cancelled', async () => {
    const { page, faults } = await at.signedIn({ role: 'operator' });
    const dialog = page.getByRole('dialog');
    const rows = ['Nr,Pos,Gast,Lage', '7,1,Ada,ok', '7,2,Eve,weg'].join('\n');
    await page.goto('/tickets');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.locator('input[type=file]').setInputFiles(file(rows));
    for (const [heading, column] of [
      ['Nr', 'Reference'],
      ['Pos', 'Reference'],
      ['Gast', 'Whole name'],
      ['Lage', 'Says what was cancelled'],
    ] as const)
      await dialog.getByLabel(heading, { exact: true }).selectOption(column);
    await dialog.getByLabel('Values that mean cancelled').fill('weg, fort');
    await dialog.getByText('1 ticket can be read.').waitFor();
    await dialog.getByText('Rows that count as valid by Lage: ok (1).').waitFor();
    await dialog.getByText('No row has fort in the column Lage.').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect(await stored()).toContain('7-1 Ada true');
    expect((await stored()).join()).not.toContain('7-2');
    expect(faults).toEqual([]);
  });

  test('has another number of tickets: the page names them, before and after', async () => {
    const { page, faults } = await at.signedIn({ role: 'operator' });
    const dialog = page.getByRole('dialog');
    const sample = readFileSync('fixtures/shop-maps/woocommerce.csv', 'utf8');
    const told =
      '1 reference has another number of tickets than the list: 4711-1 (list 3, here 2).';
    const choose = async (rows: string) => {
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await dialog.locator('input[type=file]').setInputFiles(file(rows));
      await dialog.getByRole('button', { name: 'Read it as WooCommerce' }).click();
      await dialog.getByLabel('Day ticket').selectOption('Single ticket');
      await dialog.getByLabel('Take over changes').check();
    };
    const submit = () => dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.goto('/tickets');
    await choose(sample);
    await dialog.getByText('New: 3.').waitFor();
    await submit();
    await dialog.getByText('4711-2').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await choose(sample.replace('Day ticket,2,2,', 'Day ticket,3,3,'));
    await dialog.getByText(told).waitFor();
    await submit();
    await dialog.getByText('Changed: 0. Cancelled: 0.').waitFor();
    await dialog.getByText(told).waitFor();
    expect(await dialog.innerText()).not.toContain('skipped');
    expect(faults).toEqual([]);
  });
});
