import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
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
const send = (path: string, lines: readonly string[]) =>
  owner.request('POST', path, lines.join('\n'), csv);
const numberWith = async (reference: string) =>
  (await owner.get(`/tickets?reference=${reference}`)).json.items.length;

test('an order that a shop sends twice has its tickets once', async () => {
  const order = { event, type: 'single', count: 2, reference: 'S-1', uniqueReference: true };
  const sent = await Promise.all([1, 2, 3].map(() => owner.post('/tickets', order)));
  expect(sent.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  expect(sent.find(({ status }) => status === 409)?.json.code).toBe('reference_known');
  expect(await numberWith('S-1')).toBe(2);
  for (const reference of [undefined, null, '', '  ']) {
    const without = await owner.post('/tickets', { ...order, reference });
    expect([without.status, without.json.code]).toEqual([422, 'reference_missing']);
  }
  expect((await owner.post('/tickets', { ...order, uniqueReference: false })).status).toBe(201);
});

test('a list of people is taken twice and makes each ticket once', async () => {
  const path = `/tickets/from-list?event=${event}&uniqueReference=true`;
  const list = ['Vorname,Referenz', 'Ada,L-1', 'Bob,L-2'];
  expect((await send(path, list)).json).toMatchObject({ known: 0 });
  const more = ['Vorname,Referenz', 'Cy,L-3', 'Ada,L-1', 'Di,L-4', 'Bob,L-2'];
  const preview = (await send(`${path}&preview=true`, more)).json;
  expect(preview).toEqual({ tickets: 4, ended: 0, known: 2, cancelledRows: 0 });
  const { status, json } = await send(path, more);
  expect(status).toBe(201);
  expect(json).toMatchObject({ known: 2, changed: 0, cancelled: 0 });
  const made = json.items.map((one: { reference: string; code: string }) => one.reference);
  expect(made).toEqual(['L-3', 'L-4']);
  expect((await send(path, more)).json).toMatchObject({ items: [], known: 4 });
  const refused = await send(path, [...more, 'Eve,L-3', 'Fay,']);
  expect(refused.status).toBe(422);
  expect(refused.json.faults.map(({ code }: { code: string }) => code)).toEqual([
    'row_reference_twice',
    'row_reference_missing',
  ]);
  expect(await numberWith('L-1')).toBe(1);
});

test('a list that is sent again takes over names and cancellations, after a preview that changes nothing', async () => {
  const path = `/tickets/from-list?event=${event}&update=true&cancelled={"Status":["void"]}`;
  const columns = `&columns=${encodeURIComponent('{"Order":"reference","Position":"reference"}')}`;
  const head = 'Order,Position,Vorname,Gültig bis,Status';
  await send(path + columns, [head, 'U,1,Ada,,paid', 'U,2,Bob,,paid', 'U,3,Cy,,paid']);
  const next = [
    head,
    'U,1,Ada-Maria,2099-01-01,paid',
    'U,2,,,Void',
    'U,3,Cy,,paid',
    'U,4,Di,,paid',
  ];
  const preview = (await send(`${path}${columns}&preview=true`, next)).json;
  expect(preview).toMatchObject({ tickets: 3, known: 2 });
  expect(preview.changes).toMatchObject({
    changed: 1,
    cancelled: 1,
    unchanged: 1,
    stayCancelled: 0,
    elsewhere: 0,
    first: [
      { reference: 'U-2', isCancelled: true },
      {
        reference: 'U-1',
        isCancelled: false,
        before: { holder: { firstName: 'Ada', lastName: '' }, validUntil: null },
        after: { holder: { firstName: 'Ada-Maria' }, validUntil: '2099-01-01T23:59:59.999Z' },
      },
    ],
  });
  const stateOf = async (reference: string) =>
    (await owner.get(`/tickets?reference=${reference}`)).json.items[0]?.state;
  expect([await stateOf('U-2'), await stateOf('U-4')]).toEqual(['valid', undefined]);
  const { status, json } = await send(path + columns, next);
  expect([status, json.changed, json.cancelled, json.known]).toEqual([201, 1, 1, 2]);
  expect(json.items).toMatchObject([{ reference: 'U-4' }]);
  expect([await stateOf('U-2'), await stateOf('U-4')]).toEqual(['cancelled', 'valid']);
  const all = await send(path + columns, [head, 'U,2,Bob,,paid', 'U,9,,,void']);
  expect(all.json).toMatchObject({ items: [], changed: 0, cancelled: 0, known: 1 });
  expect(await stateOf('U-2')).toBe('cancelled');
});

test('a long list may come again while few of its rows are new or changed', async () => {
  const path = `/tickets/from-list?event=${event}&update=true`;
  const rows = (from: number, to: number, name = 'Ada') =>
    Array.from({ length: to - from }, (_, at) => `Q-${from + at},${name}`);
  const head = 'Referenz,Vorname';
  const refused = await send(path, [head, ...rows(0, 1001)]);
  expect([refused.status, refused.json.code]).toEqual([422, 'list_changes_max']);
  expect((await send(path, [head, ...rows(0, 900)])).json.items).toHaveLength(900);
  const { json } = await send(path, [head, ...rows(0, 899), ...rows(899, 1500, 'Eve')]);
  expect([json.items.length, json.changed, json.known]).toEqual([600, 1, 900]);
  const again = await send(`${path}&preview=true`, [head, ...rows(0, 1500, 'Zoë')]);
  expect([again.status, again.json.code]).toEqual([422, 'list_changes_max']);
});

test('the map of a shop says what its columns and values are', async () => {
  const path = `/tickets/from-list?event=${event}&update=true&map=pretix`;
  const head = 'Order code,Position ID,Status,Attendee name,Attendee email';
  const list = [
    head,
    'PX,1,paid,Ada Lovelace,a@b.example',
    'PX,2,pending,Bob,',
    'PX,3,canceled,Eve,',
  ];
  const { json } = await send(path, list);
  expect(json.items).toMatchObject([{ reference: 'PX-1', holder: { lastName: 'Ada Lovelace' } }]);
  expect((await send(`${path.replace('pretix', 'nobody')}`, list)).status).toBe(422);
});

test('a row with the quantity 0 is one that was cancelled', async () => {
  const path = `/tickets/from-list?event=${event}&quantity=Menge`;
  await send(`${path}&update=true`, ['Referenz,Menge', 'N-1,2', 'N-2,1']);
  const next = ['Referenz,Menge', 'N-1,0', 'N-2,1', 'N-3,0'];
  const { json } = await send(`${path}&preview=true`, next);
  expect(json).toMatchObject({ tickets: 1, cancelledRows: 2 });
  const done = await send(`${path}&update=true`, next);
  expect(done.json).toMatchObject({ items: [], cancelled: 2 });
});

test.each(['update', 'uniqueReference'])(
  'another number of tickets is told with %s',
  async (name) => {
    const path = `/tickets/from-list?event=${event}&quantity=Menge&${name}=true`;
    const row = `M-${name}`;
    await send(path, ['Referenz,Menge', `${row},2`]);
    const next = ['Referenz,Menge', `${row},3`];
    const first = [{ reference: row, listed: 3, here: 2 }];
    const preview = await send(`${path}&preview=true`, next);
    expect(preview.json.otherNumbers).toEqual({ count: 1, first });
    const { status, json } = await send(path, next);
    expect([status, json.otherNumbers]).toEqual([201, { count: 1, first }]);
    expect(await numberWith(row)).toBe(2);
  },
);

test('the answer says which other words of a column of cancelled rows count', async () => {
  const path = `/tickets/from-list?event=${event}&cancelled={"Status":["void","gone"]}`;
  const list = ['Vorname,Status', 'Ada,paid', 'Bob,pending', 'Cy,void', 'Di,'];
  const cancelledColumns = [
    {
      heading: 'Status',
      counting: ['paid', 'pending', ''].map((text) => ({ text, count: 1 })),
      more: 0,
      unseen: ['gone'],
    },
  ];
  expect((await send(`${path}&preview=true`, list)).json).toMatchObject({ cancelledColumns });
  expect((await send(path, list)).json).toMatchObject({ cancelledColumns });
});

test('a list and its file of one reference have its tickets, and no others', async () => {
  const body = { event, type: 'single', count: 2, reference: 'W-1' };
  await owner.post('/tickets', body);
  await owner.post('/tickets', { ...body, reference: 'W-11' });
  expect(await numberWith('W-1')).toBe(2);
  const file = await owner.request('GET', '/tickets/export?format=jsonl&reference=W-1');
  expect(file.text.trim().split('\n')).toHaveLength(2);
  const chosen = { reference: 'W-1' };
  const done = { changed: 2, kept: 0, next: null, items: [] };
  expect((await owner.post('/tickets/cancel', chosen)).json).toEqual(done);
  expect((await owner.post('/tickets/reinstate', chosen)).json).toEqual(done);
});

test('an export that is imported twice says what it knew', async () => {
  const id = (letter: string) => `tkt_${event}_${letter.repeat(20)}`;
  const list = ['ticketId,reference', `${id('a')},E-1`, `${id('b')},E-2`];
  const path = '/tickets/import?uniqueReference=true';
  expect((await send(path, list)).json).toMatchObject({ imported: 2, existing: 0, known: 0 });
  const preview = await send(`${path}&preview=true`, list);
  expect(preview.json).toEqual({ tickets: 2, ended: 0, known: 2 });
  expect((await send(path, list)).json).toEqual({ imported: 0, existing: 0, known: 2 });
  const others = ['ticketId,reference', `${id('a')},E-9`, `${id('c')},E-2`];
  expect((await send(path, others)).json.faults[0]).toMatchObject({ code: 'row_existing' });
});
