import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AdminClient, idOf } from '../admin/support/client.ts';
import { noBrowser, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('the privacy report of a ticket', () => {
  const at = withBrowser({ store: 'memory' });

  test.each([
    ['en-GB', 'Privacy report', 'Save as JSON'],
    ['de-DE', 'Datenauskunft', 'Als JSON speichern'],
  ])(
    'in %s, an owner saves everything that is stored of the guest, and nothing of others',
    async (locale, label, save) => {
      const owner = await AdminClient.signedIn(at.service);
      const code = await at.service.mint({
        kind: 'multi',
        uses: 5,
        firstName: 'Ada',
        lastName: 'Zyxlace',
      });
      const other = idOf(await at.service.mint({ firstName: 'Bo', lastName: 'Quill' }));
      const id = idOf(code);
      await owner.patch(`/tickets/${id}`, { note: 'Wheelchair', reference: 'R-7' });
      for (const act of ['cancel', 'reinstate'])
        await owner.post(`/tickets/${act}`, { ids: [id, other] });
      await at.service.card('consume', code);
      const [entry] = (await owner.get(`/log?ticket=${id}`)).json.items;
      await owner.post(`/log/${entry.sequence}/undo`, { reason: 'wrong gate' });

      const { page } = await at.signedIn({ role: 'owner', path: `/tickets/${id}`, locale });
      await page.getByRole('button', { name: label }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: save }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(`privacy-report-${id}.json`);
      const text = readFileSync((await file.path()) ?? '', 'utf8');
      const [told] = JSON.parse(text).tickets;
      expect(told.stored).toMatchObject({
        ticketId: id,
        holder: { firstName: 'Ada', lastName: 'Zyxlace' },
        note: 'Wheelchair',
        reference: 'R-7',
      });
      expect(told.personal.toSorted()).toEqual(['holder', 'note', 'reference']);
      expect(told.scans).toMatchObject([
        { status: 'consumed', byHand: false, takenBack: { sequence: entry.sequence + 1 } },
        {
          status: 'undone',
          takesBack: { sequence: entry.sequence },
          takenBackBecause: 'wrong gate',
        },
      ]);
      const acts = told.changes.map(({ act }: { act: string }) => act);
      expect(acts).toEqual(
        expect.arrayContaining(['ticket.edit', 'ticket.cancel', 'ticket.reinstate']),
      );
      for (const hidden of [other, 'Quill', code]) expect(text).not.toContain(hidden);
    },
  );

  test.each([
    ['en-GB', 'Privacy report', 'Holder changed: from the name of another guest to Bo Quill'],
    ['de-DE', 'Datenauskunft', 'Inhaber geändert: von dem Namen eines anderen Gastes zu Bo Quill'],
  ])('in %s, it has no name that the ticket had earlier', async (locale, label, change) => {
    const owner = await AdminClient.signedIn(at.service);
    const code = await at.service.mint({
      kind: 'multi',
      uses: 5,
      firstName: 'Ada',
      lastName: 'Zyxlace',
    });
    const id = idOf(code);
    await at.service.card('consume', code);
    await owner.patch(`/tickets/${id}`, { note: 'Zyxnote' });
    await new Promise((done) => setTimeout(done, 5));
    const holder = { firstName: 'Bo', lastName: 'Quill' };
    await owner.patch(`/tickets/${id}`, { holder, note: 'Quiet' });
    const { page } = await at.signedIn({ role: 'owner', path: `/tickets/${id}`, locale });
    await page.getByRole('button', { name: label }).click();
    const report = page.locator('.privacy-report');
    await report.getByText(change).waitFor();
    const text = await report.innerText();
    expect(text).toContain('Bo Quill');
    expect(text).not.toMatch(/Zyx|[{}]/);
  });

  test('an operator has no such button', async () => {
    const id = idOf(await at.service.mint({ firstName: 'Ada', lastName: 'Zyxlace' }));
    const { page } = await at.signedIn({ role: 'operator', path: `/tickets/${id}` });
    await page.getByRole('button', { name: 'Edit ticket' }).waitFor();
    expect(await page.getByRole('button', { name: 'Privacy report' }).count()).toBe(0);
  });
});
