import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdminClient } from '../admin/support/client.ts';
import { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, startBrowser } from './support/browser.ts';

const HOSTILE = {
  markup: `<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template that nobody may fill in
  template: '${harmed=1} {{harmed=1}} javascript:harmed=1',
  rightToLeft: 'مرحبا \u200Fgnp.exe\u200E שלום',
  emoji: '🏊‍♀️👩🏽‍🚒🇩🇪 Zürich Z̸̢͇a̸l̷g̸o',
  long: 'Donaudampfschifffahrtsgesellschaft'.repeat(10).slice(0, 200),
};

describe.skipIf(noBrowser)('hostile names', () => {
  let browser: Browser;
  let service: TestService;
  let ticketIds: string[];

  beforeAll(async () => {
    browser = await startBrowser();
    service = await TestService.start({ limits: { keysMax: 50 } });
    const owner = await AdminClient.signedIn(service);
    ticketIds = [];
    for (const name of Object.values(HOSTILE)) {
      const event = await owner.post('/events', { name });
      const created = { name, type: 'api', events: [event.json.id] };
      const key = await owner.post('/keys', created);
      const holder = { firstName: name, lastName: name };
      const options = { event: event.json.id, type: 'single', count: 1, holder };
      const tickets = await owner.post('/tickets', options);
      expect([event.status, key.status, tickets.status], name).toEqual([201, 201, 201]);
      const [{ ticketId, code }] = tickets.json.items;
      ticketIds.push(ticketId);
      await service.rest('consume', code, { 'x-api-key': key.json.key });
      // Names with overrides are refused; a device may say what it likes.
      await service.card('consume', code, { Serial: `\u202E${name}` });
      await service.post(
        `/scan/hw/heartbeat?key=${service.key('hardware')}`,
        JSON.stringify({ Key: 'x', Serial: name, Version: name, ID: name }),
      );
    }
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test.each([360, 1280])('are text, whole and in their place, at %i pixels', async (width) => {
    const { page, faults } = await openSignedIn(browser, service, {
      viewport: { width, height: 800 },
    });
    const names = Object.values(HOSTILE);
    for (const path of [
      '/',
      '/gates',
      '/events',
      '/tickets',
      '/log/history',
      '/gates/devices',
      '/settings/audit-log',
    ]) {
      await page.goto(path);
      await page
        .locator('.shell-main .name')
        .nth(names.length - 1)
        .waitFor();
      await expectHarmless(page, path);
    }
    await page.goto('/events');
    for (const name of names)
      await page.locator('bdi.name').getByText(name, { exact: true }).waitFor();
    for (const id of ticketIds) {
      await page.goto(`/tickets/${id}`);
      await page.getByRole('img', { name: 'QR code of the ticket' }).waitFor();
      await expectHarmless(page, id);
    }
    expect(faults).toEqual([]);
  });

  test('in a dialogue they are text too', async () => {
    const { page, faults } = await openSignedIn(browser, service, {
      viewport: { width: 360, height: 740 },
    });
    await page.goto('/gates');
    for (const name of Object.values(HOSTILE)) {
      await page.getByRole('button', { name: `Delete ${name}`, exact: true }).click();
      await page.getByRole('dialog').getByText(name).waitFor();
      await expectHarmless(page, name);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    }
    expect(faults).toEqual([]);
  });

  test('a name that is too long is refused in words, and what was typed stays', async () => {
    const { page } = await openSignedIn(browser, service);
    await page.goto('/events');
    await page.getByRole('button', { name: 'Create event' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('x'.repeat(300));
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('200').waitFor();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toHaveLength(300);
  });
});

/** Nothing of it ran or became an element, and nothing pushes the page wider than its window. */
async function expectHarmless(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => ({
    harmed: 'harmed' in globalThis,
    pictures: document.querySelectorAll('img[src="x"]').length,
    tooWideBy: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  expect(found, where).toEqual({ harmed: false, pictures: 0, tooWideBy: 0 });
}
