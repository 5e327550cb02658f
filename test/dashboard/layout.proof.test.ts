import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { AdminClient, idOf } from '../admin/support/client.ts';
import type { TestService } from '../support/service.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { settle, typeQuickly } from './support/page-actions.ts';

const EVENTS = 7;
const TICKETS = 30;
const PHONE = { width: 390, height: 844 };
/** A phone that lies on its side. */
const LANDSCAPE = { width: 844, height: 390 };
/** A desk at 200 %. */
const ZOOMED = { width: 640, height: 400 };
const DESK = { width: 1280, height: 800 };
const ROWS_MIN = 6;
const TARGET_PX_MIN = 24;

let [ticketId, eventId] = ['', ''];

/** A season: events with exits, guests with long names, scans at several gates, admitted and denied. */
async function fill(service: TestService): Promise<void> {
  const owner = await AdminClient.signedIn(service);
  const readers = { 0: 'in', 1: 'out' };
  await owner.post('/keys', { name: 'Drehkreuz Süd', type: 'hardware', events: 'all', readers });
  for (let number = 1; number <= EVENTS; number += 1) {
    const name = `Freibad am Stadtpark, Sommersaison ${2020 + number}`;
    eventId = (await owner.post('/events', { name })).json.id;
  }
  for (let number = 0; number < TICKETS; number += 1) {
    const holder = { firstName: 'Hans-Joachim', lastName: `Müller-Lüdenscheidt ${number}` };
    const order = { event: eventId, type: 'multi', uses: 10, count: 1, holder };
    const [made] = (await owner.post('/tickets', order)).json.items;
    ticketId = made.ticketId;
    await service.card('consume', made.code, { Serial: `Eingang ${number % 6}` });
    if (number % 3 === 0) await service.rest('consume', 'FORGED-ONE');
  }
}

/** Runs in the page: how many rows are whole on the first screen. */
function rowsInSight(): number {
  const rows = [...document.querySelectorAll('table.data tbody tr')];
  return rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length;
}

/** Runs in the page: what can be pressed and is smaller than `least`; a link in a sentence is as high as its line (WCAG 2.5.8). */
function smallTargets(least: number): string[] {
  const pressed = 'button, select, input, a[href], [role=button], summary';
  return [...document.querySelectorAll<HTMLElement>(pressed)]
    .filter((one) => one.checkVisibility() && one.closest('p, .skip, .visually-hidden') === null)
    .filter((one) => {
      const label = one instanceof HTMLInputElement ? one.closest('label') : null;
      const { width, height } = (label ?? one).getBoundingClientRect();
      return width > 1 && Math.min(width, height) < least;
    })
    .map((one) => `${one.outerHTML.slice(0, 120)} ${one.getBoundingClientRect().height}`);
}

/** Runs in the page: fields whose text has no room. */
function cutFields(): string[] {
  return [...document.querySelectorAll<HTMLInputElement>('.filters :is(input, select)')]
    .filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      return one.scrollWidth > one.clientWidth || left < 0 || right > innerWidth;
    })
    .map(({ outerHTML }) => outerHTML);
}

interface Figure {
  readonly top: number;
  readonly size: string;
  readonly isCut: boolean;
}

/** Runs in the page: where the large numbers are, and how large. */
function figures(): Figure[] {
  return [...document.querySelectorAll<HTMLElement>('.totals .total')].map((tile) => {
    const number = tile.querySelector<HTMLElement>('dd');
    if (!number) throw new Error('a tile without a number');
    const text = number.querySelector('a')?.getBoundingClientRect();
    const { left, right } = tile.getBoundingClientRect();
    return {
      top: tile.getBoundingClientRect().top,
      size: getComputedStyle(number).fontSize,
      isCut: text === undefined || text.right > right || text.left < left,
    };
  });
}

/** The widths of screens: the narrowest that pages must suit (WCAG 1.4.10), common phones, and a tablet. */
const WIDTHS = [320, 360, 375, 390, 412, 480, 544, 640, 768];

