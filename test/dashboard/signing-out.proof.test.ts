import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { makeAccount, PASSWORD } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { noBrowser, openPage, signIn, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('a browser that keeps no cookie', () => {
  // Another name of this machine, over plain HTTP: browsers keep no Secure cookie of it.
  const at = withBrowser({
    store: 'memory',
    args: ['--host-resolver-rules=MAP gate.test 127.0.0.1'],
  });

  test.each([
    ['over plain HTTP', (url: string) => url.replace('127.0.0.1', 'gate.test'), /plain HTTP/u],
    ['with cookies off', (url: string) => url, /Allow cookies/u],
  ] as const)('%s: the right password says what is missing', async (_, addressOf, reason) => {
    const url = addressOf(at.service.url);
    const { page } = await openPage(at.browser, { url });
    const name = `owner ${reason.source}`;
    await makeAccount(at.service, name, 'owner');
    if (url === at.service.url) {
      await page.route('**/sessions', async (route) => {
        const response = await route.fetch();
        await page.context().clearCookies();
        await route.fulfill({ response, headers: { 'content-type': 'application/json' } });
      });
    }
    await page.goto('/');
    await page.getByRole('textbox', { name: 'Account' }).fill(name);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.locator('button[type=submit]').click();
    await page.getByRole('alert').getByText(reason).waitFor();
  });
});

/** Runs in the page: everything of a tab that can have a text. */
async function whatIsLeft(): Promise<Record<string, string>> {
  const cached: string[] = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const answer = await cache.match(request);
      cached.push(request.url, (await answer?.text()) ?? '');
    }
  }
  return {
    document: encodeURIComponent(document.documentElement.outerHTML),
    address: location.href,
    state: encodeURIComponent(JSON.stringify(history.state)),
    name: encodeURIComponent(window.name),
    live: encodeURIComponent(
      [...document.querySelectorAll('[aria-live], [role=status], [role=alert]')]
        .map(({ textContent }) => textContent)
        .join('\n'),
    ),
    local: encodeURIComponent(JSON.stringify(localStorage)),
    session: encodeURIComponent(JSON.stringify(sessionStorage)),
    databases: encodeURIComponent(JSON.stringify(await indexedDB.databases())),
    cached: encodeURIComponent(cached.join('\n')),
  };
}

