import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { LIVE_ENTRIES_MAX } from '../../src/dashboard/components/scans.tsx';
import type { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';
import { CuttableProxy } from './support/cuttable-proxy.ts';

const SCANS_PER_SECOND = 200;
const SECONDS = 3;

describe.skipIf(noBrowser)('the live view', () => {
  let browser: Browser;
  let service: TestService;
  withBrowser(
    (started) => {
      ({ browser, service } = started);
    },
    { args: ['--js-flags=--expose-gc', '--enable-precise-memory-info'] },
  );

  test('with 200 scans a second it keeps the newest 200 and answers to the user', async () => {
    const { page, faults } = await openSignedIn(browser, service);
    await page.goto('/log');
    await page.locator('.live-state.open').waitFor();
    const code = await service.mint({ kind: 'permanent' });
    const rows = page.getByRole('table').getByRole('row');
    const first = await sizeDuring(page, () => scan(service, code));
    const later = await sizeDuring(page, () => scan(service, code));

    // The header is a row too.
    expect(await rows.count()).toBe(LIVE_ENTRIES_MAX + 1);
    expect(later.nodes).toBeLessThan(first.nodes * 1.1);
    expect(later.heapBytes).toBeLessThan(first.heapBytes + 8 * 1024 * 1024);
    const newest = await service.store.readLog({ limit: 1 });
    await page
      .getByRole('table')
      .locator(`time[datetime="${new Date(newest[0]?.at ?? 0).toISOString()}"]`)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.reload();
    await rows.nth(LIVE_ENTRIES_MAX).waitFor();
    expect(faults).toEqual([]);
  });

  test('a filter shows only what it names, and a break in the connection loses nothing', async () => {
    await using proxy = await CuttableProxy.start(service.url);
    const { page } = await openSignedIn(browser, service, { baseURL: proxy.url });
    await page.goto('/log');
    const filtered = page.waitForResponse(/live\?outcome=invalid_ticket/);
    await page.getByLabel('Outcome').selectOption('Not a valid code');
    await filtered;
    const table = page.getByRole('table');
    await service.rest('validate', await service.mint());
    await service.rest('validate', 'FORGED-ONE-and-some-more-characters');
    await table.getByText(/FORGED-ONE/).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);

    proxy.cut();
    await page.getByText('Connection lost').waitFor();
    await service.rest('validate', 'FORGED-TWO-and-some-more-characters');
    proxy.mend();
    await table.getByText(/FORGED-TWO/).waitFor();
    expect(await table.getByRole('row').count()).toBe(3);
  });

  test('the overview counts what the gates do, as it happens', async () => {
    const { page, faults } = await openSignedIn(browser, service);
    await page.goto('/');
    const total = page.locator('.total').filter({ hasText: 'Admitted today' }).locator('dd');
    const before = Number((await total.innerText()).replaceAll(/\D/g, ''));
    const code = await service.mint();
    await service.card('consume', code);
    await service.card('consume', code);
    await expect
      .poll(async () => Number((await total.innerText()).replaceAll(/\D/g, '')), {
        timeout: 10_000,
      })
      .toBe(before + 1);
    await page.getByRole('heading', { name: 'Latest scans' }).waitFor();
    await page.locator('.small-scans').getByText('Used up').first().waitFor();
    await page.reload();
    await page.locator('.small-scans').getByText('Used up').first().waitFor();
    await page
      .getByRole('img', { name: /^Scans per minute in the last hour: .*admitted/ })
      .waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('columnheader', { name: 'Denied' }).waitFor();
    expect(faults).toEqual([]);
  });
});

/** 200 scans a second for some seconds, evenly. */
async function scan(service: TestService, code: string): Promise<void> {
  const begun = performance.now();
  for (let sent = 0; sent < SCANS_PER_SECOND * SECONDS; sent += 10) {
    await Promise.all(Array.from({ length: 10 }, () => service.rest('consume', code)));
    const due = begun + ((sent + 10) * 1000) / SCANS_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
}

/** How large the page is after something has happened, rubbish collected. */
async function sizeDuring(page: Page, act: () => Promise<void>) {
  await act();
  await page.waitForFunction(
    (rows) => document.querySelectorAll('tbody tr').length >= rows,
    LIVE_ENTRIES_MAX,
  );
  return page.evaluate(() => {
    (globalThis as unknown as { gc: () => void }).gc();
    const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
    return { nodes: document.querySelectorAll('*').length, heapBytes: memory.usedJSHeapSize };
  });
}
