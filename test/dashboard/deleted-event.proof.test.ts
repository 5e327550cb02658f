import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import type { TestService } from '../support/service.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

const WORDS = {
  en: {
    locale: 'en-GB',
    remove: 'Delete',
    removeNamed: (name: string) => `Delete ${name}`,
    valid: 'STILL VALID: 1.',
    last: /The last scan was on \d/,
    typed: /To delete it, type its name/,
    wrong: 'This is not its name.',
  },
  de: {
    locale: 'de-DE',
    remove: 'Löschen',
    removeNamed: (name: string) => `${name} löschen`,
    valid: 'NOCH GÜLTIG: 1.',
    last: /Der letzte Scan war am \d/,
    typed: /Tippen Sie zum Löschen den Namen ein/,
    wrong: 'Das ist nicht der Name.',
  },
} as const;
const CASES = [
  ['en', 1280],
  ['en', 390],
  ['de', 1280],
  ['de', 390],
] as const;

describe.skipIf(noBrowser)('an event that was used, in a browser', () => {
  let browser: Browser;
  let service: TestService;

  withBrowser(
    (started) => {
      ({ browser, service } = started);
    },
    { store: 'memory' },
  );

  /** With a card that was used once, and one that is spent. */
  async function usedEvent(name: string) {
    const { id: organisationId } = await service.administration.firstOrganisation();
    const { id } = await service.administration.createEvent(name, organisationId);
    for (const options of [{ kind: 'multi', uses: 3 }, { kind: 'single' }] as const)
      await service.rest('consume', await service.mint({ ...options, eventId: id }));
    return id;
  }

  async function picture(page: Page, name: string): Promise<void> {
    const folder = process.env['PICTURES'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  }

  test.each(CASES)('is deleted with its tickets, in %s, %i wide', async (language, width) => {
    const words = WORDS[language];
    const name = `Season ${language} ${width}`;
    const id = await usedEvent(name);
    const { page, faults } = await openSignedIn(browser, service, {
      locale: words.locale,
      viewport: { width, height: 844 },
    });
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: words.remove, exact: true });
    await page.goto('/events');
    await page.getByRole('button', { name: words.removeNamed(name), exact: true }).click();
    await dialog.getByText(words.valid).waitFor();
    await dialog.getByText(words.last).waitFor();
    await picture(page, `${language}-${width}`);
    const exported = await dialog
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    for (const path of ['/tickets/export', '/log/export'])
      expect(exported.filter((href) => href.includes(path) && href.includes(id))).not.toEqual([]);
    expect(await barriers(page)).toEqual([]);
    const isTooWide = () => document.documentElement.scrollWidth > window.innerWidth;
    expect(await page.evaluate(isTooWide)).toBe(false);

    await dialog.getByLabel(words.typed).fill('Season');
    await remove.click();
    await dialog.getByText(words.wrong).waitFor();
    await picture(page, `${language}-${width}-wrong`);
    expect((await service.store.list('event')).map((event) => event.id)).toContain(id);
    await dialog.getByLabel(words.typed).fill(name);
    await remove.click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(name, { exact: true }).waitFor({ state: 'hidden' });
    await expect.poll(() => service.store.countTickets(id)).toBe(0);
    expect((await service.store.list('event')).map((event) => event.id)).not.toContain(id);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('without tickets but with scans goes with those; one that was never used needs no name', async () => {
    const { id: organisationId } = await service.administration.firstOrganisation();
    const scanned = await service.administration.createEvent('Scanned', organisationId);
    await service.administration.createEvent('Typo', organisationId);
    const code = makeTicketCode(`tkt_${scanned.id}_${'a'.repeat(20)}`, service.keyring, 'TS1');
    await service.rest('validate', code);
    const { page, faults } = await openSignedIn(browser, service);
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete', exact: true });
    await page.goto('/events');

    await page.getByRole('button', { name: 'Delete Scanned', exact: true }).click();
    await dialog.getByText(/The last scan was on/).waitFor();
    await picture(page, 'scanned');
    await dialog.getByLabel(/type its name/).fill('Scanned');
    await remove.click();
    await page.getByText('Scanned', { exact: true }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Delete Typo', exact: true }).click();
    await dialog.getByText(/Typo is deleted permanently/).waitFor();
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    await remove.click();
    await page.getByText('Typo', { exact: true }).waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
  });
});
