import { describe, expect, test } from 'vitest';
import { AdminClient } from '../admin/support/client.ts';
import { barriers } from './support/barriers.ts';
import { noBrowser, openPage, withBrowser } from './support/browser.ts';
import { result, scanTyped } from './support/page-actions.ts';

const PHONE = { viewport: { width: 360, height: 740 }, locale: 'de-DE' };

describe.skipIf(noBrowser)('a phone that is paired once more', () => {
  const at = withBrowser({ store: 'memory' });

  test('goes on while a new pairing waits, when it is refused, and changes over when it is confirmed', async () => {
    const desk = await AdminClient.signedIn(at.service, 'operator');
    const { page: phone, faults } = await openPage(at.browser, at.service, PHONE);
    const ask = async (name: string): Promise<string> => {
      const { id, token } = (await desk.post('/pairings', {})).json;
      // A hash alone loads no new document.
      await phone.goto('about:blank');
      await phone.goto(`/pair#${token}`);
      await phone.getByRole('textbox', { name: 'Name dieses Telefons' }).fill(name);
      await phone.keyboard.press('Enter');
      await phone.locator('.pairing-code').waitFor();
      return id;
    };
    const admits = async () => {
      await scanTyped(phone, await at.service.mint());
      await result(phone).getByText('EINLASS').waitFor();
    };
    const names = async () =>
      (await desk.get('/phones')).json.items.map(({ name }: { name: string }) => name);

    const first = await ask('Nord');
    expect(await phone.getByText('schon angemeldet').count()).toBe(0);
    await desk.post(`/pairings/${first}/confirm`);
    await phone.getByRole('heading', { name: 'Scannen' }).waitFor();
    await admits();

    const refused = await ask('Süd');
    await phone.getByText('Dieses Telefon ist schon angemeldet.').waitFor();
    expect(await barriers(phone)).toEqual([]);
    const other = await phone.context().newPage();
    await other.goto('/scanner');
    await scanTyped(other, await at.service.mint());
    await result(other).getByText('EINLASS').waitFor();
    await other.close();
    await desk.delete(`/pairings/${refused}`);
    await phone.getByText('Auf diesem Telefon hat sich nichts geändert').waitFor();
    expect(await barriers(phone)).toEqual([]);
    await phone.getByRole('link', { name: 'Zurück zum Scannen' }).click();
    await admits();
    expect(await names()).toEqual(['Nord']);

    const confirmed = await ask('Süd');
    await desk.post(`/pairings/${confirmed}/confirm`);
    await phone.getByRole('heading', { name: 'Scannen' }).waitFor();
    await admits();
    expect(await names()).toEqual(['Süd']);
    expect(faults).toEqual([]);
  });
});
