import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { makeAccount } from '../admin/support/client.ts';
import { isInstalled, PROXIES, startProxy } from '../support/proxies.ts';
import { TestService } from '../support/service.ts';
import { noBrowser, openPage, signIn, startBrowser } from './support/browser.ts';

/** As the manual of nginx shows it: the slash behind the upstream takes the path off on the way. */
const belowPath: typeof PROXIES.nginx.configuration = (...at) =>
  PROXIES.nginx
    .configuration(...at)
    .replace('location / {', 'location /svc/gate/ { proxy_set_header Host $http_host;')
    .replace('proxy_pass http://scan;', 'proxy_pass http://scan/;');

// Needs nginx besides the browser; `.ci/run` installs both.
describe.skipIf(noBrowser !== undefined || !isInstalled('nginx'))('below a path of nginx', () => {
  let browser: Browser;
  let service: TestService;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let root: string;
  beforeAll(async () => {
    browser = await startBrowser();
    service = await TestService.start();
    proxy = await startProxy('nginx', Number(new URL(service.url).port), belowPath);
    root = `http://127.0.0.1:${proxy.port}/svc/gate`;
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  async function openOwner(): Promise<{ page: Page; faults: string[] }> {
    const name = `owner ${crypto.randomUUID()}`;
    await makeAccount(service, name, 'owner');
    const watched = await openPage(browser, { url: new URL(root).origin });
    const outside = watched.faults;
    watched.page.on('request', (request) => {
      if (!request.url().startsWith(`${root}/`)) outside.push(`a request to ${request.url()}`);
    });
    await watched.page.goto(`${root}/`);
    await signIn(watched.page, name);
    return watched;
  }

  test('every page opens, by a click and by its address, and nothing is asked for outside the path', async () => {
    const { page, faults } = await openOwner();
    const links = new Set([`${root}/tickets/${(await service.mint()).split('.')[1]}`, `${root}/`]);
    // A set gives what is added while it is gone through: the pages below an entry are linked on its page.
    for (const link of links) {
      expect(link.startsWith(root)).toBe(true);
      await page.goto(link);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const found = page.locator('nav a');
      for (const href of await found.evaluateAll((all) => all.map((one) => String(one)))) {
        links.add(href);
      }
    }
    // Without the page of pairing, which nothing links.
    expect(links.size).toBe(PAGE_PATHS.length - 1);
    await page.getByRole('link', { name: 'Gates', exact: true }).click();
    await page.waitForURL(`${root}/gates`);
    expect(faults).toEqual([]);
  });

  test('an address that leads nowhere has a page with the way back', async () => {
    const { page, faults } = await openOwner();
    for (const path of ['/nothing', '/no/such/page?of=ours']) {
      expect((await page.goto(root + path))?.status()).toBe(404);
      expect(await page.evaluate(() => document.styleSheets[0]?.cssRules.length)).toBeGreaterThan(
        5,
      );
      await page.getByRole('link', { name: 'Go to the start page' }).click();
      await page.waitForURL(`${root}/`);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
    expect(faults).toEqual([]);
  });

  test('a new hardware key shows URLs with the path, and a device reaches the service under them', async () => {
    const { page, faults } = await openOwner();
    await page.goto(`${root}/gates`);
    await page.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('Gate');
    await form.getByLabel('Hardware').check();
    await form.getByRole('button', { name: 'Create' }).click();
    const url = await form.getByLabel('Card URL', { exact: true }).inputValue();
    expect(url.startsWith(`${root}/scan/hw/consume?key=tscn_hw_`)).toBe(true);
    await page.getByText('Only this machine can reach this address').waitFor();
    const Card = Buffer.from(await service.mint()).toString('base64');
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ Card, Serial: '1' }),
    });
    expect(await response.json()).toMatchObject({ AcsRes: '1' });
    expect(faults).toEqual([]);
  });

  test('the scan page scans, and the settings lead to the description of the API', async () => {
    const { page, faults } = await openOwner();
    await page.goto(`${root}/scanner`);
    await page.getByRole('textbox', { name: 'Ticket code' }).waitFor();
    await page.keyboard.type(await service.mint());
    await page.keyboard.press('Enter');
    await page.locator('.result').getByText('ADMITTED').waitFor();

    await page.goto(`${root}/settings`);
    await page.getByRole('link', { name: 'API description (OpenAPI)' }).click();
    await page.waitForURL(`${root}/openapi.json`);
    expect(faults.filter((fault) => fault.startsWith('a request'))).toEqual([]);
  });
});
