import type { Locator, Page } from 'playwright-core';
import { readPng } from '../../../src/kit/pictures/png.ts';
import { readWithJsqr } from '../../../src/tickets/reading/find-codes.ts';
import type { WatchedPage } from './browser.ts';

const TABS_MAX = 60;

/** Presses the tab key until the button of this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const target = page.getByRole('button', { name, exact: true });
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way to "${name}" with the tab key`);
}

/** Opens the menu of a row or a card, and chooses what is called so. @param menu the whole name of its button */
export async function chooseInMenu(page: Page, menu: string, act: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: act, exact: true }).click();
}

/** What a camera reads from a screenshot. */
export function readQr(png: Buffer): string | undefined {
  return readWithJsqr(readPng(Buffer.from(png)));
}

/** Waits until every request is answered and shown, also those that an answer led to. */
export async function settle({ page, pending }: WatchedPage): Promise<void> {
  const frames = () =>
    new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  for (let quiet = 0; quiet < 2; ) {
    await page.evaluate(frames);
    quiet = pending.size === 0 ? quiet + 1 : 0;
  }
  await page.waitForFunction(() => document.querySelector('.state [aria-hidden]') === null);
}

/** Types a code as a hand scanner does. The keys come from the page itself: a busy machine would type as slowly as a person. */
export function typeQuickly(page: Page, code: string): Promise<void> {
  return page.evaluate(
    (keys) => {
      for (const key of keys)
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    },
    [...code, 'Enter'],
  );
}

/** What the page is told of the keys of a test. */
interface KeyTimes {
  keyGap?: number;
  keysAt?: number;
}

/** Lets keys come as far from each other as the test says, however busy the machine is; a second after those before. A page that is loaded anew forgets it. */
export async function setKeyGap(page: Page, milliseconds: number): Promise<void> {
  await page.evaluate((gap) => {
    const told = window as KeyTimes;
    const isFirst = told.keysAt === undefined;
    told.keyGap = gap;
    told.keysAt = (told.keysAt ?? performance.now()) + 1000;
    if (!isFirst) return;
    const times = new WeakMap<Event, number>();
    Object.defineProperty(Event.prototype, 'timeStamp', {
      get(this: Event) {
        const known = times.get(this);
        if (known !== undefined) return known;
        const { keysAt = 0, keyGap = 0 } = told;
        told.keysAt = this.type === 'keydown' ? keysAt + keyGap : keysAt;
        times.set(this, told.keysAt);
        return told.keysAt;
      },
    });
  }, milliseconds);
}

const QUICK_MS = 10;

/** Types a code as a hand scanner does, with real keys into what has the focus. */
export async function scanByKeys(page: Page, code: string, end = 'Enter'): Promise<void> {
  await setKeyGap(page, QUICK_MS);
  await page.keyboard.type(code);
  await page.keyboard.press(end);
}

/** Types a code on the scan page. */
export async function scanTyped(page: Page, code: string): Promise<void> {
  const field = page.getByRole('textbox', { name: /^Ticketcode|^Ticket code/ });
  await page.locator('.desk').waitFor();
  // On a phone it is behind a button.
  const options = page.getByRole('button', { name: /^Code (und Optionen|and options)/ });
  if (await options.isVisible()) await options.click();
  await field.fill(code);
  await page.keyboard.press('Enter');
}

/** The answer to the latest scan. */
export function result(page: Page): Locator {
  return page.locator('.result');
}
