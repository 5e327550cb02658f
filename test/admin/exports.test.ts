import { expect, test, vi } from 'vitest';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();
const newEvent = async (name: string) => (await at.owner.post('/events', { name })).json.id;

function importCsv(list: string, options = '') {
  const headers = { 'content-type': 'text/csv' };
  return at.owner.request('POST', `/tickets/import?format=csv${options}`, list, headers);
}

test('an export of the log calculates nothing in a spreadsheet and steers no terminal', async () => {
  const { service, owner } = at;
  const evil = ['=2+5', '+1', '-1', '@x', '\t=1', '\u001b]0;pwned\u0007=1', '\u202e=1'];
  for (const text of evil) {
    await service.card('consume', `${text}${'x'.repeat(60)}`, { Serial: text, Reader: text });
  }
  const { text, status } = await owner.get('/log/export?format=csv');
  expect(status).toBe(200);
  expect(text.split('\n').filter((line) => line.includes('invalid_ticket'))).toHaveLength(
    evil.length,
  );
  expect(text).not.toMatch(/(^|,)"?[=+@-]/m);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
  expect((await owner.get('/log/export?format=jsonl')).text).toContain('"=2+5"');
});

test('so does an export of tickets, and an import takes the sign off again', async () => {
  const { owner } = at;
  const event = await newEvent('Lake');
  const holder = { firstName: '=1+1', lastName: "'@x" };
  await owner.post('/tickets', { event, type: 'single', count: 1, holder });
  const { text } = await owner.get('/tickets/export?format=csv');
  expect(text).toContain(",'=1+1,''@x,");
  const { ticketId } = (await owner.get(`/tickets?event=${event}&search=1%2B1`)).json.items[0];

  const other = `${ticketId.slice(0, -4)}0000`;
  const list = text
    .split('\n')
    .filter((line) => /^ticketId|=1\+1/.test(line))
    .join('\n');
  const imported = await importCsv(list.replace(ticketId, other));
  expect(imported.json).toEqual({ imported: 1, existing: 0, known: 0 });
  expect((await owner.get(`/tickets/${other}`)).json.holder).toEqual(holder);
});

test('files for Excel say everything in the language, are named by what and when, and are read back', async () => {
  const { service, owner } = at;
  const event = await newEvent('See');
  const validUntil = '2097-09-30T21:59:59.000Z';
  const holder = { firstName: 'Anna;=1+1', lastName: 'Groß' };
  const order = { event, type: 'single', count: 1, holder, validUntil };
  const [made] = (await owner.post('/tickets', order)).json.items;
  await service.rest('consume', made.code);
  const writing = 'format=excel&language=de&timeZone=Europe/Berlin';

  const tickets = await owner.get(`/tickets/export?${writing}&event=${event}`);
  const log = await owner.get(`/log/export?${writing}&ticket=${made.ticketId}`);
  const days = 'from=2026-11-01&to=2026-11-02';
  const counted = await owner.get(`/statistics/scans/export?${writing}&by=day&${days}`);
  const types = await owner.get(`/statistics/scans/export?${writing}&by=type`);

  const [head = '', row = ''] = tickets.text.split('\n');
  expect(head).toMatch(/^Ticketkennung;Veranstaltungskennung;Veranstaltung;Ticketart;/u);
  expect(head).toMatch(/;Serie;Zeitzone$/u);
  expect(row).toContain(
    `;See;Einzelticket;1;1;Aufgebraucht;"Anna;'=1+1";Groß;;30.09.2097 23:59:59;`,
  );
  expect(log.text).toMatch(/^Nummer;Zeit;Vorgang;Ergebnis;/u);
  expect(log.text).toMatch(/^\d+;\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d;Einlassen;Eingelassen;/mu);
  expect(counted.text).toMatch(/^Tag;Eingelassen;Abgewiesen;/u);
  expect(counted.text).toContain('\n01.11.2026;0;');
  expect(types.text).toMatch(/\nEinzelticket;\d+;/u);
  const names = [tickets, log, counted].map((one) => one.headers.get('content-disposition'));
  expect(names).toEqual([
    expect.stringMatching(/"tickets-\d{4}-\d\d-\d\d\.csv"/u),
    expect.stringMatching(/"scan-log-\d{4}-\d\d-\d\d\.csv"/u),
    'attachment; filename="statistics-by-day-2026-11-01-to-2026-11-02.csv"',
  ]);

  const other = `${made.ticketId.slice(0, -4)}0000`;
  const list = tickets.text.replaceAll(made.ticketId, other);
  const imported = await importCsv(list, '&timeZone=Asia/Tokyo');
  // each row says its zone: another machine reads the same times
  expect(row).toMatch(/;Europe\/Berlin$/u);
  expect(imported.json).toMatchObject({ imported: 1 });
  const found = await service.store.findTicket(other);
  expect(found).toMatchObject({ holder, usesConsumed: 1, validUntil: Date.parse(validUntil) });
});

test.each(['Serie', 'Charge'])('a German list with the batch under %s is read', async (heading) => {
  const { service } = at;
  const event = await newEvent(heading);
  const id = `tkt_${event}_0123456789abcdefghij`;
  const list = `Ticketkennung,${heading}\n${id},bat_0123456789\n`;

  const imported = await importCsv(list, '&timeZone=UTC');

  expect(imported.json).toMatchObject({ imported: 1 });
  expect(await service.store.findTicket(id)).toMatchObject({ batch: 'bat_0123456789' });
});

test('a HEAD of a file sends its headers, and reads nothing of the store', async () => {
  const { service, owner } = at;
  const reads = (['searchTickets', 'searchLog'] as const).map((name) =>
    vi.spyOn(service.store, name),
  );

  for (const path of ['/tickets/export', '/log/export']) {
    const { status, headers, text } = await owner.request('HEAD', path);
    expect([status, text], path).toEqual([200, '']);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain('attachment');
  }
  const live = await owner.request('HEAD', '/log/live');

  expect([live.status, live.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  for (const read of reads) {
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  }
});

test('scans are answered between the pieces of an export', async () => {
  const { owner } = at;
  const event = await newEvent('Pieces');
  for (let count = 0; count < 5; count += 1)
    await owner.post('/tickets', { event, type: 'single', count: 1000 });
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  const lines = (await Promise.all([owner.get('/tickets/export'), turn()]))[0].text.split('\n');
  isOver = true;

  expect(lines.length).toBeGreaterThan(5000);
  expect(turns).toBeGreaterThan(5);
});

test('a long list is written in steps, and is the same', async () => {
  const { owner } = at;
  const event = await newEvent('Steps');
  const holder = { firstName: '"items":[]', lastName: 'Ünlü' };
  await owner.post('/tickets', { event, type: 'single', count: 350, holder });

  const long = await owner.get(`/tickets?event=${event}&search=items&limit=1000`);
  const short = (await owner.get(`/tickets?event=${event}&search=items&limit=90`)).json;

  expect(long.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(long.json.items).toHaveLength(350);
  expect(long.json.items.slice(0, 90)).toEqual(short.items);
  expect(Object.keys(long.json)).toEqual(Object.keys(short));
  expect(new Set(long.json.items.map(({ ticketId }: { ticketId: string }) => ticketId)).size).toBe(
    350,
  );
});

test('what a list of tickets shows is what is exported: search, state, event and batch', async () => {
  const { owner } = at;
  const event = await newEvent('Filters');
  const order = { event, type: 'single', count: 2 };
  const made = await owner.post('/tickets', {
    ...order,
    holder: { firstName: 'Jürgen', lastName: 'Xanthippe' },
  });
  const [first] = made.json.items;
  await owner.post('/tickets', { ...order, holder: { firstName: 'Bo', lastName: 'Li' } });
  await owner.post('/tickets/cancel', { ids: [first.ticketId] });

  const filters = ['', '&search=xanthippe', '&search=Juergen&state=valid', `&batch=${first.batch}`];
  for (const filter of filters) {
    const query = `event=${event}${filter}`;
    const shown = (await owner.get(`/tickets?${query}`)).json.items;
    const { text } = await owner.get(`/tickets/export?format=jsonl&${query}`);
    const exported = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).ticketId);
    const ids = shown.map(({ ticketId }: { ticketId: string }) => ticketId);
    expect([filter, exported]).toEqual([filter, ids]);
  }
});
