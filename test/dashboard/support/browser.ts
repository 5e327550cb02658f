import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Role } from '../../../src/core/administrative-records.ts';
import { AdminClient, PASSWORD } from '../../admin/support/client.ts';
import { TestService, type TestServiceOptions } from '../../support/service.ts';
import { type FilmOptions, writeFilm } from './film.ts';

/** The first is Chromium without its windows: it takes half of the processor time. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);
const program = process.env['CHROMIUM'] ?? PROGRAMS.find((path) => existsSync(path));

/** Why tests with a browser cannot run here; undefined when they can. */
export const noBrowser =
  program === undefined
    ? 'no Chromium on this machine: apt-get install chromium-headless-shell, or name one in CHROMIUM'
    : undefined;
if (noBrowser) console.warn(`Tests of the dashboard are skipped: ${noBrowser}.`);

/** @param args switches for Chromium, such as another camera */
export function startBrowser(...args: string[]): Promise<Browser> {
  // In a container Chromium has no sandbox of its own to build; it only ever opens our own pages here.
  return chromium.launch({
    ...(program !== undefined && { executablePath: program }),
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
  });
}

export interface BrowserAndService {
  browser: Browser;
  service: TestService;
  /** Opens a page as a new account that has signed in. */
  readonly signedIn: (options?: SignedInOptions) => Promise<WatchedPage>;
}

interface StartOptions extends TestServiceOptions {
  /** Switches for Chromium. */
  readonly args?: readonly string[];
}

/**
 * One browser and one service for the tests of a file.
 * @param fill puts into the store what the tests need
 * @returns what has its values as soon as the first test begins
 */
export function withBrowser(
  { args = [], ...options }: StartOptions = {},
  fill: (service: TestService) => unknown = () => {},
): BrowserAndService {
  const shared: Partial<BrowserAndService> = {};
  beforeAll(async () => {
    const started = [startBrowser(...args), TestService.start(options)] as const;
    [shared.browser, shared.service] = await Promise.all(started);
    await fill(shared.service);
  });
  afterAll(async () => {
    await shared.browser?.close();
    await shared.service?.[Symbol.asyncDispose]();
  });
  const at = shared as BrowserAndService;
  return Object.assign(at, {
    signedIn: (options?: SignedInOptions) => openSignedIn(at.browser, at.service, options),
  });
}

/** A card that is held before the camera, and how it looks. */
interface FilmedCard extends Omit<FilmOptions, 'beside'> {
  readonly uses: number;
  /** Whether another card is held there too. */
  readonly isCrowded?: boolean;
}

/**
 * One browser and one service whose camera sees a card all the time.
 * @returns what `withBrowser` does, and the code of the card
 */
export function withCamera(
  { uses, isCrowded = false, ...film }: FilmedCard,
  options: Omit<StartOptions, 'args'> = {},
): BrowserAndService & { readonly filmed: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-film-'));
  const path = join(folder, 'camera.y4m');
  const args = [
    ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    `--use-file-for-fake-video-capture=${path}`,
  ];
  let filmed = '';
  const at = withBrowser({ ...options, args }, async (service) => {
    filmed = await service.mint({ kind: 'multi', uses });
    const beside = isCrowded ? { beside: await service.mint({ kind: 'multi', uses }) } : {};
    writeFilm(path, filmed, { ...film, ...beside });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return Object.assign(at, { filmed: () => filmed });
}

/** A page in a browser profile of its own, with whatever went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, refusals of the security policy, requests to elsewhere. */
  readonly faults: string[];
  /** Requests that have no answer yet, but for the live views, which have no end. */
  readonly pending: ReadonlySet<Request>;
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
  const pending = new Set<Request>();
  page.on('request', (request) => {
    if (!request.url().includes('/log/live')) pending.add(request);
  });
  page.on('requestfinished', (request) => void pending.delete(request));
  page.on('requestfailed', (request) => void pending.delete(request));
  return { page, faults, pending };
}

interface SignedInOptions extends BrowserContextOptions {
  readonly role?: Role;
  /** The page to open. */
  readonly path?: string;
}

/** Opens a page as a new account whose browser has signed in already. */
export async function openSignedIn(
  browser: Browser,
  service: TestService,
  { role = 'owner', path = '/', ...options }: SignedInOptions = {},
): Promise<WatchedPage> {
  const client = await AdminClient.signedIn(service, role);
  const watched = await openPage(browser, service, options);
  const [name = '', value = ''] = client.cookie?.split('=') ?? [];
  const { hostname: domain } = new URL(service.url);
  const flags = { httpOnly: true, sameSite: 'Strict' } as const;
  await watched.page.context().addCookies([{ name, value, domain, path: '/', ...flags }]);
  await watched.page.goto(path);
  await watched.page.locator('.shell').waitFor();
  return watched;
}

/** Fills the sign-in that is shown, in either language. */
export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: /^(Account|Konto)/ }).fill(name);
  await page.getByRole('textbox', { name: /^(Password|Passwort)/ }).fill(password);
  await page.locator('button[type=submit]').click();
  await page.locator('.shell').waitFor();
}
