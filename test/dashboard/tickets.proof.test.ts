import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { idOf } from '../admin/support/client.ts';
import { LOGO } from '../admin/support/logo.ts';
import { PATIENTLY } from '../support/patience.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { chooseInMenu } from './support/page-actions.ts';

const WORDS = {
  en: {
    locale: 'en-GB',
    remove: 'Delete',
    menuOf: (name: string) => `More actions for ${name}`,
    removeNamed: (name: string) => `Delete ${name}`,
    valid: 'STILL VALID: 1.',
    last: /The last scan was on \d/,
    typed: /To delete it, type its name/,
    wrong: 'This is not its name.',
  },
  de: {
    locale: 'de-DE',
    remove: 'Löschen',
    menuOf: (name: string) => `Weitere Aktionen für ${name}`,
    removeNamed: (name: string) => `${name} löschen`,
    valid: 'NOCH GÜLTIG: 1.',
    last: /Der letzte Scan war am \d/,
    typed: /Tippen Sie zum Löschen den Namen ein/,
    wrong: 'Das ist nicht der Name.',
  },
} as const;

/** A list that a German Excel saved, with a column that nobody knows. */
const LIST = Buffer.from(
  'Vorname;Wer;Gültig bis\r\nJürgen;Groß;30.09.2027\r\nZoë;Weiß;\r\n',
  'latin1',
);

/** Runs in the page: whether the button of this name in a dialogue has the focus. */
function inDialog(name: string): boolean {
  const focused = document.activeElement;
  return focused?.textContent === name && focused.closest('[role=dialog]') !== null;
}

