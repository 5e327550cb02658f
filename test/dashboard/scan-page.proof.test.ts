import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, startBrowser } from './support/browser.ts';
import { writeFilm } from './support/film.ts';

describe.skipIf(noBrowser)('the scan page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-film-'));
  let service: TestService;
  let browser: Browser;
  let filmed: string;

  beforeAll(async () => {
    service = await TestService.start();
    filmed = await service.mint({ kind: 'multi', uses: 5 });
    writeFilm(join(folder, 'camera.y4m'), filmed);
    browser = await startBrowser(
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${join(folder, 'camera.y4m')}`,
    );
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A phone with the scan page open and its key entered. */
  async function openDesk(desk = service): Promise<{ page: Page; faults: string[] }> {
    const watched = await openSignedIn(browser, desk, {
      role: 'viewer',
      viewport: { width: 360, height: 740 },
      permissions: ['camera'],
    });
    await watched.page.goto('/scanner');
    await watched.page.getByRole('textbox', { name: 'API key' }).fill(desk.key('rest'));
    await watched.page.getByRole('button', { name: 'Use this key' }).click();
    return watched;
  }

  /** Types a code, as on a phone whose camera does not read it. */
  async function type(page: Page, code: string): Promise<void> {
    await page.getByRole('button', { name: 'Code and options' }).click();
    await page.getByRole('textbox', { name: 'Ticket code' }).fill(code);
    await page.getByRole('button', { name: 'Scan', exact: true }).click();
  }

  test.each([
    { width: 390, height: 844 },
    { width: 360, height: 640 },
  ])(
    'on a phone of $width by $height the answer lies over the picture, takes half of the screen, and nothing moves',
    async (viewport) => {
      const { page, faults } = await openSignedIn(browser, service, {
        viewport,
        permissions: ['camera'],
      });
      await page.goto('/scanner');
      const field = page.getByRole('textbox', { name: 'Ticket code' });
      const boxOf = async (selector: string) => {
        const box = await page.locator(selector).boundingBox();
        if (!box) throw new Error(`${selector} is not shown`);
        return box;
      };
      const before = await boxOf('.stage');
      expect(await field.isVisible()).toBe(false);
      await page.route('**/scans', (route) => route.abort(), { times: 1 });
      await page.getByRole('button', { name: 'Start camera' }).click();
      await page.locator('.result.unknown').waitFor();
      const picture = await boxOf('video');
      const answer = await boxOf('.result');
      expect(await boxOf('.stage')).toEqual(before);
      expect(picture.y + picture.height).toBeLessThanOrEqual(viewport.height);
      expect(answer.height).toBeGreaterThanOrEqual(viewport.height / 2);
      expect(answer.y).toBeGreaterThan(picture.y + 50);
      expect(answer.y + answer.height).toBeLessThanOrEqual(picture.y + picture.height + 1);

      await type(page, await service.mint());
      await page.locator('.result.good').waitFor();
      expect(await field.isVisible()).toBe(false);
      expect(await boxOf('video')).toEqual(picture);
      expect(await boxOf('.result')).toEqual(answer);
      await page.getByRole('button', { name: 'Stop camera' }).click();
      expect(await boxOf('.stage')).toEqual(before);
      expect(faults).toEqual([]);
    },
  );

  test('on a desk what is below the answer keeps its place', async () => {
    const { page } = await openSignedIn(browser, service);
    await page.goto('/scanner');
    const field = page.getByRole('textbox', { name: 'Ticket code' });
    const before = await field.boundingBox();
    const code = await service.mint({ firstName: 'Ada', lastName: 'Lovelace' });
    for (const look of ['good', 'bad']) {
      await field.fill(code);
      await page.getByRole('button', { name: 'Scan', exact: true }).click();
      await page.locator(`.result.${look}`).waitFor();
      expect(await field.boundingBox()).toEqual(before);
    }
  });

  test('the camera reads a ticket, and counts it once however long it is held there', async () => {
    const { page, faults } = await openDesk();
    const decoders: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('find-code-worker')) decoders.push(request.url());
    });
    await page.getByRole('button', { name: 'Start camera' }).click();
    await page.locator('.result').getByText('ADMITTED').waitFor();
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 2);

    const id = filmed.split('.')[1] ?? '';
    expect((await service.store.findTicket(id))?.usesConsumed).toBe(1);
    await page.getByRole('button', { name: 'Stop camera' }).click();
    expect(
      await page.locator('video').evaluate((video) => (video as HTMLVideoElement).srcObject),
    ).toBeNull();
    // It is large, and those with a hand scanner never need it.
    expect(decoders).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test.each(['en-GB', 'de-DE'])(
    '%s: beside the picture, the answer stays in its box',
    async (locale) => {
      const { page } = await openSignedIn(browser, service, { locale, permissions: ['camera'] });
      await page.goto('/scanner');
      await page.getByRole('button', { name: /^(Start camera|Kamera starten)$/ }).click();
      await page.locator('.result:not(.ready)').waitFor();
      await page.getByRole('textbox', { name: /^Ticket ?code$/ }).fill('no ticket');
      await page.getByRole('button', { name: /^(Scan|Scannen)$/ }).click();
      await page.locator('.result.bad').waitFor();
      const overflows = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
      expect(await page.locator('.result').evaluate(overflows)).toBe(false);
    },
  );

  test('after a 429 it shows that it waits, and asks again by itself; one use is taken', async () => {
    await using slow = await TestService.start({ limits: { ratePerSecond: 1, burst: 1 } });
    const { page } = await openDesk(slow);
    const code = await slow.mint({ kind: 'multi', uses: 5 });
    const scan = () => type(page, code);
    const usesTaken = async () =>
      (await slow.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed;
    await scan();
    await page.locator('.result').getByText('ADMITTED').waitFor();
    expect(await usesTaken()).toBe(1);

    await scan();
    await page.locator('.result').getByText('WAIT', { exact: true }).waitFor();
    expect(await page.getByText('NO ANSWER').count()).toBe(0);
    expect(await usesTaken()).toBe(1);
    slow.clock.advance(10_000);
    await page.locator('.result').getByText('ADMITTED').waitFor();
    await page.locator('.result').getByText('3 uses left').waitFor();
    expect(await usesTaken()).toBe(2);

    await scan();
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.locator('.result').getByText('NOT SCANNED').waitFor();
    await page.locator('.result').getByText('No use was taken').waitFor();
    expect(await usesTaken()).toBe(2);
    slow.clock.advance(10_000);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.result').getByText('2 uses left').waitFor();
  });

  test('a key whose month is used up is told at once, not waited for', async () => {
    await using spent = await TestService.start({
      limits: { quotaPerMonth: 3 },
      ticketsPerState: 0,
    });
    const { page } = await openDesk(spent);
    const code = await spent.mint({ kind: 'permanent' });
    for (let scans = 0; scans < 3; scans += 1) await spent.rest('validate', code);
    await type(page, code);
    await page.locator('.result').getByText('NOT SCANNED').waitFor();
  });

  test('a hand scanner types anywhere on the page; the answer is announced', async () => {
    const { page } = await openDesk();
    await page.getByRole('heading', { name: 'Scan', exact: true }).click();
    await page.locator(':focus').evaluate((element) => (element as HTMLElement).blur());
    await page.keyboard.type(await service.mint());
    await page.keyboard.press('Enter');
    const announced = page.locator('.result [role=status][aria-live=assertive]');
    await announced.getByText('ADMITTED').waitFor();

    await page.getByRole('button', { name: 'Code and options' }).click();
    await page.getByText('Only check').click();
    await page.getByRole('button', { name: 'Close options' }).click();
    await page.keyboard.type('TS1.tkt_forged_by_hand.AAAA');
    await page.keyboard.press('Enter');
    await announced.getByText('DENIED').waitFor();
    await announced.getByText('Not a valid code').waitFor();
  });

  test('when no answer comes it says so, and another attempt counts the use once', async () => {
    const { page } = await openDesk();
    const code = await service.mint({ kind: 'multi', uses: 5 });
    // The server registers the use, but its answer is lost on the way.
    await page.route(
      '**/scan/consume',
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await type(page, code);
    await page.locator('.result').getByText('NO ANSWER').waitFor();

    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.result').getByText('ADMITTED').waitFor();
    expect((await service.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed).toBe(1);
  });

  test('a key is kept in its tab only, and not taken when it is for hardware', async () => {
    const { page } = await openDesk();
    await page.reload();
    await page.getByRole('button', { name: 'Code and options' }).click();
    await page.getByRole('textbox', { name: 'Ticket code' }).waitFor();
    const other = await page.context().newPage();
    await other.goto('/scanner');
    await other.getByRole('textbox', { name: 'API key' }).fill(service.key('hardware'));
    await other.getByRole('button', { name: 'Use this key' }).click();
    await other.getByText('This is not an API key for own software').waitFor();

    await page.getByRole('button', { name: 'Remove key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});
