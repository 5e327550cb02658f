import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Browser, type ElementHandle, launch } from 'puppeteer-core';

/** A page in a browser of one of the engines, which has a camera that shows nothing of use. */
export interface DrivenPage {
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Runs an expression in the page. @returns its value as JSON has it */
  run(script: string): Promise<unknown>;
  /** Types into the element that has this label, as a person does; `\n` is Enter. */
  type(label: string, text: string): Promise<void>;
  /** Presses the button or the link with this text. */
  press(text: string): Promise<void>;
  /** What the first element of this kind shows; undefined where there is none. */
  textOf(selector: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Run in the page: the field with a label, or what can be pressed with a text. */
const FIELD = `[...document.querySelectorAll('input')].find((one) =>
  [...one.labels].some((label) => label.textContent.startsWith(LABEL)))`;
const PRESSED = `[...document.querySelectorAll('button, a')].find((one) => one.textContent.trim() === LABEL)`;
const SHOWN = 'document.querySelector(LABEL)?.innerText';

const scriptOf = (script: string, label: string) =>
  script.replace('LABEL', () => JSON.stringify(label));

/** Firefox, by WebDriver BiDi. */
export async function openFirefox(): Promise<DrivenPage> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    extraPrefsFirefox: {
      'intl.accept_languages': 'en',
      'media.navigator.streams.fake': true,
      'media.navigator.permission.disabled': true,
    },
  });
  return drivenBy(browser);
}

export const CHROMIUM =
  ['chromium-headless-shell', 'chromium']
    .map((name) => `/usr/bin/${name}`)
    .find((path) => existsSync(path)) ?? '/usr/bin/chromium';

/** Chromium, by its own protocol. */
export async function openChromium(): Promise<DrivenPage> {
  const browser = await launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--lang=en'],
      ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    ],
  });
  return drivenBy(browser);
}

async function drivenBy(browser: Browser): Promise<DrivenPage> {
  const page = await browser.newPage();
  const elementOf = async (script: string, label: string) => {
    const handle = await page.waitForFunction(scriptOf(script, label));
    // It waits for something that is true, and both scripts find elements.
    return handle as ElementHandle<HTMLElement>;
  };
  return {
    open: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    run: (script) => page.evaluate(script),
    async type(label, text) {
      const field = await elementOf(FIELD, label);
      await field.type(text.replace(/\n$/, ''));
      if (text.endsWith('\n')) await field.press('Enter');
    },
    press: async (text) => (await elementOf(PRESSED, text)).click(),
    textOf: async (selector) =>
      (await page.evaluate(scriptOf(SHOWN, selector))) as string | undefined,
    close: () => browser.close(),
  };
}

const [MINI_BROWSER] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');
/** The name of an element in the answers of WebDriver (W3C). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const ENTER = '\ue007';

/** WebKit, which Safari is made of, by WebDriver and on a screen that nobody sees. */
export async function openWebKit(): Promise<DrivenPage> {
  const port = await freePort();
  const driver = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, LANG: 'en_GB.UTF-8', WEBKIT_DISABLE_COMPOSITING_MODE: '1' },
  });
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: each command of WebDriver answers a value of its own
    const { value }: { value: any } = (await answer.json()) as { value: any };
    if (!answer.ok) throw new Error(`WebDriver ${path}: ${value.message}`);
    return value;
  };
  await ready(driver, () => call('GET', '/status'));
  const media = ['--enable-media-stream=true', '--enable-mock-capture-devices=true'];
  const options = { binary: MINI_BROWSER, args: ['--automation', ...media] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  const { sessionId } = await call('POST', '/session', { capabilities });
  const at = `/session/${sessionId}`;
  const run = (script: string) =>
    call('POST', `${at}/execute/sync`, { script: `return ${script}`, args: [] });
  const elementOf = async (script: string, label: string): Promise<string> => {
    for (;;) {
      const found = await run(scriptOf(script, label));
      if (found) return `${at}/element/${found[ELEMENT]}`;
    }
  };
  return {
    open: (url) => call('POST', `${at}/url`, { url }),
    reload: () => call('POST', `${at}/refresh`, {}),
    run,
    async type(label, text) {
      const field = await elementOf(FIELD, label);
      await call('POST', `${field}/value`, { text: text.replace(/\n$/, ENTER) });
    },
    press: async (text) => call('POST', `${await elementOf(PRESSED, text)}/click`, {}),
    textOf: async (selector) => (await run(scriptOf(SHOWN, selector))) ?? undefined,
    async close() {
      await call('DELETE', at);
      // The screen and the driver are one group.
      if (driver.pid !== undefined) process.kill(-driver.pid);
      await once(driver, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Asks until the driver answers. @throws Error when it has ended */
async function ready(driver: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const isThere = await ask().then(
      () => true,
      () => false,
    );
    if (isThere) return;
    if (driver.exitCode !== null) throw new Error('WebKitWebDriver did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
