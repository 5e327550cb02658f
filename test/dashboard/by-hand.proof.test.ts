import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { AdminClient, idOf } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { LOOKS, picture } from './support/looks.ts';
import { setKeyGap, typeQuickly } from './support/page-actions.ts';

const TEXTS = {
  'en-GB': {
    find: 'Find a guest',
    findBy: 'Name, reference or end of the id',
    one: '1 ticket found',
    letIn: 'Let in',
    seen: 'Seen, go on',
    ask: 'Ask first',
    notNow: 'Not now',
    back: 'Back',
    uses: 'Uses at once',
    options: 'Code and options',
    wayOut: 'Way out',
    out: 'OUT',
    outAgain: 'OUT, person 2',
    notCounted: 'NOT COUNTED',
  },
  'de-DE': {
    find: 'Gast suchen',
    findBy: 'Name, Referenz oder Ende der ID',
    one: '1 Ticket gefunden',
    letIn: 'Einlassen',
    seen: 'Gesehen, weiter',
    ask: 'Erst fragen',
    notNow: 'Nicht jetzt',
    back: 'Zurück',
    uses: 'Nutzungen auf einmal',
    options: 'Code und Optionen',
    wayOut: 'Ausgang',
    out: 'HINAUS',
    outAgain: 'HINAUS, Person 2',
    notCounted: 'NICHT GEZÄHLT',
  },
};

