import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { LOGO } from '../admin/support/logo.ts';
import type { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

/** As a German Excel saves it, with a column that nobody knows. */
const LIST = Buffer.from(
  'Vorname;Name;Gültig bis\r\nJürgen;Groß;30.09.2027\r\nZoë;Weiß;\r\n',
  'latin1',
);

describe.skipIf(noBrowser)('paper in the German page', () => {
  let browser: Browser;
  let service: TestService;
  withBrowser((started) => {
    ({ browser, service } = started);
  });

  test('a list becomes tickets and one PDF; refusals and the audit log are German', async () => {
    const { page, faults } = await openSignedIn(browser, service, { locale: 'de-DE' });
    await page.goto('/settings');
    await page.getByLabel('Eigene Zeilen').fill('Einlass ab 9 Uhr');
    await page.getByLabel('Sprache').last().selectOption('de');
    const png = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(LOGO, 'base64') };
    await page.locator('input[type=file]').setInputFiles(png);
    await page.getByRole('button', { name: 'Speichern', exact: true }).click();
    await page.getByText('So sehen neue Druckbögen aus.').waitFor();
    await page.getByAltText('Das Logo auf Tickets').waitFor();

    await page.goto('/tickets');
    await page.getByRole('button', { name: 'Importieren' }).click();
    const dialog = page.getByRole('dialog');
    const list = { name: 'gaeste.csv', mimeType: 'application/vnd.ms-excel', buffer: LIST };
    await dialog.locator('input[type=file]').setInputFiles(list);
    await dialog.getByText('Beispiel: Groß').waitFor();
    await dialog.getByText('Zeile 1, Name: Diese Spalte ist unbekannt.').waitFor();
    await dialog.getByLabel('Name', { exact: true }).selectOption('lastName');
    await dialog.getByRole('button', { name: 'Importieren' }).click();
    await page.getByRole('heading', { name: '2 Tickets angelegt' }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Alle drucken (PDF)' }).click();
    const pdf = readFileSync(await (await saved).path());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');

    await page.goto('/settings/audit-log');
    await page.getByText('Gedruckte Tickets geändert').waitFor();
    const table = await page.getByRole('table').innerText();
    expect(table).toContain('Anzahl: 2');
    expect(table).toContain('Angemeldet');
    expect(table).not.toMatch(/session\.start|[{}]|"/u);
    expect(faults).toEqual([]);
  });

  test('archived events are not offered for new tickets; a second rotation says what stops, and prolongs', async () => {
    const old = await service.administration.createEvent('Vorige Saison');
    await service.administration.archiveEvent(old);
    const { page, faults } = await openSignedIn(browser, service, { locale: 'de-DE' });
    await page.goto('/tickets');
    await page.getByRole('button', { name: 'Importieren' }).click();
    const list = { name: 'gaeste.csv', mimeType: 'text/csv', buffer: LIST };
    await page.getByRole('dialog').locator('input[type=file]').setInputFiles(list);
    const events = page.getByRole('dialog').getByLabel('Veranstaltung');
    await events.waitFor();
    expect(await events.innerText()).not.toContain('Vorige Saison');

    const [key] = await service.store.list('key');
    const { key: rotated } = await service.administration.rotateKey(key!.id, 3_600_000);
    await page.clock.setFixedTime(service.clock.nowMs);
    await page.goto('/gates');
    await page.getByRole('button', { name: `${key!.name} erneuern`, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('beendet ihn sofort').waitFor();
    await dialog.getByRole('button', { name: 'Verlängern' }).click();
    await dialog.waitFor({ state: 'detached' });
    const after = (await service.store.list('key')).find(({ id }) => id === key!.id);
    expect(after?.rotations).toBe(1);
    expect(after?.previousUntil).toBeGreaterThan(rotated.previousUntil ?? 0);
    expect(faults).toEqual([]);
  });
});
