import { readFileSync } from 'node:fs';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';
import { LOGO } from './support/logo.ts';

const EXCEL = new Blob([readFileSync('test/mint/rows/fixtures/guests-german-excel.csv')]);
const CSV = { 'content-type': 'text/csv' };
const GERMAN = 'encoding=latin1&timeZone=Europe/Berlin';

let service: TestService;
let owner: AdminClient;
let event: string;
beforeAll(async () => {
  service = await TestService.start();
  owner = await AdminClient.signedIn(service);
  event = (await owner.post('/events', { name: 'Freibad am See' })).json.id;
});
afterAll(() => service[Symbol.asyncDispose]());

async function textOf(ids: readonly string[], query: object = {}): Promise<string> {
  const answer = await fetch(`${service.url}/admin/v1/tickets/sheet.pdf`, {
    method: 'POST',
    headers: {
      cookie: owner.cookie ?? '',
      origin: service.url,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ids, timeZone: 'Europe/Berlin', ...query }),
  });
  expect(answer.status).toBe(200);
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(Buffer.from(await answer.arrayBuffer()));
  const pages = [...document.pages()].map((page) => page.getText());
  document.destroy();
  library.destroy();
  // Lines end where the paper does.
  return pages.join('\n').replaceAll(/\s+/gu, ' ');
}

test('tickets of a German list are created and printed in one file, as the organisation prints them', async () => {
  const path = `/tickets/from-list?event=${event}&${GERMAN}`;
  const made = await owner.request('POST', path, EXCEL, CSV);
  expect(made.status).toBe(201);
  const ids = made.json.items.map(({ ticketId }: { ticketId: string }) => ticketId);
  const before = await textOf(ids);
  const settings = { language: 'de', lines: ['Einlass ab 9 Uhr'], logo: LOGO };
  const changed = await owner.patch('/organisation/sheets', settings);
  const printed = await textOf(ids);
  const english = await textOf(ids, { language: 'en' });

  expect(changed.json).toEqual({ ...settings, logo: true });
  expect(before).toContain('Until 30 Sept 2027, 23:59');
  const german = ['Jürgen Groß', 'Mehrfachkarte, 10 Nutzungen', 'Gültig bis 30.09.2027, 14:00'];
  for (const text of [...german, 'Dauerkarte', 'Einlass ab 9 Uhr']) expect(printed).toContain(text);
  expect(english).toContain('Permanent card');
  const [entry] = await service.store.readAuditLog({ limit: 1 });
  expect(entry).toMatchObject({ act: 'organisation.sheets', details: { logo: 'changed' } });
});

test('headings that nobody knows are assigned or left out; without that, nothing is created', async () => {
  const list = 'Gast;Tisch\r\nÖztürk;4\r\n';
  const path = `/tickets/from-list?event=${event}`;
  const before = await service.store.countTickets();
  const refused = await owner.request('POST', path, list, CSV);
  expect(await service.store.countTickets()).toBe(before);
  const columns = encodeURIComponent(JSON.stringify({ Gast: 'lastName', Tisch: null }));
  const made = await owner.request('POST', `${path}&columns=${columns}`, list, CSV);

  expect(refused.status).toBe(422);
  expect(refused.json.code).toBe('list_refused');
  expect(refused.json.faults).toMatchObject([
    { line: 1, column: 'Gast', code: 'column_unknown' },
    { line: 1, column: 'Tisch', code: 'column_unknown' },
  ]);
  expect(made.json.items[0].holder).toEqual({ firstName: '', lastName: 'Öztürk' });
});

test.each([
  ['Vorname;Nutzungen\nAda;x\n', { code: 'uses_number', values: { text: 'x' } }],
  ['Vorname;Typ\nAda;Ausweis\n', { code: 'kind_unknown', values: { text: 'Ausweis' } }],
  ['Vorname;Gültig bis\nAda;bald\n', { code: 'time_form', values: { text: 'bald' } }],
  ['Vorname\n', { code: 'list_empty' }],
])('a row that is refused says why with a code: %j', async (list, expected) => {
  const answer = await owner.request('POST', `/tickets/from-list?event=${event}`, list, CSV);
  expect(answer.json.faults).toMatchObject([expected]);
});

test('a logo and lines that cannot be printed are refused and change nothing', async () => {
  const before = (await owner.get('/organisation/sheets')).json;
  const notPng = Buffer.from('<svg onload="alert(1)"/>').toString('base64');
  const refusals = await Promise.all([
    owner.patch('/organisation/sheets', { logo: notPng }),
    owner.patch('/organisation/sheets', { lines: ['\u0007'] }),
  ]);

  expect(refusals.map(({ status, json }) => [status, json.code])).toEqual([
    [422, 'logo_not_png'],
    [422, 'own_lines'],
  ]);
  expect((await owner.get('/organisation/sheets')).json).toEqual(before);
});

test('another organisation sees neither the settings nor the tickets', async () => {
  await owner.patch('/organisation/sheets', { lines: ['Only ours'], logo: LOGO });
  const { id } = await service.administration.organisations.create('Other');
  const other = await AdminClient.signedIn(service, 'owner', id);
  const ours = (await owner.get('/tickets')).json.items[0].ticketId;

  expect((await other.get('/organisation/sheets')).json).toMatchObject({ lines: [], logo: false });
  expect((await other.get('/organisation/logo.png')).status).toBe(404);
  expect((await other.post('/tickets/sheet.pdf', { ids: [ours] })).status).toBe(404);
});
