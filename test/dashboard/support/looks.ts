import type { Page } from 'playwright-core';

const FOLDER = process.env['PICTURES'];

/** Takes a picture for somebody who looks at the page, where PICTURES names a folder. */
export async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  if (FOLDER) await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage });
}

/** The devices and settings with which staff look at the page. */
export const LOOKS = [
  ['desk', { viewport: { width: 1280, height: 800 }, locale: 'en-GB' }],
  ['dark', { viewport: { width: 1280, height: 800 }, locale: 'de-DE', colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 844 }, locale: 'de-DE' }],
  // A desk of 1280 pixels at 200 %.
  ['200 %', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, locale: 'de-DE' }],
] as const;