/** Runs in the page: by how much it, or the answer on it, is wider than its place. */
function tooWideBy(): number[] {
  const places = [document.documentElement, ...document.querySelectorAll('.result')];
  return places.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
}

describe.skipIf(noBrowser)('pages of every size', () => {
  const at = withBrowser({ store: 'memory' }, fill);

  /** Opens the overview with as many scans as a large venue has. */
  async function overview(viewport: { width: number; height: number }): Promise<Page> {
    const watched = await at.signedIn({ viewport, path: '/log' });
    const { page } = watched;
    await page.route('**/statistics?minutes=60', async (route) => {
      // The page asks again and again, also when a test has just closed it.
      const response = await route.fetch().catch(() => undefined);
      const answer = await response?.json().catch(() => undefined);
      if (response === undefined || answer === undefined) return;
      await route.fulfill({
        response,
        json: {
          ...answer,
          today: { ...answer.today, admitted: 1_230_669, denied: 10_098 },
          devices: { online: 2, total: 6 },
        },
      });
    });
    await page.goto('/');
    await page.getByText('1,230,669').waitFor();
    await settle(watched);
    return page;
  }

  test.each([
    ['a desk', DESK],
    ['a desk at 200 %', ZOOMED],
    ['a phone', PHONE],
  ])(
    'on %s the overview has four numbers of one size, alarms first, whole, and nothing empty',
    async (_, viewport) => {
      const page = await overview(viewport);
      const found = await page.evaluate(figures);
      expect(found).toHaveLength(4);
      expect(new Set(found.map(({ top }) => Math.round(top))).size).toBe(
        viewport === PHONE ? 2 : 1,
      );
      expect(new Set(found.map(({ size }) => size)).size).toBe(1);
      expect(found.filter(({ isCut }) => isCut)).toEqual([]);
      expect(await page.locator('.total dt').first().innerText()).toBe('Devices online');
      expect(await page.locator('.total.bad').count()).toBe(1);
      const shares = await page.locator('.overview').evaluate((overview) => {
        const { width } = overview.getBoundingClientRect();
        const rows = new Map<number, number>();
        for (const panel of overview.children) {
          const { top, width: own } = panel.getBoundingClientRect();
          rows.set(Math.round(top), (rows.get(Math.round(top)) ?? 0) + own / width);
        }
        return [...rows.values()];
      });
      expect(shares.filter((share) => share < 0.9)).toEqual([]);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (viewport === PHONE) expect(height).toBeLessThanOrEqual(2 * PHONE.height);
    },
  );

  test.each(['/tickets', '/log', '/log/history'])(
    'a phone shows six rows of %s on its first screen',
    async (path) => {
      const watched = await at.signedIn({ viewport: PHONE, path });
      await watched.page.getByRole('row').nth(ROWS_MIN).waitFor();
      await settle(watched);
      expect(await watched.page.evaluate(rowsInSight)).toBeGreaterThanOrEqual(ROWS_MIN);
    },
  );

  test('on a phone everything that is pressed is at least 24 pixels large, and no filter is cut', async () => {
    const watched = await at.signedIn({ viewport: PHONE });
    const { page } = watched;
    const found: Record<string, string[]> = {};
    for (const path of PAGE_PATHS) {
      await page.goto(path.replace('events/:id', `events/${eventId}`).replace(':id', ticketId));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settle(watched);
      const opener = page.locator('.filter-opener');
      if (await opener.isVisible()) await opener.click();
      found[path] = [
        ...(await page.evaluate(smallTargets, TARGET_PX_MIN)),
        ...(await page.evaluate(cutFields)),
      ];
    }
    expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([]);
  });

  test('the live log says the day once', async () => {
    const watched = await at.signedIn({ path: '/log' });
    await watched.page.getByRole('row').nth(ROWS_MIN).waitFor();
    const times = await watched.page.locator('table.data time').allInnerTexts();
    expect(times.filter((time) => !/^\d\d:\d\d:\d\d$/u.test(time))).toEqual([]);
    await watched.page
      .locator('.live-bar')
      .getByText(/^\d+ \w{3} \d{4}$/u)
      .waitFor();
  });

  const CHOICES = {
    'en-GB': { options: 'Code and options', ask: 'Ask first', out: 'Way out' },
    'de-DE': { options: 'Code und Optionen', ask: 'Erst fragen', out: 'Ausgang' },
  };

  test.each(
    (['de-DE', 'en-GB'] as const).flatMap((locale) =>
      (['operator', 'scanner'] as const).map((role) => [locale, role] as const),
    ),
  )(
    'in %s, as %s, the scan page is on no screen too wide: at the entrance, with a mark, with a question, at the exit',
    async (locale, role) => {
      const owner = await AdminClient.signedIn(at.service);
      const holder = { firstName: 'Hans-Joachim', lastName: 'Müller-Lüdenscheidt' };
      const code = await at.service.mint({ kind: 'multi', uses: 9, ...holder });
      const marked = await at.service.mint({ kind: 'multi', uses: 9, ...holder });
      const note = 'Ermäßigt: nach dem Schwerbehindertenausweis fragen';
      await owner.patch(`/tickets/${idOf(marked)}`, { attention: true, note });
      const viewport = { width: 390, height: 844 };
      const { page } = await at.signedIn({ role, viewport, locale, path: '/scanner' });
      const words = CHOICES[locale];
      const found: string[] = [];
      const look = async (state: string) => {
        for (const width of WIDTHS) {
          await page.setViewportSize({ ...viewport, width });
          const wider = (await page.evaluate(tooWideBy)).filter((pixels) => pixels > 0);
          if (wider.length > 0) found.push(`${state}, ${width}: ${wider}`);
        }
        await page.setViewportSize(viewport);
      };
      const choose = async (mode: 'ask' | 'out') => {
        await page.getByRole('button', { name: words.options, exact: true }).click();
        await page.locator('.mode-choice').getByText(words[mode], { exact: true }).click();
        await look(`choices of ${mode}`);
      };
      await page.locator('.result.ready').waitFor();
      await look('ready');
      for (const [state, text] of [
        ['good', code],
        ['bad', 'no ticket'],
        ['good', marked],
      ] as const) {
        await typeQuickly(page, text);
        await page.locator(`.result.${state}`).waitFor();
        await look(text === marked ? 'marked' : state);
      }
      await page.locator('.held button').click();
      await choose('ask');
      await typeQuickly(page, marked);
      await page.locator('.result.question').waitFor();
      await look('question');
      await page.locator('.held button').last().click();
      await choose('out');
      for (const [state, text, word] of [
        ['good', code, /^(OUT|HINAUS)$/],
        ['good', code, /(person|Person) 2$/],
        ['uncounted', await at.service.mint(), /./],
      ] as const) {
        await typeQuickly(page, text);
        await page.locator(`.result.${state} .result-word`).getByText(word).waitFor();
        await look(`out, ${state}`);
      }
      expect(found).toEqual([]);
    },
  );

  test.each([
    ['en-GB', 'Let the guest in.'],
    ['de-DE', 'Lassen Sie den Gast ein.'],
  ])(
    'on a phone in landscape, in %s, an answer with all it says is on one screen',
    async (locale, next) => {
      const { page } = await at.signedIn({ viewport: LANDSCAPE, locale, path: '/scanner' });
      const code = await at.service.mint({
        kind: 'multi',
        uses: 9,
        firstName: 'Hans-Joachim',
        lastName: 'Müller-Lüdenscheidt',
      });
      await page.getByRole('textbox').last().fill(code);
      await page.keyboard.press('Enter');
      const step = page.locator('.result').getByText(next);
      await step.waitFor();
      await page.evaluate(() => scrollTo(0, 0));
      for (const part of [step, page.locator('.result-word'), page.locator('.result-of')]) {
        const box = await part.boundingBox();
        expect(box && box.y >= 0 && box.y + box.height <= LANDSCAPE.height).toBe(true);
      }
    },
  );
});
