import { readFileSync, statSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, startBrowser } from './support/browser.ts';

const FIRST_LOAD_BYTES_MAX = 400 * 1024;

test('the files that every page needs weigh less than 400 KB, compressed', () => {
  const page = readFileSync('dist/dashboard/index.html', 'utf8');
  const needed = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => `${path}.gz`);
  expect(needed.length).toBeGreaterThan(2);
  const bytes = ['index.html', ...needed]
    .map((path) => statSync(`dist/dashboard/${path}`).size)
    .reduce((sum, size) => sum + size);
  console.log(`gzip: ${bytes} bytes`);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
});

describe.skipIf(noBrowser)('in a browser', () => {
  let browser: Browser;
  let service: TestService;
  beforeAll(async () => {
    browser = await startBrowser();
    service = await TestService.start();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test('all that comes over the wire up to the overview weighs less than 400 KB', async () => {
    const { page } = await openSignedIn(browser, service);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .concat(performance.getEntriesByType('navigation'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0),
    );
    console.log(`over the wire: ${bytes} bytes`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  });
});
