import { describe, expect, test } from 'vitest';
import { AdminClient, idOf } from '../admin/support/client.ts';
import { noBrowser, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('a text that is too long', () => {
  const at = withBrowser({ store: 'memory' });

  test.each([
    ['en-GB', 'Edit ticket', 'Note', 'Save', 'Too long: at most 200 characters.'],
    ['de-DE', 'Ticket bearbeiten', 'Notiz', 'Speichern', 'Zu lang: höchstens 200 Zeichen.'],
  ])('in %s, it stays as it was pasted, is told, and is not saved', async (locale, ...words) => {
    const [edit = '', label = '', save = '', told = ''] = words;
    const code = await at.service.mint();
    const id = idOf(code);
    const { page } = await at.signedIn({ role: 'operator', path: `/tickets/${id}`, locale });
    await page.getByRole('button', { name: edit }).click();
    const note = page.getByRole('textbox', { name: label });
    const long = 'Wheelchair, second entrance. '.repeat(12);
    await note.fill(long);
    await page.getByText(told).waitFor();
    expect(await note.inputValue()).toBe(long);
    expect(await note.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: save }).click();
    await page.locator('form').getByText('200').nth(1).waitFor();
    expect(await note.inputValue()).toBe(long);
    const owner = await AdminClient.signedIn(at.service);
    expect((await owner.get(`/tickets/${id}`)).json.note).toBeNull();

    await note.fill('😀'.repeat(200));
    await page.getByText(told).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: save }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await owner.get(`/tickets/${id}`)).json.note).toBe('😀'.repeat(200));
  });
});
