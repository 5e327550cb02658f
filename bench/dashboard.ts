import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { type LongDay, serveLongDay } from './lib/long-day.ts';
import { type PageWork, takeWork, watchPage } from './lib/page-watch.ts';

/**
 * The dashboard in Chromium on a store with many tickets and a long log: how long its lists are waited for, each below
 * 200 ms, and how long the page could not answer to the user. Needs a built dashboard.
 * Usage: node bench/dashboard.ts [TICKETS] [LOG ENTRIES] [FOLDER FOR SCREENSHOTS]
 */
const tickets = Number(process.argv[2] ?? 10_000);
const entries = Number(process.argv[3] ?? 1_000_000);
const shots = process.argv[4];
const LIMIT_MS = 200;
const LIVE_SCANS_PER_SECOND = 200;
const LIVE_SECONDS = 5;

await using day = await serveLongDay(tickets, entries);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const steps: PageWork[] = [];
try {
  const context = await browser.newContext({
    baseURL: day.url,
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
  });
  const page = await context.newPage();
  await watchPage(page);
  await signIn(page, day);
  await walk(page, day);
} finally {
  await browser.close();
}
const worst = (name: keyof PageWork) => Math.max(...steps.map((step) => step[name]));
console.log(
  `slowest answer: ${worst('slowestAnswerMs').toFixed(0)} ms of ${LIMIT_MS} ms; longest task ${worst('longestTaskMs').toFixed(0)} ms, longest wait between two frames ${worst('longestFrameMs').toFixed(0)} ms`,
);
if (worst('slowestAnswerMs') > LIMIT_MS) process.exitCode = 1;

async function signIn(page: Page, { account }: LongDay): Promise<void> {
  await page.goto('/');
  await page.getByRole('textbox', { name: 'Account' }).fill(account.name);
  await page.getByRole('textbox', { name: 'Password' }).fill(account.password);
  await page.locator('button[type=submit]').click();
  await page.locator('.shell').waitFor();
}

/** What a person at the desk does, one list after another. */
async function walk(page: Page, { ticket, apiKey, code, url }: LongDay): Promise<void> {
  const step = async (what: string, act: () => Promise<unknown>) => {
    await takeWork(page);
    await act();
    await tell(page, what);
  };
  const rows = page.locator('table.data tbody tr');
  const answered = (path: RegExp, act: () => Promise<unknown>) => async () => {
    const answer = page.waitForResponse(path);
    await act();
    await (await answer).finished();
    await rows.first().or(page.locator('.state')).first().waitFor();
  };
  const turn = (name: string) => page.getByRole('button', { name }).first().click();
  const open = (path: string) => async () => {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('load');
  };
  await step('overview', open('/'));
  await step('tickets', answered(/\/tickets\?/, open('/tickets')));
  await step(
    'tickets, next page',
    answered(/after=/, () => turn('Next page')),
  );
  const search = page.getByRole('searchbox', { name: 'Ticket id or holder' });
  await step(
    'tickets, search',
    answered(/search=Last/, () => search.fill('Last 9876')),
  );
  await step(
    'tickets, search nothing',
    answered(/search=nobody/, () => search.fill('nobody')),
  );
  await step('ticket', answered(/\/log\?/, open(`/tickets/${ticket}`)));
  await step('events', open('/events'));
  await step('keys', open('/gates'));
  await step('devices', open('/gates/devices'));
  await step('scan log, live', open('/log'));
  await step(`scan log, live, ${LIVE_SCANS_PER_SECOND} scans/s`, () =>
    scan(`${url}/scan/consume`, apiKey, code),
  );
  await step(
    'scan log, history',
    answered(/\/log\?/, () => page.getByRole('link', { name: 'History' }).click()),
  );
  await step(
    'scan log, next page',
    answered(/before=/, () => turn('Next page')),
  );
  await step(
    'scan log, next page',
    answered(/before=/, () => turn('Next page')),
  );
  const outcome = page.getByLabel('Outcome');
  await step(
    'scan log, denied',
    answered(/outcome=denied/, () => outcome.selectOption('denied')),
  );
  await step(
    'scan log, expired',
    answered(/=expired/, () => outcome.selectOption('expired')),
  );
  const further = () => turn('Search further back');
  await step('scan log, search further back', answered(/before=/, further));
  await outcome.selectOption('');
  const key = page.getByLabel('Key');
  await step(
    'scan log, by key',
    answered(/key=key/, () => key.selectOption('Till')),
  );
  await step('overview again', open('/'));
}

async function tell(page: Page, what: string): Promise<void> {
  const work = await takeWork(page);
  steps.push(work);
  const { answers, slowestAnswerMs, longestTaskMs, longestFrameMs } = work;
  const task = longestTaskMs === 0 ? 'below 50' : longestTaskMs.toFixed(0);
  console.log(
    `${what.padEnd(32)} ${answers} answers, slowest ${slowestAnswerMs.toFixed(0)} ms; longest task ${task} ms; longest frame ${longestFrameMs.toFixed(0)} ms`,
  );
  if (shots) await page.screenshot({ path: `${shots}/${what.replaceAll(/\W+/g, '-')}.png` });
}

/** Scans evenly for some seconds. */
async function scan(url: string, apiKey: string, code: string): Promise<void> {
  const begun = performance.now();
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ ticketCode: code });
  for (let sent = 0; sent < LIVE_SCANS_PER_SECOND * LIVE_SECONDS; sent += 10) {
    const answers = Array.from({ length: 10 }, async () => {
      const answer = await fetch(url, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`a scan was answered with ${answer.status}`);
      await answer.arrayBuffer();
    });
    await Promise.all(answers);
    const due = begun + ((sent + 10) * 1000) / LIVE_SCANS_PER_SECOND;
    await wait(Math.max(0, due - performance.now()));
  }
}
