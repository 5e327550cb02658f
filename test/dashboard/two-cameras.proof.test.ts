import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { noBrowser, withBrowser } from './support/browser.ts';

const SWITCHES = ['--use-fake-ui-for-media-stream'];

/** Runs in the page: the name of the camera that films. */
function filming(): string | undefined {
  const stream = document.querySelector('video')?.srcObject as MediaStream | null;
  return stream?.getVideoTracks()[0]?.label;
}

const choice = (page: Page, label = 'Camera') => page.getByRole('combobox', { name: label });
const start = (page: Page, name = 'Start camera') => page.getByRole('button', { name });

describe.skipIf(noBrowser)('a device with two cameras', () => {
  const fake = '--use-fake-device-for-media-stream=device-count=2';
  const at = withBrowser({ store: 'memory', args: [...SWITCHES, fake] });

  async function openDesk(locale = 'en-GB'): Promise<Page> {
    const { page } = await at.signedIn({
      role: 'operator',
      permissions: ['camera'],
      path: '/scanner',
      locale,
    });
    return page;
  }

  const isFilming = (page: Page, name: string) =>
    page.waitForFunction(
      (wanted) =>
        (document.querySelector('video')?.srcObject as MediaStream | null)?.getVideoTracks()[0]
          ?.label === wanted,
      name,
    );

  async function other(page: Page): Promise<string> {
    const names = await choice(page).locator('option').allTextContents();
    expect(names).toHaveLength(2);
    const used = await page.evaluate(filming);
    return names.find((name) => name !== used) ?? '';
  }

  test('it offers a choice as soon as one films, which holds after a reload and a sign-out', async () => {
    const page = await openDesk();
    await start(page).waitFor();
    expect(await choice(page).count()).toBe(0);
    await start(page).click();
    await choice(page).waitFor();
    const wanted = await other(page);
    await choice(page).selectOption({ label: wanted });
    await isFilming(page, wanted);
    expect(await choice(page).locator('option:checked').textContent()).toBe(wanted);
    await page.reload();
    await isFilming(page, wanted);
    await choice(page).waitFor();
    expect(await choice(page).locator('option:checked').textContent()).toBe(wanted);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('ticketscan.camera-device'))).toContain(
      wanted,
    );
  });

  test('one that is gone gives way to the one that is there, and is chosen again by its name', async () => {
    const page = await openDesk();
    await page.evaluate(() => localStorage.setItem('ticketscan.camera-device', 'gone\nUnplugged'));
    await page.reload();
    await start(page).click();
    await choice(page).waitFor();
    const [used = '', last = ''] = [await page.evaluate(filming), await other(page)];
    expect(await choice(page).locator('option:checked').textContent()).toBe(used);
    // Another identifier of the same camera, as after browser data were cleared.
    await page.evaluate(
      (name) => localStorage.setItem('ticketscan.camera-device', `another id\n${name}`),
      last,
    );
    await page.reload();
    await isFilming(page, last);
  });

  test('one that does not start leaves the choice of another', async () => {
    const page = await openDesk('de-DE');
    await page.addInitScript(() => {
      const { mediaDevices } = navigator;
      const get = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = async (wanted) => {
        const { deviceId } = (wanted?.video ?? {}) as MediaTrackConstraints;
        if (deviceId === undefined) throw new DOMException('', 'NotReadableError');
        return get(wanted);
      };
    });
    await page.reload();
    await start(page, 'Kamera starten').click();
    await page.getByRole('alert').getByText('Ein anderes Programm benutzt die Kamera').waitFor();
    await choice(page, 'Kamera').selectOption({ label: 'fake_device_1' });
    await isFilming(page, 'fake_device_1');
  });
});

describe.skipIf(noBrowser)('a device with one camera', () => {
  const at = withBrowser({
    store: 'memory',
    args: [...SWITCHES, '--use-fake-device-for-media-stream=device-count=1'],
  });

  test('it offers no choice', async () => {
    const { page } = await at.signedIn({
      role: 'operator',
      permissions: ['camera'],
      path: '/scanner',
    });
    await start(page).click();
    await page.getByRole('button', { name: 'Stop camera' }).waitFor();
    await page.waitForFunction(filming);
    expect(await choice(page).count()).toBe(0);
  });
});
