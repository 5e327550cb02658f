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