describe.skipIf(noBrowser)('at the desk', () => {
  const at = withBrowser({ store: 'memory' });
  const uses = async (code: string) =>
    (await at.service.store.findTicket(idOf(code)))?.usesConsumed;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  test.each(LOOKS)('%s: finds, asks and holds, without a barrier', async (look, options) => {
    const { service } = at;
    const owner = await AdminClient.signedIn(service);
    const words = TEXTS[options.locale];
    const lastName = `Family ${look}`;
    const code = await service.mint({ kind: 'multi', uses: 9, firstName: 'Grete', lastName });
    const written = {
      reference: `R-1001 ${look}`,
      note: 'Reduced: ask for the card',
      attention: true,
    };
    await owner.patch(`/tickets/${idOf(code)}`, written);
    const other = await service.mint({ firstName: 'Ben', lastName });
    const { page, faults } = await at.signedIn({ role: 'operator', path: '/scanner', ...options });
    const result = page.locator('.result');
    await page.locator('.result.ready').waitFor();

    await button(page, words.find).click();
    const field = page.getByRole('searchbox', { name: words.findBy });
    await field.fill(lastName);
    await page.locator('.guest').nth(1).waitFor();
    await picture(page, `${look} 1 found`);
    expect(await barriers(page)).toEqual([]);
    await field.fill(written.reference);
    await page.getByText(words.one, { exact: true }).waitFor();
    await field.press('Enter');
    await button(page, words.letIn).waitFor();
    await picture(page, `${look} 2 second look`);
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel(words.uses, { exact: true }).selectOption('3');
    await button(page, words.letIn).click();
    await page.locator('.result.good').waitFor();
    await picture(page, `${look} 3 let in`);
    expect(await uses(code)).toBe(3);

    await typeQuickly(page, code);
    await button(page, words.seen).waitFor();
    await picture(page, `${look} 4 held`);
    expect(await barriers(page)).toEqual([]);
    await typeQuickly(page, other);
    await page.locator('.result.pending').waitFor();
    await picture(page, `${look} 5 held, another waits`);
    expect(await uses(other)).toBe(0);
    await button(page, words.seen).click();
    await page.locator('.result.good').getByText('Ben').waitFor();
    expect(await uses(other)).toBe(1);

    const menu = button(page, words.options);
    if (await menu.isVisible()) await menu.click();
    await picture(page, `${look} 6 choices`);
    await page.getByText(words.ask, { exact: true }).click();
    await typeQuickly(page, code);
    await page.locator('.result.question').waitFor();
    await picture(page, `${look} 7 question`);
    expect(await barriers(page)).toEqual([]);
    await button(page, words.notNow).click();
    await page.locator('.result.ready').waitFor();
    expect(await uses(code)).toBe(4);
    await typeQuickly(page, code);
    await result.getByLabel(words.uses, { exact: true }).selectOption('2');
    await button(page, words.letIn).click();
    await page.locator('.result.good').waitFor();
    await expect.poll(() => uses(code), PATIENTLY).toBe(6);

    await page.goto(`/tickets/${idOf(code)}`);
    await button(page, words.letIn).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(written.note, { exact: false }).waitFor();
    await picture(page, `${look} 8 ticket`);
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: words.letIn, exact: true }).click();
    await dialog.locator('.result.good').waitFor();
    await picture(page, `${look} 9 ticket answer`);
    expect(await uses(code)).toBe(7);
    expect(faults).toEqual([]);
  });

  test.each(LOOKS)(
    '%s: stands at a way out, counts out, and takes no use',
    async (look, options) => {
      const { service } = at;
      const words = TEXTS[options.locale];
      const code = await service.mint({ kind: 'multi', uses: 2, firstName: 'Ada' });
      await service.rest('consume', code);
      const unused = await service.mint();
      const { page, faults } = await at.signedIn({
        role: 'operator',
        path: '/scanner',
        ...options,
      });
      await page.locator('.result.ready').waitFor();
      const menu = button(page, words.options);
      if (await menu.isVisible()) await menu.click();
      await page.locator('.mode-choice').getByText(words.wayOut, { exact: true }).click();
      await picture(page, `${look} out 1 choices`);
      expect(await barriers(page)).toEqual([]);

      await typeQuickly(page, code);
      await page.locator('.result.good').getByText(words.out, { exact: true }).waitFor();
      await picture(page, `${look} out 2 counted`);
      expect(await barriers(page)).toEqual([]);
      await typeQuickly(page, code);
      const again = page.locator('.result.good').getByRole('status');
      await again.getByText(words.outAgain, { exact: true }).waitFor();
      await picture(page, `${look} out 2 counted again`);
      expect(await barriers(page)).toEqual([]);
      await typeQuickly(page, unused);
      await page
        .locator('.result.uncounted')
        .getByText(words.notCounted, { exact: true })
        .waitFor();
      await picture(page, `${look} out 3 not counted`);
      expect(await barriers(page)).toEqual([]);
      await page.reload();
      await page.locator('.stage-mode.out').getByText(words.wayOut, { exact: true }).waitFor();
      expect(await button(page, words.find).count()).toBe(0);
      expect(await uses(code)).toBe(1);
      expect(await uses(unused)).toBe(0);
      expect(faults).toEqual([]);
    },
  );

  test('who was counted out has no use to take back', async () => {
    const { service } = at;
    const code = await service.mint({ kind: 'multi', uses: 2 });
    await service.rest('consume', code);
    const { page } = await at.signedIn({ role: 'operator', path: '/scanner' });
    await page.locator('.mode-choice').getByText('Way out', { exact: true }).click();
    await typeQuickly(page, code);
    await page.locator('.result.good').getByText('OUT', { exact: true }).waitFor();
    await page.goto(`/tickets/${idOf(code)}`);
    const takeBack = page.getByRole('button', { name: 'Take back', exact: true });
    await page
      .getByRole('row', { name: /Admitted/ })
      .and(page.locator(':has(button)'))
      .waitFor();
    const out = page.getByRole('row', { name: /Let out/ });
    await out.waitFor();
    expect(await out.getByRole('button', { name: 'Take back' }).count()).toBe(0);
    expect(await takeBack.count()).toBe(1);
  });

  const [QUICK_MS, SLOW_MS, PERSON_MS] = [10, 300, 2000];
  const typed = async (page: Page, text: string, gap: number) => {
    await setKeyGap(page, gap);
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };

  test.each(['/scanner', 'its page'])('no key of a hand scanner lets in: %s', async (where) => {
    const code = await at.service.mint({ firstName: 'Hans', lastName: `Muster ${where}` });
    const path = where === '/scanner' ? where : `/tickets/${idOf(code)}`;
    const { page } = await at.signedIn({ role: 'operator', path });
    if (where === '/scanner') {
      await button(page, 'Find a guest').click();
      const field = page.getByRole('searchbox', { name: 'Name, reference' });
      await setKeyGap(page, QUICK_MS);
      await field.fill('');
      await page.keyboard.type(idOf(code).slice(-5));
      await page.getByText('1 ticket found', { exact: true }).waitFor();
      await page.keyboard.press('Enter');
    } else await button(page, 'Let in').click();
    const letIn = page.locator('.second-look').getByRole('button', { name: 'Let in' });
    await letIn.waitFor();
    const scanned = [
      ['ab', QUICK_MS],
      ['4012345', SLOW_MS],
      ['4012345', QUICK_MS],
      [await at.service.mint(), SLOW_MS],
    ] as const;
    for (const [text, gap] of scanned) {
      await letIn.focus();
      await typed(page, text, gap);
      await letIn.waitFor();
      expect(await uses(code), `${text} ${gap}`).toBe(0);
    }
    await setKeyGap(page, PERSON_MS);
    await letIn.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => uses(code), PATIENTLY).toBe(1);
    const [entry] = await at.service.store.readLog({ ticketId: idOf(code), limit: 1 });
    expect(entry).toMatchObject({ status: 'consumed', byHand: true });
  });

  test('a card that is refused for too many uses takes nothing from the next guest, and a family comes in on as many as it has people', async () => {
    const few = await at.service.mint({ kind: 'multi', uses: 2 });
    const family = await at.service.mint({ kind: 'multi', uses: 5 });
    const { page } = await at.signedIn({ role: 'operator', path: '/scanner' });
    const next = page.getByLabel('Uses of the next scan', { exact: true });
    const scanWith = async (code: string, number: string) => {
      await next.selectOption(number);
      await typeQuickly(page, code);
    };
    for (let read = 0; read < 2; read += 1) {
      await scanWith(few, '4');
      await page.getByText('2 uses left: fewer than you chose.', { exact: false }).waitFor();
      expect(await next.inputValue()).toBe('1');
    }
    expect(await uses(few)).toBe(0);
    await typeQuickly(page, family);
    await page.getByText('Let the guest in.', { exact: true }).waitFor();
    expect(await uses(family)).toBe(1);
    await scanWith(family, '4');
    await page.getByText('Let 4 people in.', { exact: true }).waitFor();
    expect(await uses(family)).toBe(5);
    expect(await next.inputValue()).toBe('1');
  });

  test('a note waits for its tap on every page, and a ticket that is let in by hand waits behind it', async () => {
    const marked = await at.service.mint();
    const [behind, byHand] = [await at.service.mint(), await at.service.mint()];
    const owner = await AdminClient.signedIn(at.service, 'owner');
    await owner.patch(`/tickets/${idOf(marked)}`, { note: 'Ask for the card', attention: true });
    const { page } = await at.signedIn({ role: 'operator', path: '/scanner' });
    await typeQuickly(page, marked);
    await button(page, 'Seen, go on').waitFor();
    await typeQuickly(page, behind);
    await page.getByText('The next ticket is waiting.').waitFor();
    await page.getByRole('link', { name: 'Tickets', exact: true }).click();
    await page.getByText('It waits until somebody taps', { exact: false }).waitFor();
    await page
      .locator(`a[href="/tickets/${idOf(byHand)}"]`)
      .first()
      .click();
    await button(page, 'Let in').click();
    await page.locator('.second-look').getByRole('button', { name: 'Let in' }).click();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /Seen, go on/u })
      .click();
    await page.locator('.result').getByText('Ask for the card').waitFor();
    expect([await uses(behind), await uses(byHand)]).toEqual([0, 0]);
    await button(page, 'Seen, go on').click();
    await page.locator('.result.good').waitFor();
    expect([await uses(behind), await uses(byHand)]).toEqual([1, 1]);
  });

  test('whoever was answered last is not shown beside a guest who is searched', async () => {
    const code = await at.service.mint({ firstName: 'Emil', lastName: 'Before' });
    const { page } = await at.signedIn({ role: 'operator', path: '/scanner' });
    await typeQuickly(page, code);
    await page.locator('.result.good').waitFor();
    await button(page, 'Find a guest').click();
    await page.locator('.result.ready').waitFor();
    expect(await page.locator('.result.good').count()).toBe(0);
  });

  test('a key pressed without looking goes back, and several guests are chosen from with the arrows', async () => {
    for (const firstName of ['Anna', 'Bea'])
      await at.service.mint({ firstName, lastName: 'Zwilling' });
    const { page } = await at.signedIn({ role: 'operator', path: '/scanner' });
    await button(page, 'Find a guest').click();
    const field = page.getByRole('searchbox', { name: 'Name, reference' });
    await field.fill('zwilling');
    await page.getByText('2 tickets found', { exact: true }).waitFor();
    await field.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const look = page.locator('.second-look');
    await look.getByText('Anna Zwilling').waitFor();
    await page.keyboard.press('Enter');
    await field.waitFor();
    expect(await field.inputValue()).toBe('zwilling');
  });

  test('the number of an order finds all its tickets, whose references have the position behind it', async () => {
    const owner = await AdminClient.signedIn(at.service);
    for (const reference of ['ABC12-3', 'ABC12-4', 'ABD12-3']) {
      const code = await at.service.mint();
      await owner.patch(`/tickets/${idOf(code)}`, { reference });
    }
    const { page } = await at.signedIn({ role: 'operator', path: '/scanner' });
    await button(page, 'Find a guest').click();
    const field = page.getByRole('searchbox', { name: 'Name, reference' });
    for (const [typed, found] of [
      ['ABC12', '2 tickets found'],
      ['abc12-', '2 tickets found'],
      ['ABC12-4', '1 ticket found'],
    ] as const) {
      await field.fill(typed);
      await page.getByText(found, { exact: true }).waitFor();
    }
  });

  test('door staff have the search only where an owner switched it on in the settings', async () => {
    const scanner = await at.signedIn({ role: 'scanner', path: '/scanner' });
    await scanner.page.locator('.result.ready').waitFor();
    expect(await button(scanner.page, 'Find a guest').count()).toBe(0);
    const { page } = await at.signedIn({ role: 'owner', path: '/settings' });
    await page.getByRole('switch', { name: 'Door staff may find guests' }).click({ force: true });
    await page.getByRole('button', { name: 'Save organisation' }).click();
    await page.getByText('The changes are saved.').first().waitFor();
    await scanner.page.reload();
    await button(scanner.page, 'Find a guest').waitFor();
  });
});
