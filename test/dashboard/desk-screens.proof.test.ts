import { describe, expect, test } from 'vitest';
import { AdminClient, idOf, pairedPhone } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { LOOKS, picture } from './support/looks.ts';
import { typeQuickly } from './support/page-actions.ts';

const TEXTS = {
  'en-GB': {
    details: 'Details of turnstile',
    since: 'Exists since',
    below: 'Refused before a scan',
    exit: 'Exit',
    insideFrom: 'Reset people inside each day at',
    save: 'Save organisation',
    report: 'Privacy report',
    until: 'Stored until',
    options: 'Code and options',
    check: 'Only check',
    onlyChecked: 'Only checked',
    denied: 'Denied: ',
    notes: 'counted since 05:30',
    noHeartbeat: 'No heartbeat',
    now: 'until now, ',
    printed: 'Lido · Printed ',
  },
  'de-DE': {
    details: 'Details zu turnstile',
    since: 'Besteht seit',
    below: 'Vor einem Scan abgewiesen',
    exit: 'Ausgang',
    insideFrom: 'Personen drinnen täglich auf 0 setzen um',
    save: 'Organisation speichern',
    report: 'Datenauskunft',
    until: 'Gespeichert bis',
    options: 'Code und Optionen',
    check: 'Nur prüfen',
    onlyChecked: 'Nur geprüft',
    denied: 'Abgewiesen: ',
    notes: 'gezählt seit 05:30',
    noHeartbeat: 'Kein Heartbeat',
    now: 'bis jetzt, ',
    printed: 'Lido · Gedruckt ',
  },
};

