import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, vi } from 'vitest';
import type { Role } from '../../../src/core/administrative-records.ts';
import { makeAccount, PASSWORD } from '../../admin/support/client.ts';
import { TestService, type TestServiceOptions } from '../../support/service.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env['CHROMIUM'] ?? PROGRAMS.find((path) => existsSync(path));

/** Why tests with a browser cannot run here; undefined when they can. */
export const noBrowser =
  program === undefined
    ? 'no Chromium on this machine: apt-get install chromium, or name one in CHROMIUM'
    : undefined;
if (noBrowser) console.warn(`Tests of the dashboard are skipped: ${noBrowser}.`);

// A browser on a busy machine is slow; how fast it is, these tests do not judge.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** @param args switches for Chromium, such as another camera */
export function startBrowser(...args: string[]): Promise<Browser> {
  // In a container Chromium has no sandbox of its own to build; it only ever opens our own pages here.
  return chromium.launch({
    ...(program !== undefined && { executablePath: program }),
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
  });
}

interface BrowserAndService {
  readonly browser: Browser;
  readonly service: TestService;
}

interface StartOptions extends TestServiceOptions {
  /** Switches for Chromium. */
  readonly args?: readonly string[];
}

/**
 * Starts a browser and a service before the tests of a file, and stops both after them.
 * @param onStarted takes them, and fills the store where the tests need that
 */
export function withBrowser(
  onStarted: (started: BrowserAndService) => void | Promise<void>,
  { args = [], ...options }: StartOptions = {},
): void {
  let browser: Browser | undefined;
  let service: TestService | undefined;
  beforeAll(async () => {
    [browser, service] = await Promise.all([startBrowser(...args), TestService.start(options)]);
    await onStarted({ browser, service });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });
}

/** A page in a browser profile of its own, with whatever went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, refusals of the security policy, requests to elsewhere. */
  readonly faults: string[];
}

/** Opens an empty page of the service. */
export async function openPage(
  browser: Browser,
  service: Pick<TestService, 'url'>,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: service.url,
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // Chromium notes every answer that is not 2xx; which ones may come, the test knows.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(message.text());
    }
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const own = origin === service.url || protocol === 'blob:' || protocol === 'data:';
    if (!own) faults.push(`a request to ${request.url()}`);
  });
  return { page, faults };
}

/** Opens a page and signs in as a new owner, as a person does. */
export async function openSignedIn(
  browser: Browser,
  service: TestService,
  options: BrowserContextOptions & { role?: Role } = {},
): Promise<WatchedPage> {
  const { role = 'owner', ...contextOptions } = options;
  const name = `${role} ${crypto.randomUUID().slice(0, 8)}`;
  await makeAccount(service, name, role);
  const watched = await openPage(browser, service, contextOptions);
  await watched.page.goto('/');
  await signIn(watched.page, name);
  return watched;
}

/** Fills the sign-in that is shown, in either language. */
export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: /^(Account|Konto)/ }).fill(name);
  await page.getByRole('textbox', { name: /^(Password|Passwort)/ }).fill(password);
  await page.locator('button[type=submit]').click();
  await page.locator('.shell').waitFor();
}
