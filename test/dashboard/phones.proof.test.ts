import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readWithJsqr } from '../../src/tickets/reading/find-codes.ts';
import { readPng } from '../../src/tickets/reading/picture.ts';
import type { TestService } from '../support/service.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openPage, openSignedIn, withBrowser } from './support/browser.ts';

const PHONE = { viewport: { width: 360, height: 740 }, locale: 'de-DE' };

describe.skipIf(noBrowser)('scanning without a key', () => {
  let browser: Browser;
  let service: TestService;
  withBrowser((started) => {
    ({ browser, service } = started);
  });

  const scan = async (page: Page, code: string) => {
    const field = page.getByRole('textbox', { name: /^Ticketcode|^Ticket code/ });
    await page.locator('.desk').waitFor();
    // On a phone it is behind a button.
    const options = page.getByRole('button', { name: /^Code (und Optionen|and options)/ });
    if (await options.isVisible()) await options.click();
    await field.fill(code);
    await page.keyboard.press('Enter');
  };
  const result = (page: Page) => page.locator('.result');

  test('a phone is paired by the QR code, scans in German, and is out when it is removed', async () => {
    const desk = await openSignedIn(browser, service, { role: 'operator' });
    await desk.page.goto('/gates/phones');
    await desk.page.getByRole('button', { name: 'Pair a phone' }).click();
    await desk.page.getByRole('button', { name: 'Show QR code' }).click();
    const picture = desk.page.getByRole('img', { name: 'QR code for the phone' });
    await picture.waitFor();
    expect(await barriers(desk.page)).toEqual([]);
    const address = readWithJsqr(readPng(Buffer.from(await picture.screenshot())));
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pair#[0-9A-Za-z]{22}$/);

    const { page: phone, faults } = await openPage(browser, service, PHONE);
    const asked: string[] = [];
    phone.on('request', (request) => asked.push(request.url()));
    await phone.goto(address ?? '');
    await phone.getByRole('textbox', { name: 'Name dieses Telefons' }).fill('Einlass Nord');
    expect(phone.url()).not.toContain('#');
    expect(await barriers(phone)).toEqual([]);
    await phone.keyboard.press('Enter');
    const shown = await phone.locator('.pairing-code').innerText();
    await desk.page.getByText('Einlass Nord').waitFor();
    expect(await desk.page.locator('.pairing-code').innerText()).toBe(shown);
    expect(await barriers(desk.page)).toEqual([]);
    await desk.page.getByRole('button', { name: 'Yes, pair it' }).click();

    await phone.getByRole('heading', { name: 'Scannen' }).waitFor();
    await phone.locator('.shell-menu').click();
    expect(await phone.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      'Scannen',
    ]);
    await phone.locator('.shell-menu').click();
    const token = address?.split('#')[1] ?? 'none';
    expect(asked.filter((url) => url.includes(token))).toEqual([]);
    const code = await service.mint({ firstName: 'Ayşe', lastName: 'Öztürk' });
    await scan(phone, code);
    await result(phone).getByText('EINLASS').waitFor();
    await result(phone).getByText('Ayşe Öztürk').waitFor();
    await result(phone).getByText('Lassen Sie den Gast ein.').waitFor();
    // By the identifier, in groups as it is printed.
    await scan(phone, (code.split('.')[1] ?? '').replace(/(.{5})(.{5})$/, ' $1 $2'));
    await result(phone).getByText('ABGEWIESEN').waitFor();
    await result(phone).getByText('1 von 1 Nutzungen verbraucht').waitFor();
    await result(phone)
      .getByText(/^Zuletzt benutzt: .+, Einlass Nord$/)
      .waitFor();
    expect(await barriers(phone)).toEqual([]);
    // No page but this one, whatever address is typed.
    await phone.goto('/tickets');
    await phone.getByRole('heading', { name: 'Scannen' }).waitFor();

    await desk.page.getByRole('button', { name: 'Remove Einlass Nord' }).click();
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await desk.page.getByText('No phone is paired.').waitFor();
    await scan(phone, await service.mint());
    await result(phone).getByText('NICHT GESCANNT').waitFor();
    await phone.getByRole('button', { name: 'Neu anmelden' }).click();
    await phone.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await phone.goto(address ?? '');
    await phone.getByRole('textbox').fill('Noch einmal');
    await phone.keyboard.press('Enter');
    await phone.getByText('Dieser Code ist abgelaufen oder wurde schon verwendet.').waitFor();
    expect([...desk.faults, ...faults]).toEqual([]);
  });

  test('a lost answer takes one use: the page asks again with the same id', async () => {
    const { page, faults } = await openSignedIn(browser, service, {
      role: 'scanner',
      viewport: PHONE.viewport,
    });
    const code = await service.mint({ kind: 'multi', uses: 5 });
    await page.route(
      '**/admin/v1/scans',
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await scan(page, code);
    await result(page).getByText('NO ANSWER').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await result(page).getByText('ADMITTED').waitFor();
    await result(page).getByText('4 uses left').waitFor();
    expect((await service.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed).toBe(1);
    expect(faults).toEqual([]);
  });

  test('a viewer scans a printed identifier with a key, an operator as the account or with a key', async () => {
    const { page } = await openSignedIn(browser, service, { role: 'viewer' });
    await page.goto('/scanner');
    await page.getByRole('textbox', { name: 'API key' }).fill(service.key('rest'));
    await page.getByRole('button', { name: 'Use this key' }).click();
    const id = (await service.mint()).split('.')[1] ?? '';
    await scan(page, id.toUpperCase());
    await result(page).getByText('ADMITTED').waitFor();
    await scan(page, `${id.slice(0, -4)}zzzz`);
    await result(page).getByText('There is no such ticket in this system').waitFor();

    const operator = await openSignedIn(browser, service, { role: 'operator' });
    await operator.page.goto('/scanner');
    await operator.page.getByText('Scans as').waitFor();
    await operator.page.getByRole('button', { name: 'Scan with a key' }).click();
    await operator.page.getByRole('textbox', { name: 'API key' }).fill(service.key('rest'));
    await operator.page.getByRole('button', { name: 'Use this key' }).click();
    await operator.page.getByText('Scans with an API key.').waitFor();
    expect(operator.faults).toEqual([]);
  });
});