describe.skipIf(noBrowser)('screens of a day at the desk', () => {
  let code = '';
  let other = '';
  const at = withBrowser({ store: 'memory' }, async (service) => {
    const owner = await AdminClient.signedIn(service);
    const gate = { name: 'turnstile', type: 'hardware', events: 'all', readers: { 1: 'out' } };
    const { key, id: keyId } = (await owner.post('/keys', { ...gate, onExit: 'open' })).json;
    code = await service.mint({ kind: 'multi', uses: 60, firstName: 'Ada', lastName: 'Zyxlace' });
    other = await service.mint({ firstName: 'Bo', lastName: 'Quill' });
    const card = (text: string, reader: number, Serial: string) => {
      const Card = Buffer.from(text).toString('base64');
      const body = JSON.stringify({ Card, Serial, Reader: reader });
      return service.post(`/scan/hw/consume?key=${key}`, body);
    };
    for (const serial of ['NORTH', 'SOUTH', 'EAST']) {
      for (let use = 0; use < 4; use += 1) await card(code, 0, serial);
      await card(code, 1, serial);
      await card(other, 0, serial);
      await card('forged', 0, serial);
    }
    await owner.patch('/organisation', { name: 'Lido' });
    await owner.post('/device-names', { key: keyId, serial: 'NORTH', name: 'North gate' });
    // A key for turnstiles is refused by the endpoint for own software.
    await service.post('/scan/consume', '{"ticketCode":"x"}', {
      'content-type': 'application/json',
      'x-api-key': key,
    });
    await owner.patch(`/tickets/${idOf(code)}`, { note: 'Wheelchair', reference: 'R-7' });
    for (const act of ['cancel', 'reinstate'])
      await owner.post(`/tickets/${act}`, { ids: [idOf(code), idOf(other)] });
  });

  test.each(LOOKS)(
    '%s: a key tells since when it exists, its day, and what was refused',
    async (look, options) => {
      const words = TEXTS[options.locale];
      const { page, faults } = await at.signedIn({ role: 'viewer', path: '/gates', ...options });
      await page.getByRole('button', { name: words.details }).click();
      const dialog = page.getByRole('dialog');
      for (const text of [words.since, 'North gate', 'SOUTH'])
        await dialog.getByText(text).first().waitFor();
      await dialog.getByRole('heading', { name: words.below }).waitFor();
      const answers = await dialog.locator('dl').nth(1).innerText();
      expect(answers.replaceAll(/\s+/gu, ' ')).toMatch(/1[23] .* 3 /u);
      await picture(page, `${look} key`, true);
      expect(await barriers(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  test.each(LOOKS)('%s: the list of phones says who stands at the exit', async (look, options) => {
    const operator = await AdminClient.signedIn(at.service, 'operator');
    const phone = await pairedPhone(operator, at.service.url, `Exit ${look}`);
    const words = TEXTS[options.locale];
    const scanner = await at.signedIn({ role: 'operator', path: '/scanner', ...options });
    const context = scanner.page.context();
    const [name = '', value = ''] = phone.cookie?.split('=') ?? [];
    await context.clearCookies();
    await context.addCookies([{ name, value, url: at.service.url }]);
    await scanner.page.reload();
    await scanner.page.locator('.result.ready').waitFor();
    const menu = scanner.page.getByRole('button', { name: words.options, exact: true });
    if (await menu.isVisible()) await menu.click();
    const way = { 'en-GB': 'Way out', 'de-DE': 'Ausgang' }[options.locale];
    await scanner.page.locator('.mode-choice').getByText(way, { exact: true }).click();

    const { page, faults } = await at.signedIn({
      role: 'owner',
      path: '/gates/phones',
      ...options,
    });
    const row = page.getByRole('row').filter({ hasText: `Exit ${look}` });
    await row.getByText(words.exit, { exact: true }).waitFor();
    await picture(page, `${look} phones`, true);
    expect(await barriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test.each(LOOKS)(
    '%s: a check is no open gate, in colour, sign and words',
    async (look, options) => {
      const words = TEXTS[options.locale];
      const { page, faults } = await at.signedIn({
        role: 'operator',
        path: '/scanner',
        ...options,
      });
      await page.locator('.result.ready').waitFor();
      const menu = page.getByRole('button', { name: words.options, exact: true });
      if (await menu.isVisible()) await menu.click();
      await page.locator('.mode-choice').getByText(words.check, { exact: true }).click();
      await typeQuickly(page, code);
      const checked = page.locator('.result.checked');
      await checked.getByRole('status').getByText(words.onlyChecked, { exact: true }).waitFor();
      expect(await page.locator('.result.good').count()).toBe(0);
      await picture(page, `${look} checked`, true);
      expect(await barriers(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  test.each(LOOKS)(
    '%s: an owner reads what is stored of a guest, and nothing of others',
    async (look, options) => {
      const words = TEXTS[options.locale];
      const path = `/tickets/${idOf(code)}`;
      const { page, faults } = await at.signedIn({ role: 'owner', path, ...options });
      await page.getByRole('button', { name: words.report }).click();
      const dialog = page.getByRole('dialog');
      for (const text of ['Ada Zyxlace', 'Wheelchair', 'R-7', words.until])
        await dialog.getByText(text).first().waitFor();
      const told = await dialog.innerText();
      for (const hidden of ['Quill', idOf(other), code]) expect(told).not.toContain(hidden);
      await picture(page, `${look} report`, true);
      expect(await barriers(page)).toEqual([]);
      if (look === 'desk') {
        await page.emulateMedia({ media: 'print' });
        expect(await page.locator('.shell').first().isVisible()).toBe(false);
        expect(await dialog.getByText('Wheelchair', { exact: true }).isVisible()).toBe(true);
        expect(await dialog.getByText('Look whether the ticket').isVisible()).toBe(false);
        expect(await dialog.getByText('Besides, answers that are kept').isVisible()).toBe(true);
      }
      expect(faults).toEqual([]);
    },
  );

  test.each(LOOKS)(
    '%s: the time of the daily reset is chosen, and the closing says it',
    async (look, options) => {
      const words = TEXTS[options.locale];
      const owner = await AdminClient.signedIn(at.service);
      await owner.patch('/organisation', { insideFrom: '04:00' });
      const { page, faults } = await at.signedIn({ role: 'owner', path: '/settings', ...options });
      await page.getByLabel(words.insideFrom).selectOption('05:30');
      await picture(page, `${look} settings`, true);
      expect(await barriers(page)).toEqual([]);
      await page.getByRole('button', { name: words.save }).click();
      await expect
        .poll(async () => (await owner.get('/organisation')).json.insideFrom, PATIENTLY)
        .toBe('05:30');

      await page.goto('/closing?day=2026-07-01');
      await page.getByText(words.notes).waitFor();
      const below = page.locator('tr.below').first();
      expect(await below.innerText()).toContain(words.denied);
      await picture(page, `${look} closing`, true);
      expect(await barriers(page)).toEqual([]);
      const pdf = await page.pdf({ format: 'A4', printBackground: true });
      const pages = readablePages(pdf);
      expect(pages).toBeGreaterThan(0);
      expect(pages).toBeLessThanOrEqual(2);
      expect(await page.getByRole('heading', { level: 2 }).innerText()).not.toContain(words.now);
      expect(await page.locator('.print-head').isVisible()).toBe(false);
      expect(faults).toEqual([]);
    },
  );

  test.each(LOOKS)(
    '%s: a printed closing says whose it is, when it was printed, and that the day is not over',
    async (_, options) => {
      const words = TEXTS[options.locale];
      const { page, faults } = await at.signedIn({ role: 'viewer', path: '/closing', ...options });
      await page.getByRole('heading', { level: 2, name: words.now }).waitFor();
      await page.emulateMedia({ media: 'print' });
      const head = page.locator('.print-head');
      expect(await head.innerText()).toContain(words.printed);
      await page.evaluate(() => {
        Date.now = () => Date.UTC(2031, 4, 6, 12);
        dispatchEvent(new Event('beforeprint'));
      });
      expect(await head.innerText()).toContain('2031');
      expect(faults).toEqual([]);
    },
  );

  test.each(LOOKS.slice(0, 2))(
    '%s: a device without heartbeats is online while it scans, then nobody says that it is not there',
    async (look, options) => {
      const words = TEXTS[options.locale];
      const { page, faults } = await at.signedIn({
        role: 'viewer',
        path: '/gates/devices',
        ...options,
      });
      const badge = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: 'SOUTH' }) })
        .locator('.card-head .badge');
      await expect.poll(() => badge.innerText(), PATIENTLY).toBe('Online');
      at.service.clock.advance(31_000);
      await expect.poll(() => badge.innerText(), PATIENTLY).toBe(words.noHeartbeat);
      at.service.clock.advance(-31_000);
      expect(await badge.getAttribute('class')).not.toMatch(/\bbad\b/u);
      await picture(page, `${look} devices`, true);
      expect(await barriers(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );
});

/** How many pages a PDF of Chromium has. */
function readablePages(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/gu)?.length ?? 0;
}
