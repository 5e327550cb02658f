import { describe, expect, test } from 'vitest';
import { noteBackup } from '../../src/features/server/operations.ts';
import { DAY_MS } from '../../src/kit/durations.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('the last backup on the overview', () => {
  let started: Parameters<Parameters<typeof withBrowser>[0]>[0];
  withBrowser(
    (both) => {
      started = both;
    },
    { store: 'sqlite', ticketsPerState: 0 },
  );

  test.each([
    [
      'en-GB',
      'There is no backup of this server’s data yet.',
      /^Last backup: 9 days ago \(/,
      'new',
    ],
    ['de-DE', 'Von den Daten dieses Servers gibt es', /^Letzte Sicherung: vor 9 Tagen \(/, 'neue'],
  ])('%s: its age, and a warning when it is too old', async (locale, none, old, warning) => {
    const { browser, service } = started;
    await service.store.write({ deleted: [{ kind: 'backup', id: 'last' }], audit: [] });
    const { page, faults } = await openSignedIn(browser, service, { locale });
    const alert = page.getByRole('alert').filter({ hasText: warning });
    await page.getByText(none).waitFor();
    expect(await alert.count()).toBe(0);

    // The page tells ages by the clock of the browser.
    service.clock.nowMs = Date.now();
    await noteBackup(service.store, Date.now() - 9 * DAY_MS);
    const later = await openSignedIn(browser, service, { locale });
    await later.page.getByText(old).waitFor();
    expect(await later.page.getByText('ticketscan store backup').count()).toBe(1);
    expect(await later.page.getByRole('alert').filter({ hasText: warning }).count()).toBe(1);

    const viewer = await openSignedIn(browser, service, { locale, role: 'viewer' });
    await viewer.page.locator('.overview').waitFor();
    expect(await viewer.page.getByText(old).count()).toBe(0);
    expect([...faults, ...later.faults, ...viewer.faults]).toEqual([]);
  });
});
