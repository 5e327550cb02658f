import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { idOf } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { PageProxy } from './support/page-proxy.ts';

/** Runs in the page: the addresses of all that the service worker keeps, and their contents. */
async function keptFiles(): Promise<[address: string, content: string][]> {
  const found: [string, string][] = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) {
      const answer = await cache.match(url);
      found.push([new URL(url).pathname, (await answer?.text()) ?? '']);
    }
  }
  return found;
}

describe.skipIf(noBrowser)('the page without a line', () => {
  let ticket = '';
  const at = withBrowser({ store: 'memory' }, async (service) => {
    ticket = idOf(await service.mint({ firstName: 'Ada', lastName: 'Lovelace' }));
  });

  /** A page at the proxy whose service worker is at work. */
  async function openAt(proxy: PageProxy, locale = 'en-GB'): Promise<Page> {
    const { page } = await at.signedIn({ locale });
    await page.goto(`${proxy.url}/tickets`);
    await page.getByText('Ada Lovelace').first().waitFor();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    return page;
  }

  test.each([
    ['en-GB', '', 'The server does not answer.'],
    ['de-DE', '/svc', 'Der Server antwortet nicht.'],
  ])(
    'in %s, below "%s": says so after a reload, and is there again with the line',
    async (locale, path, text) => {
      await using proxy = await PageProxy.start(at.service.url, path);
      const page = await openAt(proxy, locale);
      proxy.isCut = true;
      for (const place of ['/scanner', '/', '/log/history', `/tickets/${ticket}`]) {
        await page.goto(proxy.url + place);
        await page.getByRole('alert').getByText(text).waitFor();
        expect(await page.getByText('Ada Lovelace').count(), place).toBe(0);
      }
      proxy.isCut = false;
      // Nobody presses anything.
      await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    },
  );

  test.each([
    ['en-GB', 'Waiting for the server …'],
    ['de-DE', 'Warten auf den Server …'],
  ])(
    'in %s, a page that gets no answer says soon that it waits for the server',
    async (locale, text) => {
      const { page } = await at.signedIn({ locale });
      let answer: () => void = () => undefined;
      const isWanted = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route('**/sessions/current', async (route) => {
        await isWanted;
        await route.continue();
      });
      await page.goto('/tickets');
      await page.getByRole('status').getByText(text).waitFor();
      answer();
      await page.getByText('Ada Lovelace').first().waitFor();
    },
  );

  test('what is kept are files of the page alone: no answer of the API, nothing of a guest', async () => {
    await using proxy = await PageProxy.start(at.service.url);
    const page = await openAt(proxy);
    await page.goto(`${proxy.url}/tickets/${ticket}`);
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    const kept = await page.evaluate(keptFiles);
    expect(kept.length).toBeGreaterThan(5);
    for (const [address, content] of kept) {
      expect(address).toMatch(/^\/(?:assets\/[\w-]+\.(?:js|css|svg))?$|^\/log\/history$/u);
      expect(content).not.toContain('Lovelace');
      expect(content).not.toContain(ticket);
    }
    proxy.isCut = true;
    const asked = await page.evaluate(async (id) => {
      const paths = ['/admin/v1/tickets', `/admin/v1/tickets/${id}`, '/scan/validate', '/health'];
      return Promise.all(
        paths.map((path) =>
          fetch(path).then(
            (one) => one.status,
            () => 'none',
          ),
        ),
      );
    }, ticket);
    expect(new Set(asked)).toEqual(new Set(['none']));
    for (const path of ['/admin/v1/tickets/export?format=csv', '/no-such-page', '/tickets/a/b']) {
      await expect(page.goto(proxy.url + path), path).rejects.toThrow();
    }
  });

  test('a new version is there with its first load, and nothing of the old one is kept', async () => {
    await using proxy = await PageProxy.start(at.service.url);
    const page = await openAt(proxy);
    const before = await page.evaluate(() => caches.keys());
    expect(before).toHaveLength(1);
    const version = before[0]?.split(' ').at(-1) ?? '';
    proxy.change = (text) =>
      text
        .replace(version, 'newversion')
        .replace('</head>', '<meta name="version" content="new"></head>');
    await page.reload();
    expect(await page.locator('meta[name=version]').count()).toBe(1);
    await expect
      .poll(() => page.evaluate(() => caches.keys()), PATIENTLY)
      .toEqual([before[0]?.replace(version, 'newversion')]);
    proxy.isCut = true;
    await page.reload();
    await page.getByRole('alert').getByText('The server does not answer.').waitFor();
    expect(await page.locator('meta[name=version]').count()).toBe(1);
  });

  test('a proxy that finds no server behind it is no line; what the server itself says is shown', async () => {
    await using proxy = await PageProxy.start(at.service.url);
    const page = await openAt(proxy);
    proxy.status = 502;
    await page.goto(`${proxy.url}/scanner`);
    await page.getByRole('alert').waitFor();
    proxy.status = 404;
    await page.goto(`${proxy.url}/scanner`);
    await page.getByRole('heading', { name: 'proxy' }).waitFor();
  });

  test('it can be installed: manifest and icons are there, below a path too', async () => {
    await using proxy = await PageProxy.start(at.service.url, '/svc');
    const page = await openAt(proxy);
    const href = await page.locator('link[rel=manifest]').getAttribute('href');
    const manifest = new URL(href ?? '', page.url());
    const { icons, start_url, scope, display } = await (await fetch(manifest)).json();
    expect(new URL(start_url, manifest).href).toBe(`${proxy.url}/`);
    expect(new URL(scope, manifest).href).toBe(`${proxy.url}/`);
    expect(display).toBe('standalone');
    for (const { src, sizes, type } of icons) {
      const answer = await fetch(new URL(src, manifest));
      expect(answer.headers.get('content-type')).toBe(type);
      const png = Buffer.from(await answer.arrayBuffer());
      expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes);
    }
    expect(icons.map(({ sizes }: { sizes: string }) => sizes)).toContain('192x192');
    const session = await page.context().newCDPSession(page);
    const { errors } = await session.send('Page.getAppManifest');
    expect(errors).toEqual([]);
  });
});
