import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/core/administrative-records.ts';
import { loadDeviceFiles } from '../../src/device-files/load.ts';
import { Administration } from '../../src/features/administration.ts';
import { noteBackup } from '../../src/features/server/operations.ts';
import { DAY_MS } from '../../src/kit/durations.ts';
import { DeviceFiles } from '../../src/scan/devices/device-files.ts';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { AdminClient, idOf, makeAccount, PASSWORD, withToken } from '../admin/support/client.ts';
import { CliFolder } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openPage, signIn, type WatchedPage, withBrowser } from './support/browser.ts';
import { chooseInMenu, readQr, tabTo } from './support/page-actions.ts';

describe.skipIf(noBrowser)('the dashboard in a browser', () => {
  const deviceFiles = new DeviceFiles(loadDeviceFiles('fixtures/device-files'));
  const at = withBrowser({ store: 'memory', limits: { keysMax: 50 }, deviceFiles }, (service) =>
    service.administration.keys.create({ name: 'Till', type: 'api', events: 'all' }),
  );

  test('from sign-in to a key made here that scans a ticket made here, is deleted here and refused at once', async () => {
    const { page, faults } = await at.signedIn();
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');

    await link('Events').click();
    await button('Create event').click();
    await dialog.getByLabel('Name').fill('Night swim');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row', { name: /Night swim/ }).waitFor();

    await link('Gates').click();
    await button('Create key').click();
    await dialog.getByLabel('Own software / API').check();
    await dialog.getByLabel('Name').fill('Front door');
    await dialog.getByLabel('Selected events').check();
    await dialog.getByLabel('Night swim').check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const key = await dialog.getByLabel('Key', { exact: true }).inputValue();
    expect(key).toMatch(/^tscn_api_/);
    await button('I have stored it').click();
    await page.reload();
    await page.getByRole('heading', { name: 'Front door' }).waitFor();
    expect(await page.content()).not.toContain(key);

    await link('Tickets').click();
    await button('Create tickets').click();
    await dialog.getByLabel('Event').selectOption('Night swim');
    await dialog.getByLabel('Type').selectOption('Multi-use card');
    await dialog.getByLabel('Uses').fill('3');
    await dialog.getByLabel('First name').fill('Ada');
    await dialog.getByLabel('Last name').fill('Lovelace');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const code = await dialog.getByRole('textbox', { name: 'Ticket code' }).inputValue();
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await link('Scan').click();
    await button('Scan with a key').click();
    await page.getByLabel('API key').fill(key);
    await button('Use this key').click();
    await page.getByLabel('Ticket code').fill(code);
    await page.keyboard.press('Enter');
    const result = page.locator('.result');
    await result.getByText('ADMITTED').waitFor();
    expect(await result.innerText()).toContain('Ada Lovelace');
    expect(await result.innerText()).toContain('2 uses left');

    await link('Tickets').click();
    await page.getByLabel('Id, holder, reference').fill('Lovelace');
    await page
      .getByRole('row', { name: /Ada Lovelace.*Night swim/ })
      .getByRole('link')
      .click();
    await page.getByText('2 of 3 left').waitFor();
    await page.getByRole('row', { name: /Admitted/ }).waitFor();

    await link('Gates').click();
    await chooseInMenu(page, 'More actions for Front door', 'Delete Front door');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Front door' }).waitFor({ state: 'detached' });
    await link('Scan').click();
    await page.getByLabel('Ticket code').fill(code);
    await button('Scan').click();
    await result.getByText('DENIED').waitFor();
    await result.getByText('The key is refused').waitFor();
    expect(faults).toEqual([]);
  });

  test('a hardware key shows its URLs as text to copy and as QR codes, once', async () => {
    const { page, faults } = await at.signedIn({
      permissions: ['clipboard-read', 'clipboard-write'],
      path: '/gates',
    });
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Hardware').check();
    await dialog.getByLabel('Name').fill('North turnstile');
    await dialog.getByLabel('Door open').fill('9');
    await dialog.getByRole('button', { name: 'Create' }).click();

    const key = await dialog.getByLabel('Key', { exact: true }).inputValue();
    const cardUrl = await dialog.getByLabel('Card URL', { exact: true }).inputValue();
    expect(cardUrl).toBe(`${at.service.url}/scan/hw/consume?key=${key}`);
    await dialog.getByRole('button', { name: 'Copy: Card URL' }).click();
    await dialog.getByRole('button', { name: 'Copy: Card URL' }).getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(cardUrl);
    const pictures = { 'Card URL': cardUrl, 'Heart URL': cardUrl.replace('consume', 'heartbeat') };
    for (const [name, url] of Object.entries(pictures)) {
      const picture = dialog.getByRole('img', { name: `QR code of the ${name}` });
      expect(readQr(await picture.screenshot())).toBe(url);
    }
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(key);
    expect(
      await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage })),
    ).not.toContain(key);
    expect(faults).toEqual([]);
  });

  test('the form of a hardware key chooses a device file; the key of software speaks of no turnstile', async () => {
    const { page, faults } = await at.signedIn({ path: '/gates' });
    const dialog = page.getByRole('dialog');
    await chooseInMenu(page, 'More actions for Till', 'Delete Till');
    await dialog.getByText('Till').first().waitFor();
    expect(await dialog.innerText()).not.toMatch(/turnstile|gate|device/i);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByLabel('Hardware').check();
    await dialog.getByLabel('Name').fill('Turnstile');
    await dialog.getByLabel('Device file').selectOption('control-id');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const value = await dialog.getByLabel('Key', { exact: true }).inputValue();
    const url = await dialog.getByLabel('Device URL', { exact: true }).inputValue();
    expect(url).toBe(`${at.service.url}/devices/${value}`);
    const keys = await at.service.store.list('key');
    expect(keys.find(({ name }) => name === 'Turnstile')).toMatchObject({ device: 'control-id' });
    expect(faults).toEqual([]);
  });

  test('a key is renamed, disabled and enabled; a scan in between is refused', async () => {
    const { page } = await at.signedIn({ path: '/gates' });
    await page.getByRole('button', { name: 'Edit Box office', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Cash desk');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Disable Cash desk' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable Cash desk' }).waitFor();
    expect((await at.service.rest('validate', await at.service.mint())).status).toBe(401);

    await page.getByRole('button', { name: 'Enable Cash desk' }).click();
    await page.getByRole('button', { name: 'Disable Cash desk' }).waitFor();
    expect((await at.service.rest('validate', await at.service.mint())).status).toBe(200);
  });

  test('a ticket is cancelled and reinstated; a scan in between is refused', async () => {
    const { page } = await at.signedIn({ role: 'operator' });
    const code = await at.service.mint();
    const id = idOf(code);
    await page.goto(`/tickets/${id}`);
    const picture = page.getByRole('img', { name: 'QR code of the ticket' });
    expect(readQr(await picture.screenshot())).toBe(code);
    await page.getByRole('button', { name: 'Cancel ticket' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel ticket' }).click();
    await page.getByRole('button', { name: 'Reinstate' }).waitFor();
    expect((await at.service.rest('validate', code)).json.reason).toBe('ticket_cancelled');

    await page.getByRole('button', { name: 'Reinstate' }).click();
    await page.getByRole('button', { name: 'Cancel ticket' }).waitFor();
    expect((await at.service.rest('validate', code)).json.status).toBe('validated');
  });

  test('a wrong password is told as such, and a session that has ended leads back to the sign-in', async () => {
    const { page } = await openPage(at.browser, at.service);
    await makeAccount(at.service, 'Grace', 'viewer');
    await page.goto('/gates');
    await page.getByLabel('Account').fill('Grace');
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Account or password is wrong.').waitFor();
    await signIn(page, 'Grace');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);

    // A page that asks again by itself would find out before the click.
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Tickets', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('a password is changed; until the current one is right, the page says that it is wrong', async () => {
    const { page } = await at.signedIn({ path: '/settings' });
    const change = page.locator('form', { hasText: 'Current password' });
    await change.getByRole('textbox', { name: 'Current password' }).fill('not the password');
    await change.getByRole('textbox', { name: 'New password' }).fill('a wholly new password');
    await change.getByRole('button', { name: 'Change password' }).click();
    await change.getByRole('alert').getByText('The current password is wrong.').waitFor();

    await change.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
    await change.getByRole('button', { name: 'Change password' }).click();
    await change.getByRole('status').waitFor();
    expect(await change.getByRole('alert').count()).toBe(0);
  });

  test('an owner sees the tokens of all accounts, and revokes one', async () => {
    const operator = await AdminClient.signedIn(at.service, 'operator');
    const options = { name: 'night job', role: 'viewer' };
    const { token } = (await operator.post('/access-tokens', options)).json;
    const asScript = () => withToken(at.service.url, token)('GET', '/events');
    expect((await asScript()).status).toBe(200);
    const { page, faults } = await at.signedIn();

    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Access tokens', exact: true }).click();
    await page.getByRole('button', { name: /^Revoke night job of operator/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No account has an access token.').waitFor();

    expect((await asScript()).status).toBe(401);
    expect(faults).toEqual([]);
  });

  test('in the audit log, an account that is called like the command line is not taken for it', async () => {
    const old = await AdminClient.signedIn(at.service, 'operator');
    const { account } = (await old.get('/sessions/current')).json;
    const [document] = (await at.service.store.list('account')).filter(
      ({ value }) => (value as { id: string }).id === account.id,
    );
    const value = { ...(document!.value as object), name: 'command line' };
    await at.service.store.write({ administrative: [{ ...document!, value }], audit: [] });
    await old.post('/events', { name: 'Made by a person' });
    await new Administration(at.service.store, at.service.clock, randomBytes).events.create(
      'Made on the store',
      (await at.service.administration.organisations.first()).id,
    );
    const { page } = await at.signedIn({ path: '/settings/audit-log' });

    const byPerson = page.getByRole('row', { name: /Made by a person/ });
    await byPerson.locator('bdi.name', { hasText: /^command line$/ }).waitFor();
    expect(await byPerson.locator('.badge').count()).toBe(0);
    const byCommand = page.getByRole('row', { name: /Made on the store/ });
    await byCommand.locator('.badge', { hasText: 'Command line' }).waitFor();
  });

  test('language and colours are chosen, remembered, and hold on every page', async () => {
    const { page } = await at.signedIn();
    await page.getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('button', { name: 'Dunkle Farben' }).click();
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    const root = page.locator('html');
    expect(await root.getAttribute('lang')).toBe('de');
    expect(await root.getAttribute('data-mantine-color-scheme')).toBe('dark');
  });

  test('a server with test controls is called out on every page, another is not', async () => {
    await using folder = new CliFolder();
    const server = await folder.serve(['--store', 'memory:', '--test-controls']);
    await expect.poll(server.messages, PATIENTLY).toMatch(/password: \S+/);
    const password = /password: (\S+)/.exec(server.messages())?.[1];
    const { page, faults } = await openPage(at.browser, server);
    await page.goto('/');
    await signIn(page, 'admin', password);
    // On /pair nobody is signed in, so it does not know the server.
    for (const path of PAGE_PATHS.filter((one) => one !== '/pair')) {
      await page.goto(path);
      await page.getByRole('alert').getByText('TEST CONTROLS ARE ON').waitFor();
    }
    expect(faults).toEqual([]);

    const { page: real } = await at.signedIn();
    await real.goto('/gates/devices');
    await real.getByRole('heading', { level: 1 }).waitFor();
    expect(await real.getByText('TEST CONTROLS').count()).toBe(0);
  });

  test('a key is made with the keyboard alone', async () => {
    const { page } = await at.signedIn({ path: '/gates' });
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await tabTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Key', { exact: true }).waitFor();
    await tabTo(page, 'I have stored it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By keyboard' }).waitFor();
  });
});

describe.skipIf(noBrowser)('the first start', () => {
  const at = withBrowser({ store: 'memory', ticketsPerState: 0 });

  /** Opens the page as an account of an organisation that has nothing yet. */
  async function openAs(role: Role): Promise<WatchedPage> {
    const name = role === 'owner' ? 'Default' : role;
    const { id } = await at.service.administration.organisations.create(name);
    await makeAccount(at.service, role, role, id);
    const options = { locale: 'de-DE', timezoneId: 'Europe/Berlin' };
    const watched = await openPage(at.browser, at.service, options);
    await watched.page.goto('/');
    await signIn(watched.page, role);
    return watched;
  }

  test('leads an owner to the first ticket, and asks what the venue is called', async () => {
    const { page, faults } = await openAs('owner');
    const steps = page.locator('.first-steps');
    const dialog = page.getByRole('dialog');
    await steps.getByRole('button', { name: 'Veranstaltung anlegen' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await page.locator('body').innerText()).not.toMatch(/organisation|default/i);
    await steps.getByLabel('Wie heißt Ihr Haus?').fill('Waldbad');
    await steps.getByRole('button', { name: 'Speichern' }).click();
    await page.locator('.account-box').getByText('Waldbad').waitFor();
    expect(await steps.getByLabel('Wie heißt Ihr Haus?').count()).toBe(0);
    expect(await at.service.store.list('organisation')).toContainEqual(
      expect.objectContaining({ name: 'Waldbad', timeZone: 'Europe/Berlin' }),
    );

    await steps.getByRole('button', { name: 'Veranstaltung anlegen' }).click();
    await dialog.getByLabel('Name').fill('Sommer');
    await dialog.getByRole('button', { name: 'Anlegen' }).click();
    await steps.getByRole('button', { name: 'Schlüssel anlegen' }).click();
    await dialog.getByLabel('Name').fill('Tor 1');
    await dialog.getByRole('button', { name: 'Anlegen' }).click();
    await page.getByRole('button', { name: 'Ich habe ihn gespeichert' }).click();
    expect(await steps.getByText('Erledigt').count()).toBe(2);
    await steps.getByRole('button', { name: 'Tickets anlegen' }).click();
    await dialog.getByRole('button', { name: 'Anlegen' }).click();
    await page.getByRole('heading', { name: '1 Ticket angelegt' }).waitFor();
    await dialog.getByRole('button', { name: 'Schließen' }).last().click();
    // The last step is the first guest.
    await steps.getByRole('link', { name: '„Scannen“ öffnen' }).click();
    await page.getByRole('heading', { name: 'Scannen' }).waitFor();
    const [ticket] = await at.service.store.listTickets({ limit: 1 });
    await page.getByRole('textbox', { name: 'Ticketcode' }).fill(ticket?.id ?? '');
    await page.keyboard.press('Enter');
    await page.locator('.result.good').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Übersicht' }).click();
    await page.locator('.overview').waitFor();
    await expect.poll(() => steps.count(), PATIENTLY).toBe(0);
    expect(faults).toEqual([]);
  });

  test.each(['operator', 'viewer'] as const)('a new %s does not see the steps', async (role) => {
    const { page } = await openAs(role);
    await page.locator('.overview').waitFor();
    expect(await page.locator('.first-steps').count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('the last backup on the overview', () => {
  const at = withBrowser({ store: 'sqlite', ticketsPerState: 0 });

  test('its age is told, and a warning when it is too old, to owners alone', async () => {
    const { service } = at;
    const missing = await at.signedIn();
    await missing.page.getByText('There is no backup of this server’s data yet.').waitFor();
    expect(await missing.page.getByRole('alert').filter({ hasText: 'new' }).count()).toBe(0);

    // The page tells ages by the clock of the browser.
    service.clock.nowMs = Date.now();
    await noteBackup(service.store, Date.now() - 9 * DAY_MS);
    const old = await at.signedIn({ locale: 'de-DE' });
    await old.page.getByText(/^Letzte Sicherung: vor 9 Tagen \(/).waitFor();
    expect(await old.page.getByText('ticketscan store backup').count()).toBe(1);
    expect(await old.page.getByRole('alert').filter({ hasText: 'neue' }).count()).toBe(1);

    const viewer = await at.signedIn({ role: 'viewer' });
    await viewer.page.locator('.overview').waitFor();
    expect(await viewer.page.getByText(/Last backup/).count()).toBe(0);
    expect([...missing.faults, ...old.faults, ...viewer.faults]).toEqual([]);
  });
});
