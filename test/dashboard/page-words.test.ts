import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('what the page says', () => {
  let started: Parameters<Parameters<typeof withBrowser>[0]>[0];
  let service: TestService;
  withBrowser(
    (both) => {
      started = both;
    },
    { ticketsPerState: 0 },
  );
  beforeAll(() => {
    ({ service } = started);
  });
  const open = async (role: 'owner' | 'viewer', locale: string) =>
    (await openSignedIn(started.browser, service, { role, locale })).page;

  // First: there is no ticket yet.
  test.each([
    ['en-GB', 'No tickets yet.', 'Your role may not see this page: it takes the role Owner.'],
    [
      'de-DE',
      'Noch keine Tickets.',
      'Ihre Rolle darf diese Seite nicht sehen: Nötig ist die Rolle Administrator.',
    ],
  ])('%s: a viewer is offered nothing that only others may do', async (locale, none, accounts) => {
    const page = await open('viewer', locale);
    await page.goto('/tickets');
    await page.getByText(none, { exact: true }).waitFor();
    await page.goto('/accounts');
    await page.getByText(accounts, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /create|anlegen/i }).count()).toBe(0);
  });

  /** Scans what a person types, and reads the answer. */
  async function scan(page: Page, text: string): Promise<string> {
    await page.getByRole('textbox', { name: /^(Ticket code|Ticketcode)/ }).fill(text);
    await page.getByRole('button', { name: /^(Scan|Scannen)$/ }).click();
    await page.locator('.result .next-step').waitFor();
    const answer = await page.locator('.result').innerText();
    await page.reload();
    return answer;
  }

  test.each([
    [
      'en-GB',
      'owner',
      /no ticket code and no whole ticket id/,
      'Find the ticket',
      /no such ticket in this/,
    ],
    [
      'de-DE',
      'viewer',
      /kein Ticketcode und keine ganze/,
      'Ticket suchen',
      /gibt es in diesem System nicht/,
    ],
  ] as const)(
    '%s, %s: half an id is searched for, one of no ticket is unknown, and a wrong code is forged',
    async (locale, role, half, search, unknown) => {
      const page = await open(role, locale);
      const code = await service.mint();
      const id = code.split('.')[1] ?? '';
      await page.goto('/scanner');
      // A viewer scans with a key, and looks an id up with the session.
      if (role === 'viewer') {
        await page.getByRole('textbox', { name: /^API-Schlüssel/ }).fill(service.key('rest'));
        await page.getByRole('button', { name: 'Schlüssel verwenden' }).click();
      }
      for (const text of [id.slice(0, -4), id.slice('tkt_'.length), 'https://example.org/menu']) {
        const answer = await scan(page, text);
        expect(answer, text).toMatch(half);
        expect(answer, text).toContain(search);
      }
      const other = `${id.slice(0, -4)}${id.endsWith('0000') ? '1111' : '0000'}`;
      for (const text of [other, other.toUpperCase()]) {
        const answer = await scan(page, text);
        expect(answer, text).toMatch(unknown);
        expect(answer, text).not.toContain(search);
      }
      const forged = await scan(page, `${code.slice(0, -6)}AAAAAA`);
      expect(forged).not.toMatch(half);
      expect(forged).not.toMatch(unknown);
      expect(forged).not.toContain(search);
    },
  );

  test.each([
    ['en-GB', 'Delete Box office', /turnstile|gate|device/i],
    ['de-DE', 'Box office löschen', /Drehkreuz|Gerät/i],
  ])('%s: deleting a key of software speaks of no turnstiles', async (locale, name, hardware) => {
    const page = await open('owner', locale);
    await page.goto('/gates');
    await page.getByRole('button', { name, exact: true }).click();
    const text = await page.getByRole('dialog').innerText();
    expect(text).toContain('Box office');
    expect(text).not.toMatch(hardware);
    await page.keyboard.press('Escape');
  });
});
