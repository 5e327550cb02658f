import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/core/administrative-records.ts';
import { makeAccount } from '../admin/support/client.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openPage, signIn, type WatchedPage, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('the first start', () => {
  let started: Parameters<Parameters<typeof withBrowser>[0]>[0];
  let organisation: string;
  withBrowser(
    async (both) => {
      started = both;
      organisation = (await both.service.administration.createOrganisation('Default')).id;
    },
    { store: 'memory', ticketsPerState: 0 },
  );

  async function open(role: Role): Promise<WatchedPage> {
    const { browser, service } = started;
    await makeAccount(service, role, role, organisation);
    const options = { locale: 'de-DE', timezoneId: 'Europe/Berlin' };
    const watched = await openPage(browser, service, options);
    await watched.page.goto('/');
    await signIn(watched.page, role);
    return watched;
  }

  test('leads an owner to the first ticket, and asks what the venue is called', async () => {
    const { page, faults } = await open('owner');
    const steps = page.locator('.first-steps');
    const dialog = page.getByRole('dialog');
    await steps.getByRole('button', { name: 'Veranstaltung anlegen' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await page.locator('body').innerText()).not.toMatch(/organisation|default/i);
    await steps.getByLabel('Wie heißt Ihr Haus?').fill('Waldbad');
    await steps.getByRole('button', { name: 'Speichern' }).click();
    await page.locator('.account-box').getByText('Waldbad').waitFor();
    expect(await steps.getByLabel('Wie heißt Ihr Haus?').count()).toBe(0);
    expect(await started.service.store.list('organisation')).toContainEqual(
      expect.objectContaining({ name: 'Waldbad', timeZone: 'Europe/Berlin' }),
    );

    await steps.getByRole('button', { name: 'Veranstaltung anlegen' }).click();
    await dialog.getByLabel('Name').fill('Sommer');
    await dialog.getByRole('button', { name: 'Anlegen' }).click();
    await steps.getByRole('button', { name: 'Schlüssel anlegen' }).click();
    await dialog.getByLabel('Name').fill('Tor 1');
    await dialog.getByRole('button', { name: 'Anlegen' }).click();
    await page.getByRole('button', { name: 'Ich habe ihn gespeichert' }).click();
    expect(await steps.getByText('Erledigt').count()).toBe(2);
    await steps.getByRole('button', { name: 'Tickets anlegen' }).click();
    await dialog.getByRole('button', { name: 'Anlegen' }).click();
    await page.getByRole('heading', { name: '1 Ticket angelegt' }).waitFor();
    await dialog.getByRole('button', { name: 'Schließen' }).last().click();
    expect(await steps.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test.each(['operator', 'viewer'] as const)('a new %s does not see the steps', async (role) => {
    organisation = (await started.service.administration.createOrganisation(role)).id;
    const { page } = await open(role);
    await page.locator('.overview').waitFor();
    expect(await page.locator('.first-steps').count()).toBe(0);
  });
});