describe.skipIf(noBrowser)('the end of a session', () => {
  const at = withBrowser({ store: 'memory' }, (service) =>
    service.mint({ firstName: 'Ada', lastName: 'Lovelace' }),
  );

  const PAGES = ['/', '/tickets', '/log/history', '/events', '/gates', '/accounts'];
  const signedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in' });

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Sign out' }).click();
  }

  test('it is seen at once in every tab, on every page; nothing of it is left, and Back shows nothing', async () => {
    const { page } = await at.signedIn({ path: '/tickets' });
    await page.getByText('Ada Lovelace').first().waitFor();
    const others: Page[] = [];
    for (const path of PAGES) {
      const other = await page.context().newPage();
      await other.goto(path);
      await other.locator('.shell').waitFor();
      others.push(other);
    }
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await signOut(page);
    for (const tab of [page, ...others]) {
      await signedOut(tab).waitFor();
      expect(await tab.getByText('Ada Lovelace').count()).toBe(0);
      expect(await tab.locator('.shell').count()).toBe(0);
    }
    await page.goBack();
    await page.waitForURL(`${at.service.url}/`);
    await signedOut(page).waitFor();
    expect(await page.getByText('Ada Lovelace').count()).toBe(0);
    await page.goto('about:blank');
    await page.goBack();
    await signedOut(page).waitFor();
  });

  test('no tab names a guest any more: not in the title, the address, the history entry, or what it keeps', async () => {
    const { page } = await at.signedIn({ path: '/tickets' });
    await page.getByText('Ada Lovelace').first().click();
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    const searching = await page.context().newPage();
    await searching.goto('/tickets?search=Lovelace');
    await searching.getByText('Ada Lovelace').first().waitFor();
    const reading = await page.context().newPage();
    await reading.goto(new URL(page.url()).pathname);
    await reading.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    expect(await reading.title()).toContain('Ada Lovelace');

    await signOut(page);
    for (const tab of [page, searching, reading]) {
      await signedOut(tab).waitFor();
      const left = await tab.evaluate(whatIsLeft);
      for (const [place, text] of Object.entries(left))
        expect(decodeURIComponent(text), place).not.toMatch(/Ada|Lovelace/u);
      expect(await tab.locator('head title').allTextContents()).toEqual(['Sign in · ticketscan']);
      expect(await tab.title()).toBe('Sign in · ticketscan');
    }
  });

  test('without a line it says that nobody is signed out', async () => {
    const { page } = await at.signedIn({ path: '/tickets' });
    // All parts of the page are there.
    await page.getByText('Ada Lovelace').first().waitFor();
    await page.context().setOffline(true);
    await signOut(page);
    await page.getByRole('alert').getByText('Not signed out').waitFor();
    expect(await signedOut(page).count()).toBe(0);
    await page.context().setOffline(false);
    await signOut(page);
    await signedOut(page).waitFor();
  });

  test('a session that the server has ended is gone from every tab with the first 401', async () => {
    const { page } = await at.signedIn({ path: '/tickets' });
    const other = await page.context().newPage();
    await other.goto('/tickets');
    await other.getByText('Ada Lovelace').first().waitFor();
    await page.evaluate(() =>
      fetch('/admin/v1/sessions/current', { method: 'DELETE' }).then(() => undefined),
    );
    await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).click();
    await signedOut(page).waitFor();
    await signedOut(other).waitFor();
    expect(await other.getByText('Ada Lovelace').count()).toBe(0);
  });

  test('when another account signs in, no tab keeps the account before or its scan key', async () => {
    const { page } = await openPage(at.browser, at.service);
    await makeAccount(at.service, 'first viewer', 'viewer');
    await makeAccount(at.service, 'second viewer', 'viewer');
    await page.goto('/scanner');
    await signIn(page, 'first viewer');
    const enter = async (tab: Page) => {
      await tab.getByRole('textbox', { name: 'API key' }).fill(at.service.key('rest'));
      await tab.getByRole('button', { name: 'Use this key' }).click();
      await tab.getByText('Scans with an API key.').waitFor();
    };
    await enter(page);
    const other = await page.context().newPage();
    await other.goto('/scanner');
    await enter(other);

    await signOut(page);
    await signIn(page, 'second viewer');
    for (const tab of [page, other]) {
      await tab.locator('.account-box').getByText('second viewer').waitFor();
      await tab.getByRole('navigation').getByRole('link', { name: 'Scan', exact: true }).click();
      await tab.getByRole('textbox', { name: 'API key' }).waitFor();
      expect(await tab.getByText('first viewer').count()).toBe(0);
      expect(await tab.evaluate(() => sessionStorage.length)).toBe(0);
    }
  });

  const [FIRST, SECOND] = ['first operator', 'second operator'];

  /** Opens the page of a guest as the first of two accounts, and a search for the guest in another tab. */
  async function atGuest(): Promise<readonly [guest: Page, search: Page]> {
    const { page } = await openPage(at.browser, at.service);
    await page.goto('/tickets');
    await signIn(page, FIRST);
    const search = await page.context().newPage();
    await search.goto('/tickets?search=Lovelace');
    await search.getByText('Ada Lovelace').first().waitFor();
    await page.getByText('Ada Lovelace').first().click();
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    return [page, search];
  }

  const addressOf = (page: Page) => page.url().replace(at.service.url, '');

  test('after a sign-out the next person begins at the start page, in every tab, and Back leads to no guest before', async () => {
    for (const name of [FIRST, SECOND]) await makeAccount(at.service, name, 'operator');
    const tabs = await atGuest();
    const [page] = tabs;
    await signOut(page);
    for (const tab of tabs) {
      await signedOut(tab).waitFor();
      expect(addressOf(tab)).toBe('/');
    }
    await page.goBack();
    await expect.poll(() => addressOf(page), PATIENTLY).toBe('/');
    expect(await page.getByRole('textbox', { name: 'Account' }).inputValue()).toBe('');
    await signIn(page, SECOND);
    for (const tab of tabs) {
      await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(addressOf(tab)).toBe('/');
      expect(await tab.getByRole('searchbox', { name: 'Find a ticket' }).inputValue()).toBe('');
    }
  });

  test.each([
    ['the same account goes on where it was', FIRST],
    ['another account begins at the start page', SECOND],
  ])('after a session that the server has ended, %s', async (_, name) => {
    const [page, search] = await atGuest();
    const guest = addressOf(page);
    expect(guest).toMatch(/^\/tickets\/tkt_/u);
    await page.evaluate(() =>
      fetch('/admin/v1/sessions/current', { method: 'DELETE' }).then(() => undefined),
    );
    await search.reload();
    for (const tab of [page, search]) await signedOut(tab).waitFor();
    await signIn(page, name);
    const heading = name === FIRST ? 'Ada Lovelace' : 'Overview';
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(addressOf(page)).toBe(name === FIRST ? guest : '/');
  });

  test('no browser keeps what was searched for, to offer it to the next person', async () => {
    const { page } = await at.signedIn({ path: '/tickets' });
    await page.getByText('Ada Lovelace').first().waitFor();
    const searches = page.locator('input[type=search]');
    expect(await searches.count()).toBeGreaterThanOrEqual(2);
    for (const field of await searches.all())
      expect(await field.getAttribute('autocomplete')).toBe('off');
  });

  test('a scan key is of the account that entered it, also in a tab that was told nothing', async () => {
    const { page } = await at.signedIn({ role: 'viewer', path: '/scanner' });
    const key = at.service.key('rest');
    await page.evaluate(
      (value) => sessionStorage.setItem('ticketscan.scan-key', `acc_other ${value}`),
      key,
    );
    await page.reload();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
  });
});
