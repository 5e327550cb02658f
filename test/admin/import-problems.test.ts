import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WORKBOOK_TYPE } from '../../src/kit/workbooks.ts';
import { TestService } from '../support/service.ts';
import { day, workbookOf } from '../support/workbooks.ts';
import { AdminClient } from './support/client.ts';

let service: TestService;
let owner: AdminClient;
let event: string;

beforeAll(async () => {
  service = await TestService.start({ store: 'memory' });
  owner = await AdminClient.signedIn(service);
  event = (await owner.post('/events', { name: 'Lake' })).json.id;
});
afterAll(() => service[Symbol.asyncDispose]());

const csv = { 'content-type': 'text/csv' };
const fromList = (lines: readonly string[], query = '') =>
  owner.request('POST', `/tickets/from-list?event=${event}${query}`, lines.join('\n'), csv);

const told = ({ faults }: { faults: { line: number; column: string; code: string }[] }) =>
  faults.map(({ line, column, code }) => [line, column, code]);

test('an unknown column hides no other problem, and is told with them', async () => {
  const list = [
    'Vorname,Nachname,Tisch,Gültig bis,Anzahl',
    'Ada,Byron,7,31.12.2026,2',
    'Grete,Hermann,8,31.13.2026,1',
    'Emmy,Noether,9',
  ];
  const { status, json } = await fromList(list, '&preview=true');
  expect(status).toBe(422);
  expect(told(json)).toEqual([
    [1, 'Tisch', 'column_unknown'],
    [1, 'Anzahl', 'column_quantity'],
    [3, 'validUntil', 'time_missing'],
    [4, null, 'row_cells'],
  ]);
  // Nobody knows what the rows mean until the columns are known.
  expect(json).toMatchObject({ good: null, badLines: [] });
  const columns = encodeURIComponent('{"Tisch":null,"Anzahl":null}');
  const assigned = await fromList(list, `&preview=true&columns=${columns}`);
  expect(assigned.json).toMatchObject({ good: 1, badLines: [3, 4] });
});

test('a time that clocks skip in the zone of the list is told by row and column', async () => {
  const list = ['Vorname,Gültig ab,Gültig bis', 'Ada,28.03.2027 02:30,28.03.2027 03:30'];
  const inBerlin = await fromList(list, '&preview=true&timeZone=Europe/Berlin');
  expect(inBerlin.status).toBe(422);
  expect(inBerlin.json.faults).toEqual([
    expect.objectContaining({
      line: 2,
      column: 'validFrom',
      code: 'time_skipped',
      values: expect.objectContaining({ later: '03:30', timeZone: 'Europe/Berlin' }),
    }),
  ]);
  expect((await fromList(list, '&preview=true&timeZone=UTC')).status).toBe(200);
});

test('what a column that is still unknown may say is not missed', async () => {
  const list = ['type,Wieviel', 'multi,10', 'single,'];
  expect(told((await fromList(list, '&preview=true')).json)).toEqual([
    [1, 'Wieviel', expect.stringMatching(/^column_/)],
  ]);
});

test('the rows that could be stored are counted, and the lines of all others named', async () => {
  const rows = Array.from({ length: 200 }, (_, index) =>
    index % 4 === 0 ? 'multi,900' : 'multi,9',
  );
  const { json } = await fromList(['type,uses', ...rows], '&preview=true');
  expect(json.faults).toHaveLength(1);
  expect(json.good).toBe(150);
  expect(json.badLines).toEqual(
    rows.flatMap((row, index) => (row === 'multi,9' ? [] : [index + 2])),
  );
});

test('a list whose every row is another fault is not read to its end, and says so', async () => {
  const rows = Array.from({ length: 300 }, (_, index) => `kind ${index}`);
  const { json } = await fromList(['type', ...rows, 'single'], '&preview=true');
  expect(json.faults).toHaveLength(100);
  expect(json).toMatchObject({ good: null, badLines: [] });
});

test('tickets that exist already are told in the same round as the wrong rows', async () => {
  const [known] = (await owner.post('/tickets', { event, type: 'single' })).json.items;
  const fresh = known.ticketId.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'));
  const lines = [
    { ticketId: known.ticketId, type: 'single' },
    { ticketId: 'nonsense', type: 'single' },
    { ticketId: `tkt_nobody_${'0'.repeat(20)}`, type: 'single' },
    { ticketId: fresh, type: 'single' },
  ].map((row) => JSON.stringify(row));
  const send = (body: readonly string[]) =>
    owner.request('POST', '/tickets/import?format=jsonl', body.join('\n'), {
      'content-type': 'application/x-ndjson',
    });
  const { status, json } = await send(lines);
  expect(status).toBe(422);
  expect(told(json)).toEqual([
    [1, 'ticketId', 'row_existing'],
    [2, 'ticketId', 'row_ticket_id'],
    [3, 'event', 'row_unknown_event'],
  ]);
  expect(json).toMatchObject({ good: 1, badLines: [1, 2, 3] });
  const good = lines.filter((_, index) => !json.badLines.includes(index + 1));
  expect((await send(good)).json).toMatchObject({ imported: 1, existing: 0 });
});

describe('a workbook', () => {
  const type = {
    'content-type': WORKBOOK_TYPE,
  };
  const workbook = workbookOf([
    { name: 'Prices', state: 'hidden', rows: [['Adult'], ['5']] },
    {
      name: 'July',
      rows: [
        ['Vorname', 'Gültig bis'],
        ['Jörg', day('46204')],
      ],
    },
    { name: 'August', rows: [['Vorname'], ['Zoë'], ['Ada']], hidden: [3] },
  ]);
  const bytes = new Blob([new Uint8Array(workbook)]);

  test('is a list, and a page is given one of its sheets as CSV', async () => {
    const route = '/tickets/list-from-workbook';
    expect((await owner.request('POST', route, bytes, type)).json).toEqual({
      worksheet: 'July',
      worksheets: ['Prices', 'July', 'August'],
      otherWorksheets: ['August'],
      hiddenRows: 0,
      hiddenColumns: [],
      csv: '"Vorname","Gültig bis"\n"Jörg","2026-07-01"\n',
    });
    const made = await owner.request(
      'POST',
      `/tickets/from-list?event=${event}&worksheet=August`,
      bytes,
      type,
    );
    expect(made.json.items).toHaveLength(2);
    expect(made.json.notes).toEqual(['1 row is hidden in the sheet "August" and read too.']);
    const july = `/tickets/from-list?event=${event}&preview=true`;
    expect((await owner.request('POST', july, bytes, type)).json).toEqual({
      tickets: 1,
      ended: 0,
      known: 0,
      cancelledRows: 0,
      notes: ['The sheet "July" is read. The workbook also has "August": --worksheet NAME.'],
    });
    const problems = await owner.request('POST', '/tickets/import', bytes, type);
    expect(problems.json.faults[0]).toMatchObject({ code: 'list_no_ids' });
  });

  test('that cannot be read is refused with the reason', async () => {
    const route = '/tickets/list-from-workbook';
    const cut = await owner.request('POST', route, bytes.slice(0, 300), type);
    expect(cut).toMatchObject({ status: 422, json: { code: 'list_workbook_damaged' } });
    const sheet = await owner.request('POST', `${route}?worksheet=May`, bytes, type);
    expect(sheet).toMatchObject({ status: 422, json: { code: 'list_worksheet' } });
    const text = await owner.request('POST', route, 'Vorname\nAda\n', type);
    expect(text.status).toBe(422);
  });
});
