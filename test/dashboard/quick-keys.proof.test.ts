import type { ElementHandle } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { AdminClient, idOf } from '../admin/support/client.ts';
import { noBrowser, openPage, type WatchedPage, withBrowser } from './support/browser.ts';
import { scanByKeys, settle } from './support/page-actions.ts';

/** What is written into a field of each kind before a code is scanned into it. A kind that is not in here fails: say how it is kept. */
const FILLED: Record<string, string | undefined> = {
  'input text': 'Ann',
  'input text decimal': '3',
  'input search': 'Ann',
  'input url': 'https://example.org',
  'input password': 'a secret',
  'input date': '2026-11-23',
  'input datetime-local': '2026-11-23T10:00',
  textarea: 'one line',
  // What is chosen is kept.
  select: undefined,
  'input radio': undefined,
  'input checkbox': undefined,
};

const EVERY_FIELD =
  'input:not([type="hidden"], [type="file"]), select, textarea, [contenteditable], [role="combobox"]';
const DIALOGS = [
  ['/tickets', 'Create tickets'],
  ['/events', 'Create event'],
  ['/gates', 'Create key'],
  ['/accounts', 'Create account'],
  ['/settings/webhooks', 'Create webhook'],
  ['/settings/access-tokens', 'Create token'],
] as const;

type Field = ElementHandle<HTMLInputElement>;

const kindOf = (field: Field) =>
  field.evaluate((element) => {
    if (!(element instanceof HTMLInputElement)) return (element as Element).localName;
    return ['input', element.type, element.inputMode].filter(Boolean).join(' ');
  });

const stateOf = (field: Field) =>
  field.evaluate(({ value, checked, innerHTML }) => [value, checked, value ?? innerHTML]);

describe.skipIf(noBrowser)('the keys of a hand scanner in a field', () => {
  let ticketId = '';
  const at = withBrowser({ store: 'memory' }, async (service) => {
    const owner = await AdminClient.signedIn(service);
    await owner.post('/events', { name: 'Tuesday pool' });
    ticketId = idOf(await service.mint());
  });

  /** Types a code into every field that is shown. @returns the kinds */
  async function sweep(watched: WatchedPage, where: string): Promise<string[]> {
    const { page } = watched;
    const kinds: string[] = [];
    for (const field of (await page.locator(EVERY_FIELD).elementHandles()) as Field[]) {
      if (!(await field.isVisible()) || !(await field.isEditable())) continue;
      const kind = await kindOf(field);
      kinds.push(kind);
      const what = `${where}: ${kind} ${await field.getAttribute('aria-label')}`;
      expect(Object.keys(FILLED), what).toContain(kind);
      const filled = FILLED[kind];
      if (filled !== undefined) await field.fill(filled);
      else if (kind !== 'select') continue;
      await settle(watched);
      const before = await stateOf(field);
      await field.focus();
      await scanByKeys(page, await at.service.mint());
      await page.getByRole('alert').getByText('A code was scanned').waitFor();
      expect(await stateOf(field), what).toEqual(before);
      await page.getByRole('button', { name: 'Stay here' }).click();
      await page.getByRole('alert').getByText('A code was scanned').waitFor({ state: 'detached' });
    }
    return kinds;
  }

  test('is taken back, whatever the kind of the field, on every page', async () => {
    const watched = await at.signedIn();
    const { page } = watched;
    const kinds = new Set<string>();
    const [{ id: eventId } = { id: '' }] = await at.service.store.list('event');
    for (const path of PAGE_PATHS.filter((one) => one !== '/scanner' && one !== '/pair')) {
      await page.goto(path.replace('events/:id', `events/${eventId}`).replace(':id', ticketId));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settle(watched);
      for (const kind of await sweep(watched, path)) kinds.add(kind);
    }
    for (const [path, name] of DIALOGS) {
      await page.goto(path);
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('dialog').waitFor();
      for (const kind of await sweep(watched, name)) kinds.add(kind);
    }
    expect([...kinds].sort()).toEqual(Object.keys(FILLED).sort());
  });

  test.each([
    ['/', 'Sign in first'],
    ['/pair#a-token-of-a-pairing', 'Pair this phone first'],
  ])('is sent nowhere from a page before sign-in: %s', async (path, advice) => {
    const watched = await openPage(at.browser, at.service);
    const { page } = watched;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect((await sweep(watched, path)).length).toBeGreaterThan(0);
    await scanByKeys(page, await at.service.mint());
    await page.getByRole('alert').getByText(advice).waitFor();
    expect(sent).toEqual([]);
  });
});
