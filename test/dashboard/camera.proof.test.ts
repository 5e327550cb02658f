import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { idOf } from '../admin/support/client.ts';
import { noBrowser, withCamera } from './support/browser.ts';

/** What the scripts below note in the page. */
declare global {
  var streams: MediaStream[];
  var letCameraGo: () => void;
  var locks: EventTarget[];
}

describe.skipIf(noBrowser)('the camera of the scan page', () => {
  const at = withCamera({ uses: 30, isInverted: true }, { store: 'memory' });

  const start = (page: Page) => page.getByRole('button', { name: 'Start camera' });
  const stop = (page: Page) => page.getByRole('button', { name: 'Stop camera' });

  /** @param before runs in the page before its own scripts */
  async function openDesk(before: () => void = () => undefined): Promise<Page> {
    const { page } = await at.signedIn({ role: 'operator', permissions: ['camera'] });
    await page.addInitScript(before);
    await page.goto('/scanner');
    await start(page).waitFor();
    return page;
  }

  /** Notes every stream that the page gets, and lets each wait until the test lets it go. */
  function holdCameras(): void {
    globalThis.streams = [];
    const { mediaDevices } = navigator;
    const get = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (wanted) => {
      const stream = await get(wanted);
      globalThis.streams.push(stream);
      await new Promise<void>((go) => {
        globalThis.letCameraGo = go;
      });
      return stream;
    };
  }

  const isAllOff = () =>
    globalThis.streams.length > 0 &&
    globalThis.streams.every((stream) =>
      stream.getTracks().every((track) => track.readyState === 'ended'),
    );

  test('a light code on a dark ground is read', async () => {
    const page = await openDesk();
    await start(page).click();
    await page.locator('.result').getByText('ADMITTED').waitFor();
    expect((await at.service.store.findTicket(idOf(at.filmed())))?.usesConsumed).toBe(1);
  });

  test('a card that lies there takes one use, whatever becomes of the camera meanwhile', async () => {
    const page = await openDesk();
    const uses = async () =>
      (await at.service.store.findTicket(idOf(at.filmed())))?.usesConsumed ?? 0;
    const before = await uses();
    const pictures = () =>
      page.locator('video').evaluate(async (video: HTMLVideoElement) => {
        const { currentTime } = video;
        while (video.currentTime < currentTime + 1) await new Promise(requestAnimationFrame);
      });
    const hide = (isHidden: boolean) => {
      Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    const goTo = (name: string) =>
      page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await start(page).click();
    await page.locator('.result').getByText('ADMITTED').waitFor();
    expect(await uses()).toBe(before + 1);

    await page.evaluate(hide, true);
    await page.evaluate(hide, false);
    await pictures();
    await stop(page).click();
    await start(page).click();
    await pictures();
    await goTo('Events');
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await goTo('Scan');
    await stop(page).waitFor();
    await pictures();
    await page.reload();
    await stop(page).waitFor();
    await pictures();
    expect(await uses()).toBe(before + 1);
  });

  test.each([
    ['NotAllowedError', 'The browser blocks the camera.'],
    ['NotFoundError', 'No camera was found.'],
    ['NotReadableError', 'The camera is in use by another program.'],
    ['TypeError', 'The camera does not start.'],
  ])('%s is told as "%s"', async (name, text) => {
    const page = await openDesk();
    await page.evaluate((error) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', error));
    }, name);
    await start(page).click();
    await page.getByRole('alert').getByText(text).waitFor();
    await start(page).waitFor();
  });

  test('a page that is left while the camera starts has none on', async () => {
    const page = await openDesk(holdCameras);
    await start(page).click();
    await page.waitForFunction(() => globalThis.letCameraGo !== undefined);
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.evaluate(() => globalThis.letCameraGo());
    await page.waitForFunction(isAllOff);
  });

  test('a camera that ends is told at once, and starts again when the page is seen again', async () => {
    const page = await openDesk();
    await start(page).click();
    await stop(page).waitFor();
    await page.locator('video').evaluate((video: HTMLVideoElement) => {
      const [track] = (video.srcObject as MediaStream).getVideoTracks();
      track?.dispatchEvent(new Event('ended'));
    });
    await page.getByRole('alert').getByText('The camera has stopped').waitFor();
    await start(page).waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await stop(page).waitFor();
    expect(await page.getByText('The camera has stopped').count()).toBe(0);
  });

  test('it is off while the page is hidden, and on again afterwards', async () => {
    const page = await openDesk();
    await start(page).click();
    await stop(page).waitFor();
    const hide = (isHidden: boolean) => {
      Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    await page.evaluate(hide, true);
    const source = (video: HTMLVideoElement) => video.srcObject === null;
    expect(await page.locator('video').evaluate(source)).toBe(true);
    await page.evaluate(hide, false);
    await stop(page).waitFor();
    expect(await page.locator('video').evaluate(source)).toBe(false);
  });

  test('the screen stays on while the camera is, and the camera starts again after a reload', async () => {
    const page = await openDesk(() => {
      globalThis.locks = [];
      const request = navigator.wakeLock.request.bind(navigator.wakeLock);
      navigator.wakeLock.request = async (kind) => {
        const lock = await request(kind).catch(() => new EventTarget() as WakeLockSentinel);
        lock.release ??= async () => undefined;
        globalThis.locks.push(lock);
        return lock;
      };
    });
    expect(await page.evaluate(() => globalThis.locks.length)).toBe(0);
    await start(page).click();
    await page.waitForFunction(() => globalThis.locks.length === 1);
    await page.reload();
    await stop(page).waitFor();
    await page.waitForFunction(() => globalThis.locks.length === 1);
    await stop(page).click();
    await page.reload();
    await start(page).waitFor();
  });
});

describe.skipIf(noBrowser)('two tickets before the camera', () => {
  const at = withCamera({ uses: 3, isCrowded: true }, { store: 'memory' });

  test.each([
    ['en-GB', 'Show one ticket alone'],
    ['de-DE', 'Nur ein Ticket zeigen'],
  ])(
    'in %s: none is scanned, and "%s" stands there in place of a green answer',
    async (locale, text) => {
      const { page } = await at.signedIn({ permissions: ['camera'], path: '/scanner', locale });
      const other = await at.service.mint();
      await page.getByRole('textbox').last().fill(other);
      await page.keyboard.press('Enter');
      await page.locator('.result.good').waitFor();
      await page.getByRole('button', { name: /^(Start camera|Kamera starten)$/u }).click();
      await page.locator('.result').getByText(text).waitFor();
      expect(await page.locator('.result.good').count()).toBe(0);
      // Two more pictures are looked at, and still none is scanned.
      await page.locator('video').evaluate(async (video: HTMLVideoElement) => {
        const { currentTime } = video;
        while (video.currentTime < currentTime + 1) await new Promise(requestAnimationFrame);
      });
      expect((await at.service.store.findTicket(idOf(at.filmed())))?.usesConsumed).toBe(0);
      // Whoever could not be read walks away before a screen that is not green.
      await page.getByRole('button', { name: /^(Stop camera|Kamera stoppen)$/u }).click();
      await page
        .locator('.result.ready')
        .getByText(/ADMITTED|EINLASS/u)
        .waitFor();
      expect(await page.locator('.result.good').count()).toBe(0);
    },
  );
});