describe.skipIf(noBrowser)('tickets and events after the sale, in a browser', () => {
  const at = withBrowser({ store: 'memory' });

  test('a use is taken back with a reason, holder and uses are edited, a batch is cancelled and deleted', async () => {
    const { page, faults } = await at.signedIn({ role: 'operator' });
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
    const [ticket] = await at.service.store.listTickets({ batch, limit: 1 });
    await at.service.rest('consume', makeTicketCode(ticket?.id ?? '', at.service.keyring, 'TS1'));

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
    await page.getByRole('heading', { name: 'Lovelace', level: 1 }).waitFor();
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
    expect(await at.service.store.listTickets({ batch, limit: 9 })).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test('all tickets of a reference are found, cancelled and reinstated', async () => {
    const { page, faults } = await at.signedIn({ role: 'operator', path: '/tickets' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    for (const reference of ['Q-1', 'Q-1', 'Q-11']) await at.service.mint({ reference });
    const field = page.getByRole('searchbox', { name: 'Reference', exact: true });
    await field.fill('Q-1');
    await page.getByText('2 tickets').waitFor();
    for (const [act, state] of [
      ['Cancel all matches', 'Cancelled'],
      ['Reinstate all matches', 'Valid'],
    ] as const) {
      await button(act).click();
      await dialog.getByRole('button', { name: act }).click();
      await dialog.getByText('Changed: 2. Kept: 0.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await expect
        .poll(() => page.getByRole('table').getByText(state, { exact: true }).count(), PATIENTLY)
        .toBe(2);
    }
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('link', { name: 'Q-1', exact: true }).click();
    await page.getByText('2 tickets').waitFor();
    const search = page.getByRole('searchbox', { name: 'Id, holder, reference' });
    await field.fill('');
    await search.fill('q-1');
    await page.getByText('3 tickets').waitFor();
    expect(await button('Cancel all matches').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('an owner renames the venue and sets its time zone; the name of a guest is erased', async () => {
    const { page, faults } = await at.signedIn();
    const dialog = page.getByRole('dialog');
    await page.goto('/settings');
    const panel = page.locator('section', { has: page.getByText('Name of the venue') });
    await panel.getByRole('textbox').fill('Lido');
    await panel.getByLabel('Time zone').selectOption('Europe/Athens');
    await panel.getByRole('button', { name: 'Save organisation' }).click();
    await panel.getByText('The changes are saved.').waitFor();
    await page.locator('.account-box').getByText('Lido').waitFor();
    expect(await at.service.store.list('organisation')).toContainEqual(
      expect.objectContaining({ name: 'Lido', timeZone: 'Europe/Athens' }),
    );

    const code = await at.service.mint({ firstName: 'Ida', lastName: 'Rhodes' });
    await page.goto(`/tickets/${idOf(code)}`);
    await page.getByRole('heading', { name: 'Ida Rhodes', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Erase name' }).click();
    await dialog.getByText(/Backups, exported lists and printed tickets/).waitFor();
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep name' }).click();
    await page.getByRole('button', { name: 'Erase name' }).click();
    // The keyboard alone: the button that keeps the name has the focus, the one that erases comes next.
    await page.waitForFunction(inDialog, 'Keep name');
    await page.keyboard.press('Tab');
    await page.waitForFunction(inDialog, 'Erase name');
    await page.keyboard.press('Enter');
    await dialog.getByText('The name on 1 ticket is erased.').waitFor();
    await page.waitForFunction(inDialog, 'Close');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('Ida Rhodes').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Erase name' }).count()).toBe(0);
    expect((await at.service.rest('consume', code)).json).toMatchObject({ status: 'consumed' });
    expect(JSON.stringify(await at.service.store.listTickets({ limit: 999 }))).not.toContain('Ida');
    expect(faults).toEqual([]);
  });

  test('a replacement is issued for a lost card; both pages lead to the other', async () => {
    const { page, faults } = await at.signedIn({ role: 'operator' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const lost = await at.service.mint({ kind: 'multi', uses: 3 });
    const id = idOf(lost);
    await at.service.rest('consume', lost);
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
    await page.locator('.ticket-band').getByText('Cancelled').waitFor();
    expect(await page.getByRole('img', { name: 'QR code of the ticket' }).count()).toBe(0);
    for (const name of ['Reinstate', 'Issue a replacement', 'Cancel ticket'])
      expect(await button(name).count()).toBe(0);
    await page.getByRole('link', { name: made }).click();
    await page.waitForURL(`**/tickets/${made}`);
    expect(faults).toEqual([]);
  });

  test('a scan with a key says when and where the ticket was used', async () => {
    const { page, faults } = await at.signedIn({ role: 'viewer' });
    const used = await at.service.mint();
    await at.service.card('consume', used, { Serial: 'North' });
    await page.goto('/scanner');
    await page.getByRole('textbox', { name: 'API key' }).fill(at.service.key('rest'));
    await page.keyboard.press('Enter');
    for (const [code, word] of [
      [used, /Last used:.*, North/],
      [await at.service.mint(), /ADMITTED/],
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

  /** Makes an event with a card that was used once, and one that is spent. */
  async function usedEvent(name: string) {
    const { id: organisationId } = await at.service.administration.organisations.first();
    const { id } = await at.service.administration.events.create(name, organisationId);
    for (const options of [{ kind: 'multi', uses: 3 }, { kind: 'single' }] as const)
      await at.service.rest('consume', await at.service.mint({ ...options, eventId: id }));
    return id;
  }

  test.each([
    ['en', 1280],
    ['de', 390],
  ] as const)('is deleted with its tickets, in %s, %i wide', async (language, width) => {
    const words = WORDS[language];
    const name = `Season ${language} ${width}`;
    const id = await usedEvent(name);
    const { page, faults } = await at.signedIn({
      locale: words.locale,
      viewport: { width, height: 844 },
    });
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: words.remove, exact: true });
    await page.goto('/events');
    await chooseInMenu(page, words.menuOf(name), words.removeNamed(name));
    await dialog.getByText(words.valid).waitFor();
    await dialog.getByText(words.last).waitFor();
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
    expect((await at.service.store.list('event')).map((event) => event.id)).toContain(id);
    await dialog.getByLabel(words.typed).fill(name);
    await remove.click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(name, { exact: true }).waitFor({ state: 'hidden' });
    await expect.poll(() => at.service.store.countTickets(id), PATIENTLY).toBe(0);
    expect((await at.service.store.list('event')).map((event) => event.id)).not.toContain(id);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('without tickets but with scans goes with those; one that was never used needs no name', async () => {
    const { id: organisationId } = await at.service.administration.organisations.first();
    const scanned = await at.service.administration.events.create('Scanned', organisationId);
    await at.service.administration.events.create('Typo', organisationId);
    const code = makeTicketCode(`tkt_${scanned.id}_${'a'.repeat(20)}`, at.service.keyring, 'TS1');
    await at.service.rest('validate', code);
    const { page, faults } = await at.signedIn();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete', exact: true });
    await page.goto('/events');

    await chooseInMenu(page, 'More actions for Scanned', 'Delete Scanned');
    await dialog.getByText(/The last scan was on/).waitFor();
    await dialog.getByLabel(/type its name/).fill('Scanned');
    await remove.click();
    await page.getByText('Scanned', { exact: true }).waitFor({ state: 'hidden' });
    await chooseInMenu(page, 'More actions for Typo', 'Delete Typo');
    await dialog.getByText(/Typo is deleted permanently/).waitFor();
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    await remove.click();
    await page.getByText('Typo', { exact: true }).waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
  });

  test('a list becomes tickets and one PDF; refusals and the audit log are German', async () => {
    const { page, faults } = await at.signedIn({ locale: 'de-DE', path: '/settings' });
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
    await dialog.getByText('Zeile 1, Wer: Diese Spalte ist unbekannt.').waitFor();
    await dialog.getByLabel('Wer', { exact: true }).selectOption('lastName');
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
    expect(table).toMatch(/Als .+ angemeldet/u);
    expect(table).toMatch(/Tickets für .+ angelegt/u);
    expect(table).not.toMatch(/session\.start|[{}]|"/u);
    expect(faults).toEqual([]);
  });

  test('archived events are not offered for new tickets; a second rotation says what stops, and prolongs', async () => {
    const old = await at.service.administration.events.create('Vorige Saison');
    await at.service.administration.events.archive(old);
    const { page, faults } = await at.signedIn({ locale: 'de-DE', path: '/tickets' });
    await page.getByRole('button', { name: 'Importieren' }).click();
    const list = { name: 'gaeste.csv', mimeType: 'text/csv', buffer: LIST };
    await page.getByRole('dialog').locator('input[type=file]').setInputFiles(list);
    const events = page.getByRole('dialog').getByLabel('Veranstaltung');
    await events.waitFor();
    expect(await events.innerText()).not.toContain('Vorige Saison');

    const [key] = await at.service.store.list('key');
    const { key: rotated } = await at.service.administration.keys.rotate(key!.id, 3_600_000);
    await page.clock.setFixedTime(at.service.clock.nowMs);
    await page.goto('/gates');
    await page.getByRole('button', { name: `${key!.name} erneuern`, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('beendet ihn sofort').waitFor();
    await dialog.getByRole('button', { name: 'Verlängern' }).click();
    await dialog.waitFor({ state: 'detached' });
    const after = (await at.service.store.list('key')).find(({ id }) => id === key!.id);
    expect(after?.rotations).toBe(1);
    expect(after?.previousUntil).toBeGreaterThan(rotated.previousUntil ?? 0);
    expect(faults).toEqual([]);
  });
});
