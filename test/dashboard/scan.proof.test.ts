import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { idOf } from '../admin/support/client.ts';
import { TestService } from '../support/service.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openPage, openSignedIn, withCamera } from './support/browser.ts';
import { readQr, result, scanTyped, typeQuickly } from './support/page-actions.ts';

const PHONE = { viewport: { width: 360, height: 740 }, locale: 'de-DE' };

describe.skipIf(noBrowser)('the scan page', () => {
  const at = withCamera({ uses: 5 }, { store: 'memory' });

  /** A phone with the scan page open and its key entered. */
  async function openDesk(desk = at.service): Promise<{ page: Page; faults: string[] }> {
    const watched = await openSignedIn(at.browser, desk, {
      role: 'viewer',
      viewport: { width: 360, height: 740 },
      permissions: ['camera'],
      path: '/scanner',
    });
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
      const { page, faults } = await at.signedIn({
        viewport,
        permissions: ['camera'],
        path: '/scanner',
      });
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

      await type(page, await at.service.mint());
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
    const { page } = await at.signedIn({ path: '/scanner' });
    const field = page.getByRole('textbox', { name: 'Ticket code' });
    const before = await field.boundingBox();
    const code = await at.service.mint({ firstName: 'Ada', lastName: 'Lovelace' });
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

    const id = idOf(at.filmed());
    expect((await at.service.store.findTicket(id))?.usesConsumed).toBe(1);
    await page.getByRole('button', { name: 'Stop camera' }).click();
    expect(
      await page.locator('video').evaluate((video) => (video as HTMLVideoElement).srcObject),
    ).toBeNull();
    // It is large, and those with a hand scanner never need it.
    expect(decoders).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test.each([
    ['en-GB', 'de', 'Ein echter Code steckt darin'],
    ['de-DE', 'en', 'A genuine code is inside'],
  ])(
    'in a browser of %s the page asks and tells in %s where that was chosen, also what the server writes',
    async (locale, chosen, hint) => {
      const { page } = await at.signedIn({ role: 'operator', locale, path: '/scanner' });
      await page.locator('.language select').selectOption(chosen);
      const asked: [address: string, language: string | undefined][] = [];
      page.on('request', (request) => {
        const language = request.headers()['accept-language'];
        if (request.resourceType() === 'fetch') asked.push([request.url(), language]);
      });
      await typeQuickly(page, `]Q1${await at.service.mint()}`);
      await page.locator('.result.bad').getByText(hint).waitFor();
      await page.goto('/tickets');
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(asked.length).toBeGreaterThan(2);
      expect(asked.filter(([, language]) => language !== chosen)).toEqual([]);
    },
  );

  test.each(['en-GB', 'de-DE'])(
    '%s: beside the picture, the answer stays in its box',
    async (locale) => {
      const { page } = await at.signedIn({ locale, permissions: ['camera'], path: '/scanner' });
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
    const usesTaken = async () => (await slow.store.findTicket(idOf(code)))?.usesConsumed;
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
    await typeQuickly(page, await at.service.mint());
    const announced = page.locator('.result [role=status][aria-live=assertive]');
    await announced.getByText('ADMITTED').waitFor();

    await page.getByRole('button', { name: 'Code and options' }).click();
    await page.getByText('Only check').click();
    await page.getByRole('button', { name: 'Close options' }).click();
    await typeQuickly(page, 'TS1.tkt_forged_by_hand.AAAA');
    await announced.getByText('DENIED').waitFor();
    await announced.getByText('Not a valid code').waitFor();
  });

  test.each([
    ['a key', '**/scan/consume'],
    ['an account', '**/admin/v1/scans'],
  ] as const)(
    'when no answer comes to %s it says so, and another attempt counts the use once',
    async (who, route) => {
      const { viewport } = PHONE;
      const { page, faults } =
        who === 'a key'
          ? await openDesk()
          : await at.signedIn({ role: 'scanner', viewport, path: '/scanner' });
      const code = await at.service.mint({ kind: 'multi', uses: 5 });
      // The server registers the use, but its answer is lost on the way.
      await page.route(
        route,
        async (caught) => {
          await caught.fetch();
          await caught.abort('connectionreset');
        },
        { times: 1 },
      );
      await type(page, code);
      await page.locator('.result').getByText('NO ANSWER').waitFor();

      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.result').getByText('ADMITTED').waitFor();
      await page.locator('.result').getByText('4 uses left').waitFor();
      expect((await at.service.store.findTicket(idOf(code)))?.usesConsumed).toBe(1);
      expect(faults).toEqual([]);
    },
  );

  test('a key is kept in its tab only, and not taken when it is for hardware', async () => {
    const { page } = await openDesk();
    await page.reload();
    await page.getByRole('button', { name: 'Code and options' }).click();
    await page.getByRole('textbox', { name: 'Ticket code' }).waitFor();
    const other = await page.context().newPage();
    await other.goto('/scanner');
    await other.getByRole('textbox', { name: 'API key' }).fill(at.service.key('hardware'));
    await other.getByRole('button', { name: 'Use this key' }).click();
    await other.getByText('This is not an API key for own software').waitFor();

    await page.getByRole('button', { name: 'Remove key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('a phone is paired by the QR code, scans in German, and is out when it is removed', async () => {
    const desk = await at.signedIn({ role: 'operator' });
    await desk.page.goto('/gates/phones');
    await desk.page.getByRole('button', { name: 'Pair a phone' }).click();
    await desk.page.getByRole('button', { name: 'Show QR code' }).click();
    const picture = desk.page.getByRole('img', { name: 'QR code for the phone' });
    await picture.waitFor();
    expect(await barriers(desk.page)).toEqual([]);
    const address = readQr(await picture.screenshot());
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pair#[0-9A-Za-z]{22}$/);

    const { page: phone, faults } = await openPage(at.browser, at.service, PHONE);
    const asked: string[] = [];
    phone.on('request', (request) => asked.push(request.url()));
    await phone.goto(address ?? '');
    await phone.getByRole('textbox', { name: 'Name dieses Telefons' }).fill('Einlass Nord');
    expect(phone.url()).not.toContain('#');
    expect(await barriers(phone)).toEqual([]);
    await phone.keyboard.press('Enter');
    const shown = await phone.locator('.pairing-code').innerText();
    await desk.page.getByText('Einlass Nord').waitFor();
    expect(await desk.page.locator('.pairing-code').innerText()).toBe(shown);
    expect(await barriers(desk.page)).toEqual([]);
    await desk.page.getByRole('button', { name: 'Yes, pair it' }).click();

    await phone.getByRole('heading', { name: 'Scannen' }).waitFor();
    await phone.locator('.shell-menu').click();
    expect(await phone.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      'Scannen',
    ]);
    await phone.locator('.shell-menu').click();
    const token = address?.split('#')[1] ?? 'none';
    expect(asked.filter((url) => url.includes(token))).toEqual([]);
    const code = await at.service.mint({ firstName: 'Ayşe', lastName: 'Öztürk' });
    await scanTyped(phone, code);
    await result(phone).getByText('EINLASS').waitFor();
    await result(phone).getByText('Ayşe Öztürk').waitFor();
    await result(phone).getByText('Lassen Sie den Gast ein.').waitFor();
    // By the identifier, in groups as it is printed.
    await scanTyped(phone, idOf(code).replace(/(.{5})(.{5})$/, ' $1 $2'));
    await result(phone).getByText('ABGEWIESEN').waitFor();
    await result(phone).getByText('1 von 1 Nutzungen verbraucht').waitFor();
    await result(phone)
      .getByText(/^Zuletzt benutzt: .+, Einlass Nord$/)
      .waitFor();
    expect(await barriers(phone)).toEqual([]);
    // No page but this one, whatever address is typed.
    await phone.goto('/tickets');
    await phone.getByRole('heading', { name: 'Scannen' }).waitFor();

    await desk.page.getByRole('button', { name: 'Remove Einlass Nord' }).click();
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await desk.page.getByText('No phone is paired.').waitFor();
    await scanTyped(phone, await at.service.mint());
    await result(phone).getByText('NICHT GESCANNT').waitFor();
    await result(phone)
      .getByText('Lassen Sie sich an der Kasse einen neuen QR-Code zeigen')
      .waitFor();
    await phone.goto(address ?? '');
    await phone.getByRole('textbox').fill('Noch einmal');
    await phone.keyboard.press('Enter');
    await phone.getByText('Dieser Code ist abgelaufen oder wurde schon verwendet.').waitFor();
    expect([...desk.faults, ...faults]).toEqual([]);
  });

  test('a viewer scans codes with a key, an operator printed identifiers too, as the account or with a key', async () => {
    const { page } = await at.signedIn({ role: 'viewer', path: '/scanner' });
    await page.getByRole('textbox', { name: 'API key' }).fill(at.service.key('rest'));
    await page.getByRole('button', { name: 'Use this key' }).click();
    const code = await at.service.mint();
    const id = idOf(code);
    await scanTyped(page, id.toUpperCase());
    await result(page).getByText('your role cannot look up its code').waitFor();
    await scanTyped(page, `${id.slice(0, -4)}zzzz`);
    await result(page).getByText('There is no such ticket in this system').waitFor();
    await scanTyped(page, code);
    await result(page).getByText('ADMITTED').waitFor();

    const operator = await at.signedIn({ role: 'operator' });
    await operator.page.goto('/scanner');
    await operator.page.getByText('Scans as').waitFor();
    await operator.page.getByRole('button', { name: 'Scan with a key' }).click();
    await operator.page.getByRole('textbox', { name: 'API key' }).fill(at.service.key('rest'));
    await operator.page.getByRole('button', { name: 'Use this key' }).click();
    await operator.page.getByText('Scans with an API key.').waitFor();
    await scanTyped(operator.page, idOf(await at.service.mint()).toUpperCase());
    await result(operator.page).getByText('ADMITTED').waitFor();
    expect(operator.faults).toEqual([]);
  });

  /** Scans what a person types, and reads the answer. */
  async function answerTo(page: Page, text: string): Promise<string> {
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
      /not a ticket code and not a whole ticket id/,
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
      const { page } = await at.signedIn({ role, locale, path: '/scanner' });
      const code = await at.service.mint();
      const id = idOf(code);
      // A viewer scans with a key, and looks an id up with the session.
      if (role === 'viewer') {
        await page.getByRole('textbox', { name: /^API-Schlüssel/ }).fill(at.service.key('rest'));
        await page.getByRole('button', { name: 'Schlüssel verwenden' }).click();
      }
      for (const text of [id.slice(0, -4), id.slice('tkt_'.length), 'https://example.org/menu']) {
        const answer = await answerTo(page, text);
        expect(answer, text).toMatch(half);
        expect(answer, text).toContain(search);
      }
      const other = `${id.slice(0, -4)}${id.endsWith('0000') ? '1111' : '0000'}`;
      for (const text of [other, other.toUpperCase()]) {
        const answer = await answerTo(page, text);
        expect(answer, text).toMatch(unknown);
        expect(answer, text).not.toContain(search);
      }
      const forged = await answerTo(page, `${code.slice(0, -6)}AAAAAA`);
      expect(forged).not.toMatch(half);
      expect(forged).not.toMatch(unknown);
      expect(forged).not.toContain(search);
    },
  );
});
