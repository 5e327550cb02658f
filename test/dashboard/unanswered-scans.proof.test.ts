import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { idOf, PASSWORD } from '../admin/support/client.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { scanByKeys } from './support/page-actions.ts';

const SCANS = '**/admin/v1/scans';

/** What something in between may answer with 200, and how the page names it. */
const ODD_ANSWERS: Record<string, readonly [body: string, why: string]> = {
  'an empty object': ['{}', 'not the result of a scan'],
  null: ['null', 'not the result of a scan'],
  'a list': ['[]', 'not the result of a scan'],
  'JSON of a portal': ['{"status":"ok","valid":"true"}', 'not the result of a scan'],
  'a grant with the status of a denial': [
    '{"valid":true,"status":"exhausted"}',
    'not the result of a scan',
  ],
  'a denial with the status of a grant': [
    '{"valid":false,"status":"consumed"}',
    'not the result of a scan',
  ],
  'a grant of no ticket': ['{"valid":true,"status":"consumed"}', 'not the result of a scan'],
  'a check in place of a use': [
    '{"valid":true,"status":"validated","ticketId":"ID"}',
    'not the result of a scan',
  ],
  'a grant of another ticket': [
    '{"valid":true,"status":"consumed","ticketId":"tkt_abcdef_0123456789abcdefghij"}',
    'names another ticket',
  ],
  'a denial of another ticket': [
    '{"valid":false,"status":"exhausted","ticketId":"tkt_abcdef_0123456789abcdefghij"}',
    'names another ticket',
  ],
  HTML: ['<p>Sign in to this network</p>', 'not the result of a scan'],
  nothing: ['', 'not the result of a scan'],
};

/** How the answer to a request that the server has decided is lost. */
const LOSSES: Record<string, (route: Route) => Promise<unknown>> = {
  'the connection is reset': async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  },
  'a proxy answers 502': async (route) => {
    await route.fetch();
    await route.fulfill({ status: 502, body: 'Bad Gateway' });
  },
  'the server answers 500': async (route) => {
    await route.fetch();
    await route.fulfill({ status: 500, json: { message: 'Internal Server Error' } });
  },
  'half of the answer comes': async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).slice(0, 20);
    await route.fulfill({ status: 200, contentType: 'application/json', body });
  },
};

/** The admin API has the ticket in a member of its own. */
function asAccount(body: string, id: string): string {
  const found = /"ticketId":"(?<id>\w+)"/u.exec(body)?.groups?.['id'];
  const ticketId = found === 'ID' ? id : found;
  return ticketId === undefined
    ? body
    : body.replace(/"ticketId":.*/u, `"ticket":{"ticketId":"${ticketId}"}}`);
}

