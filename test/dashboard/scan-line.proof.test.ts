import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Random } from '../../prove/world/random.ts';
import { idOf } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { SEED } from '../support/seed.ts';
import { isWhole } from '../support/whole.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { scanByKeys } from './support/page-actions.ts';

const SCANS = '**/admin/v1/scans';

/** Holds the requests of a page back until each is let go. */
class Line {
  readonly #held: Route[] = [];
  /** The codes, in the order in which they were asked about. */
  readonly asked: string[] = [];

  static async of(page: Page): Promise<Line> {
    const line = new Line();
    await page.route(SCANS, (route) => {
      line.asked.push(String(route.request().postDataJSON().ticketCode));
      line.#held.push(route);
    });
    return line;
  }

  /** Waits for the next request. */
  async next(page: Page): Promise<Route> {
    for (;;) {
      const route = this.#held.shift();
      if (route) return route;
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
  }
}

describe.skipIf(noBrowser)('codes that are read in a busy moment', () => {
  const at = withBrowser({ store: 'memory' });
  const DESK = { role: 'operator', path: '/scanner' } as const;
  const result = (page: Page) => page.locator('.result');
  const uses = async (code: string) =>
    (await at.service.store.findTicket(idOf(code)))?.usesConsumed;

  async function read(page: Page, code: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Ticket code' }).fill(code);
    await page.keyboard.press('Enter');
  }

  const mint = (firstName: string) => at.service.mint({ firstName, lastName: 'Green' });

  test.each([
    ['desk', { width: 1280, height: 800 }],
    ['wide tablet', { width: 1024, height: 768 }],
  ] as const)(
    '%s: each gets its own answer, and nothing is green while another waits',
    async (_, viewport) => {
      const { page, faults } = await at.signedIn({ ...DESK, viewport });
      const line = await Line.of(page);
      const [anna, ben] = [await mint('Anna'), await mint('Ben')];
      await read(page, anna);
      await result(page).getByText('Checking …').waitFor();
      await read(page, ben);
      expect(await page.getByRole('textbox', { name: 'Ticket code' }).inputValue()).toBe('');
      await (await line.next(page)).continue();
      const overtaken = page.locator('.overtaken');
      await overtaken.getByText('Anna Green').waitFor();
      expect(await overtaken.innerText()).toContain('ADMITTED');
      expect(await page.locator('.result.good, .badge.good').count()).toBe(0);
      expect(await result(page).innerText()).not.toContain('Anna');
      await (await line.next(page)).continue();
      await page.locator('.result.good').getByText('Ben Green').waitFor();
      expect(await overtaken.getByText('Anna Green').count()).toBe(0);
      expect(line.asked).toEqual([anna, ben]);
      expect([await uses(anna), await uses(ben)]).toEqual([1, 1]);
      expect(faults).toEqual([]);
    },
  );

  test('the words of the guest before are gone while the next is checked, and that is announced', async () => {
    const { page } = await at.signedIn(DESK);
    await read(page, await mint('Anna'));
    await page.locator('.result.good').getByText('Anna Green').waitFor();
    const line = await Line.of(page);
    await read(page, await mint('Ben'));
    await result(page).locator('[role=status]').getByText('Checking …').waitFor();
    expect(await result(page).innerText()).not.toMatch(/Anna|ADMITTED|Let the guest in/u);
    await (await line.next(page)).continue();
    await page.locator('.result.good').getByText('Ben Green').waitFor();
  });

  test('a code beyond those that wait is refused at once; no answer of another guest turns green over it', async () => {
    const { page } = await at.signedIn(DESK);
    const line = await Line.of(page);
    const codes = await Promise.all(
      Array.from({ length: 7 }, (_, guest) => mint(`Guest ${guest}`)),
    );
    for (const code of codes) await read(page, code);
    await page.locator('.result.not_taken').getByText('NOT TAKEN').waitFor();
    for (const _ of codes.slice(1)) {
      await (await line.next(page)).continue();
      expect(await page.locator('.result.good, .badge.good').count()).toBe(0);
    }
    await page.locator('.overtaken').getByText('Guest 5 Green').waitFor();
    await page.locator('.result.not_taken').waitFor();
    await read(page, codes[6] ?? '');
    await (await line.next(page)).continue();
    await page.locator('.result.good').getByText('Guest 6 Green').waitFor();
    expect(await Promise.all(codes.map(uses))).toEqual(codes.map(() => 1));
  });

  test('a lost answer keeps its own row and its own attempt, while the next guest has an answer', async () => {
    const { page } = await at.signedIn(DESK);
    const line = await Line.of(page);
    const [anna, ben] = [await mint('Anna'), await mint('Ben')];
    await read(page, anna);
    await read(page, ben);
    const lost = await line.next(page);
    // The server registers the use, but its answer is lost on the way.
    await lost.fetch();
    await lost.abort('connectionreset');
    await (await line.next(page)).continue();
    await page.locator('.result.good').getByText('Ben Green').waitFor();
    await page.locator('.small-scans').getByText('NO ANSWER').waitFor();
    await page
      .locator('.small-scans')
      .getByRole('button', { name: /^Try again/ })
      .click();
    await result(page).getByText('Checking …').waitFor();
    await (await line.next(page)).continue();
    await page.locator('.result.good').getByText('Anna Green').waitFor();
    expect([await uses(anna), await uses(ben)]).toEqual([1, 1]);
  });

  test('while a 429 waits, the next code waits behind it and is answered after it', async () => {
    const { page } = await at.signedIn(DESK);
    const [anna, ben] = [await mint('Anna'), await mint('Ben')];
    const line = await Line.of(page);
    await read(page, anna);
    const headers = { 'retry-after': '1' };
    await (await line.next(page)).fulfill({ status: 429, headers, json: {} });
    await result(page).getByText('WAIT', { exact: true }).waitFor();
    await read(page, ben);
    await result(page).getByText('Checking …').waitFor();
    await (await line.next(page)).continue();
    await page.locator('.overtaken').getByText('Anna Green').waitFor();
    await (await line.next(page)).continue();
    await page.locator('.result.good').getByText('Ben Green').waitFor();
    expect(line.asked).toEqual([anna, anna, ben]);
  });

  // In a whole run the line has a latency of half a second to three: here the page only shows between request and answer.
  const SECONDS = 'half a second to three';
  const latencies = isWhole() ? ['one frame', SECONDS] : ['one frame'];
  test.each(latencies)(
    'fifty guests on a line with a latency of %s that loses one answer in ten: each has an answer and one use',
    async (latency) => {
      const { page } = await at.signedIn(DESK);
      const random = new Random(SEED);
      const guests = 50;
      const codes = await Promise.all(
        Array.from({ length: guests }, (_, guest) => mint(`No ${guest}`)),
      );
      let requests = 0;
      await page.route(SCANS, async (route) => {
        requests += 1;
        const isLost = requests % 10 === 3;
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
        if (latency === SECONDS) await sleep(random.between(500, 3000));
        if (!isLost) return route.continue();
        // The server registers the use, but its answer is lost on the way.
        await route.fetch();
        await route.abort('connectionreset');
      });
      const field = page.getByRole('textbox', { name: 'Ticket code' });
      const open = page.locator('.small-scans li').filter({ hasText: 'Checking' });
      for (const code of codes) {
        while ((await open.count()) > 4)
          await page.evaluate(() => new Promise(requestAnimationFrame));
        await field.fill(code);
        await page.keyboard.press('Enter');
      }
      await expect.poll(() => open.count(), PATIENTLY).toBe(0);
      expect(await page.getByText('NOT TAKEN').count()).toBe(0);
      const again = page.getByRole('button', { name: /^Try again/ });
      while ((await again.count()) > 0) {
        await again.first().click();
        await expect.poll(() => open.count(), PATIENTLY).toBe(0);
      }
      expect(await Promise.all(codes.map(uses))).toEqual(codes.map(() => 1));
    },
  );

  test('whoever leaves the scan page loses no code: each is asked about, and the other page says so', async () => {
    const { page } = await at.signedIn(DESK);
    const line = await Line.of(page);
    const [anna, ben] = [await mint('Anna'), await mint('Ben')];
    await read(page, anna);
    await read(page, ben);
    await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
    const told = (text: string) => page.getByRole('alert').getByText(text);
    await told('2 codes still wait for their answers').waitFor();
    await (await line.next(page)).continue();
    await told('A code still waits for its answer').waitFor();
    await (await line.next(page)).continue();
    await told('2 codes were answered after you left “Scan”').waitFor();
    expect([await uses(anna), await uses(ben)]).toEqual([1, 1]);
    await page.getByRole('link', { name: 'Open Scan' }).click();
    await page.locator('.result.good').getByText('Ben Green').waitFor();
    await page.locator('.small-scans').getByText('Anna Green').waitFor();
    expect(await told('answered after').count()).toBe(0);
  });

  test('a page that cannot be loaded without a line says so and comes with the line; the codes that wait are not lost', async () => {
    const { page } = await at.signedIn(DESK);
    const line = await Line.of(page);
    const code = await mint('Anna');
    await read(page, code);
    const request = await line.next(page);
    await page.context().setOffline(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
    await page.getByRole('alert').getByText('The server does not answer.').waitFor();
    await page.getByRole('alert').getByText('A code still waits for its answer').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Tickets' }).waitFor();
    await request.continue();
    await page.getByRole('alert').getByText('A code was answered after').waitFor();
    expect(await uses(code)).toBe(1);
  });

  test('while a code has no answer, signing out and loading anew ask first; an end from elsewhere is told', async () => {
    const { page } = await at.signedIn(DESK);
    const line = await Line.of(page);
    const code = await mint('Anna');
    await read(page, code);
    const signOut = page.getByRole('button', { name: 'Sign out', exact: true });
    await signOut.click();
    await page.getByRole('alert').getByText('A scanned code has no answer yet').waitFor();
    await page.getByRole('button', { name: 'Wait for the answers' }).click();
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => void setTimeout(() => location.reload()));
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await (await line.next(page)).continue();
    await page.locator('.result.good').getByText('Anna Green').waitFor();
    await read(page, await mint('Ben'));
    const other = await page.context().newPage();
    await other.goto('/tickets');
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('Scanned codes without an answer when the session ended: 1.').waitFor();
    expect(await page.getByText('Green').count()).toBe(0);
  });

  test('"Only check" is kept over a reload and written on the stage', async () => {
    const { page } = await at.signedIn(DESK);
    const mode = page.locator('.stage-mode');
    expect(await mode.innerText()).toBe('Admit (consume)');
    await page.getByText('Only check').first().click();
    await page.reload();
    await mode.waitFor();
    expect(await mode.innerText()).toBe('Only check');
    const code = await mint('Anna');
    await read(page, code);
    await page.locator('.result.checked').getByText('VALID').waitFor();
    expect(await uses(code)).toBe(0);
  });
});

describe.skipIf(noBrowser)('the keys of a hand scanner', () => {
  const at = withBrowser({ store: 'memory' });
  const stray = (page: Page) => page.getByRole('alert').getByText('A code was scanned: open Scan?');

  test.each(['Enter', 'Tab'])(
    'on the scan page a code with %s is scanned, wherever the focus is',
    async (end) => {
      const { page } = await at.signedIn({ role: 'operator', path: '/scanner' });
      const places = [
        page.getByRole('textbox', { name: 'Ticket code' }),
        page.getByRole('button', { name: 'Start camera' }),
        page.getByRole('searchbox', { name: 'Find a ticket' }),
      ];
      for (const place of places) {
        const code = await at.service.mint();
        await place.focus();
        await scanByKeys(page, code, end);
        await page
          .locator('.result.good')
          .getByText(code.split('.')[1]?.slice(-5) ?? '')
          .waitFor();
        expect((await at.service.store.findTicket(idOf(code)))?.usesConsumed).toBe(1);
      }
      expect(await page.getByRole('searchbox', { name: 'Find a ticket' }).inputValue()).toBe('');
      expect(new URL(page.url()).pathname).toBe('/scanner');
    },
  );

  test('in the dialogue that cancels a ticket it presses nothing, and the page says that a code was scanned', async () => {
    const { page } = await at.signedIn({ role: 'operator' });
    const id = idOf(await at.service.mint());
    await page.goto(`/tickets/${id}`);
    const dialog = page.getByRole('dialog');
    for (const focused of ['Keep ticket', 'Cancel ticket']) {
      await page.getByRole('button', { name: 'Cancel ticket' }).click();
      await dialog.getByRole('button', { name: focused }).focus();
      await scanByKeys(page, await at.service.mint());
      await stray(page).waitFor();
      expect(await dialog.count()).toBe(1);
      expect((await at.service.store.findTicket(id))?.cancelledAt).toBeNull();
      await page.getByRole('button', { name: 'Stay here' }).click();
      await dialog.getByRole('button', { name: 'Keep ticket' }).click();
    }
  });

  test('in a list of choices it chooses nothing', async () => {
    await at.service.administration.events.create('Tuesday pool');
    const { page } = await at.signedIn({ role: 'operator', path: '/tickets' });
    const list = page.getByLabel('Event', { exact: true });
    await list.locator('option', { hasText: 'Tuesday pool' }).waitFor({ state: 'attached' });
    await list.focus();
    await page.keyboard.press('T');
    const chosenByHand = await list.inputValue();
    expect(chosenByHand).not.toBe('');
    await page.keyboard.press('Home');
    const before = await list.inputValue();
    await scanByKeys(page, await at.service.mint());
    await stray(page).waitFor();
    expect(await list.inputValue()).toBe(before);
  });

  test('a dangerous dialogue begins on the harmless button, and gives the focus back', async () => {
    const { page } = await at.signedIn({ role: 'operator' });
    await page.goto(`/tickets/${idOf(await at.service.mint())}`);
    const opener = page.getByRole('button', { name: 'Cancel ticket' });
    await opener.click();
    const hasFocus = (name: string) => document.activeElement?.textContent === name;
    await page.waitForFunction(hasFocus, 'Keep ticket');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(hasFocus, 'Cancel ticket');
  });

  test('in a field of another page it submits nothing and leaves nothing behind; the message leads to Scan', async () => {
    const { page } = await at.signedIn({ role: 'operator', path: '/tickets' });
    await page.getByRole('button', { name: 'Create tickets' }).click();
    const field = page.getByRole('dialog').getByLabel('Last name');
    await field.fill('Lovelace');
    await field.focus();
    await page.keyboard.press('End');
    await scanByKeys(page, await at.service.mint());
    await stray(page).waitFor();
    expect(await field.inputValue()).toBe('Lovelace');
    await page.getByRole('link', { name: 'Open Scan' }).click();
    await page.locator('.result.ready').waitFor();
    expect(await stray(page).count()).toBe(0);
  });
});
