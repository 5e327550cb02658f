import { describe, expect, test } from 'vitest';
import { AdminClient, idOf } from '../admin/support/client.ts';
import { noBrowser, withBrowser } from './support/browser.ts';
import { typeQuickly } from './support/page-actions.ts';

const NOTE =
  'Wheelchair, second entrance; ask for Mrs Özdemir-Krüger of the first-aid post before she goes in';

const CASES = [
  {
    size: { width: 390, height: 844 },
    locale: 'de-DE',
    words: ['EINLASS', 'Achtung', 'Notiz', 'Gesehen, weiter'],
    first: 'Lesen Sie zuerst die Notiz, und lassen Sie dann den Gast ein.',
    closely: 'Sehen Sie zuerst genau hin, und lassen Sie dann den Gast ein.',
    afterwards: 'Lassen Sie den Gast ein.',
  },
  {
    size: { width: 1280, height: 800 },
    locale: 'en-GB',
    words: ['ADMITTED', 'Attention', 'Note', 'Seen, go on'],
    first: 'Look at the note first, then let the guest in.',
    closely: 'Look closely first, then let the guest in.',
    afterwards: 'Let the guest in.',
  },
];

describe.skipIf(noBrowser)('what is written on a ticket', () => {
  const at = withBrowser({ store: 'memory' });

  test.each(CASES)(
    'stands beside the answer to its scan, large, until signing out: $locale',
    async (row) => {
      const { size, locale, words } = row;
      const [admitted = '', mark = '', note = '', seen = ''] = words;
      const owner = await AdminClient.signedIn(at.service);
      const code = await at.service.mint({ firstName: 'Nina', lastName: 'Note' });
      await owner.patch(`/tickets/${idOf(code)}`, { note: NOTE, attention: true });
      const { page, faults } = await at.signedIn({
        role: 'operator',
        viewport: size,
        locale,
        path: '/scanner',
      });
      const scan = () => typeQuickly(page, code);
      await page.locator('.result.ready').waitFor();
      await scan();
      const result = page.locator('.result');
      await result.getByText(admitted, { exact: false }).waitFor();
      for (const good of ['good', 'bad']) {
        await page.locator(`.result.${good}`).waitFor();
        const marked = result.getByText(mark, { exact: true });
        const noted = result.getByText(`${note}: ${NOTE}`);
        for (const [shown, pixels] of [
          [marked, 22],
          [noted, 20],
        ] as const) {
          await shown.scrollIntoViewIfNeeded();
          const font = await shown.evaluate((element) => getComputedStyle(element).fontSize);
          expect(Number.parseFloat(font)).toBeGreaterThanOrEqual(pixels);
        }
        if (process.env['PICTURES'])
          await page.screenshot({ path: `${process.env['PICTURES']}/${locale}-${good}.png` });
        // The next scan waits until somebody has seen it.
        await page.getByRole('button', { name: seen, exact: true }).click();
        if (good === 'good') await scan();
      }
      await page.evaluate(() => fetch('/admin/v1/sessions/current', { method: 'DELETE' }));
      await page.reload();
      await page.locator('input[type=password]').waitFor();
      expect(await page.content()).not.toContain('Wheelchair');
      expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    },
  );

  test.each(CASES)(
    'is to be looked at before the guest is let in, in $locale: the answer says so, and reads it out',
    async ({ size, locale, words, first, closely, afterwards }) => {
      const owner = await AdminClient.signedIn(at.service);
      const seen = words.at(-1) ?? '';
      const mint = async (written: object) => {
        const code = await at.service.mint({ kind: 'multi', uses: 9 });
        await owner.patch(`/tickets/${idOf(code)}`, written);
        return code;
      };
      const options = { viewport: size, locale, path: '/scanner' };
      const { page } = await at.signedIn({ role: 'operator', ...options });
      const told = page.locator('.result').getByRole('status').first();
      await page.locator('.result.ready').waitFor();
      for (const [written, sentence] of [
        [{ note: NOTE, attention: true }, first],
        [{ attention: true }, closely],
      ] as const) {
        await typeQuickly(page, await mint(written));
        await told.getByText(sentence, { exact: true }).waitFor();
        expect(await told.getByText(afterwards, { exact: true }).count()).toBe(0);
        await page.getByRole('button', { name: seen, exact: true }).click();
        await told.getByText(afterwards, { exact: true }).waitFor();
        expect(await told.getByText(sentence, { exact: true }).count()).toBe(0);
      }
      await typeQuickly(page, await mint({ note: NOTE }));
      await told.getByText(NOTE).waitFor();
      await told.getByText(afterwards, { exact: true }).waitFor();
    },
  );
});