describe.skipIf(noBrowser)('a ticket that is read again after NO ANSWER', () => {
  const at = withBrowser({ store: 'memory' });
  const DESK = { role: 'operator', path: '/scanner' } as const;
  const field = (page: Page) => page.getByRole('textbox', { name: 'Ticket code' });
  const uses = async (code: string) =>
    (await at.service.store.findTicket(idOf(code)))?.usesConsumed;
  /** @param count how the notice begins */
  const lost = (page: Page, count: string) =>
    page.getByRole('alert').getByText(`${count} no answer from before this page was loaded`);

  async function read(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await page.keyboard.press('Enter');
  }

  /** Reads it, and its answer is lost. */
  async function readAndLose(page: Page, text: string, loss = 'the connection is reset') {
    await page.route(SCANS, (route) => LOSSES[loss]?.(route), { times: 1 });
    await read(page, text);
    await page.locator('.result.unknown').getByText('NO ANSWER').waitFor();
  }

  test.each(Object.keys(LOSSES))('%s: it counts once, and the guest is let in', async (loss) => {
    const { page } = await at.signedIn(DESK);
    const code = await at.service.mint({ firstName: 'Anna', lastName: 'Green' });
    await readAndLose(page, code, loss);
    expect(await uses(code)).toBe(1);
    await readAndLose(page, code, loss);
    await page.locator('body').click();
    await scanByKeys(page, code);
    await page.locator('.result.good').getByText('Anna Green').waitFor();
    expect(await uses(code)).toBe(1);
    expect(await page.locator('.small-scans li').count()).toBe(1);
    expect(await page.getByRole('button', { name: /^Try again/u }).count()).toBe(0);
  });

  test('an answer with 200 that is no result of this scan is neither green nor a denial', async () => {
    const { page } = await at.signedIn(DESK);
    for (const withKey of [false, true]) {
      if (withKey) {
        await page.getByRole('button', { name: 'Scan with a key' }).click();
        await page.getByRole('textbox', { name: 'API key' }).fill(at.service.key('rest'));
        await page.getByRole('button', { name: 'Use this key' }).click();
      }
      for (const [body, why] of Object.values(ODD_ANSWERS)) {
        const code = await at.service.mint();
        const answer = (route: Route) =>
          route.fulfill({
            status: 200,
            contentType: 'application/json',
            body: withKey ? body.replace('ID', idOf(code)) : asAccount(body, idOf(code)),
          });
        await page.route(withKey ? '**/scan/consume' : SCANS, answer, { times: 1 });
        await read(page, code);
        const panel = page.locator('.result.unknown');
        await panel.getByText(idOf(code).slice(-5)).waitFor();
        await panel.getByText('NO ANSWER').waitFor();
        await panel.getByText(why).waitFor();
      }
    }
  });

  test('with another guest in between, with its identifier, and after a check', async () => {
    const { page } = await at.signedIn(DESK);
    const [card, other] = [
      await at.service.mint({ kind: 'multi', uses: 10 }),
      await at.service.mint({ firstName: 'Ben', lastName: 'Green' }),
    ];
    await readAndLose(page, card);
    await read(page, other);
    await page.locator('.result.good').getByText('Ben Green').waitFor();
    await readAndLose(page, idOf(card));
    await page.getByText('Only check').first().click();
    await read(page, card);
    await page.locator('.result.checked').getByText('VALID').waitFor();
    await page.getByText('Admit (consume)').first().click();
    await read(page, card);
    await page.locator('.result.good').getByText('ADMITTED').waitFor();
    expect(await uses(card)).toBe(1);
    await read(page, card);
    await page.locator('.result.good').getByText('8 uses left').waitFor();
    expect(await uses(card)).toBe(2);
  });

  test('with an API key', async () => {
    const { page } = await at.signedIn(DESK);
    await page.getByRole('button', { name: 'Scan with a key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).fill(at.service.key('rest'));
    await page.getByRole('button', { name: 'Use this key' }).click();
    const code = await at.service.mint();
    await page.route('**/scan/consume', LOSSES['the connection is reset'] as never, { times: 1 });
    await read(page, code);
    await page.locator('.result.unknown').getByText('NO ANSWER').waitFor();
    await read(page, code);
    await page.locator('.result.good').getByText('ADMITTED').waitFor();
    expect(await uses(code)).toBe(1);
  });

  test('after a reload the page says what was lost, on each page, and the ticket counts once', async () => {
    const { page } = await at.signedIn(DESK);
    const [anna, ben] = [await at.service.mint(), await at.service.mint()];
    // The server decides the first, and its answer never comes; the second waits behind it.
    const decided = new Promise<void>((resolve) => {
      void page.route(SCANS, (route) => void route.fetch().then(() => resolve()), { times: 1 });
    });
    await read(page, anna);
    await read(page, ben);
    await decided;
    expect(await uses(anna)).toBe(1);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await lost(page, '2 scans have').waitFor();
    for (const code of [anna, ben]) {
      await page.locator('.lost-scans').getByText(idOf(code).slice(-5)).waitFor();
    }
    await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
    await lost(page, '2 scans have').waitFor();
    await page.getByRole('link', { name: 'Open Scan' }).click();
    await read(page, anna);
    await page.locator('.result.good').getByText('ADMITTED').waitFor();
    await lost(page, '1 scan has').waitFor();
    await read(page, ben);
    await page.locator('.result.good').getByText(idOf(ben).slice(-5)).waitFor();
    expect(await lost(page, '').count()).toBe(0);
    expect([await uses(anna), await uses(ben)]).toEqual([1, 1]);
    await page.reload();
    await field(page).waitFor();
    expect(await lost(page, '').count()).toBe(0);
  });

  test('after a sign-out and a sign-in of the same account, and in another tab; nothing that is kept has a code in it', async () => {
    const { page } = await at.signedIn(DESK);
    const name = await page.locator('.account-box span').first().innerText();
    const [card, one] = [
      await at.service.mint({ kind: 'multi', uses: 10 }),
      await at.service.mint(),
    ];
    await readAndLose(page, one);
    await readAndLose(page, card);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Password').waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    );
    for (const code of [card, one]) {
      expect(kept).not.toContain(idOf(code).split('_')[2]?.slice(0, -5));
    }
    await page.getByLabel('Account').fill(name);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await lost(page, '2 scans have').waitFor();
    await page.goto('/scanner');
    await read(page, card);
    await page.locator('.result.good').getByText('9 uses left').waitFor();
    const tab = await page.context().newPage();
    await tab.goto('/scanner');
    await read(tab, one);
    await tab.locator('.result.good').getByText('ADMITTED').waitFor();
    expect([await uses(card), await uses(one)]).toEqual([1, 1]);
  });
});
