import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TICKET_FIELD_NAMES } from '../../../src/core/ticket-fields.ts';
import { InProcess } from '../../support/in-process.ts';

const place = new InProcess();
const path = (...names: string[]) => join(place.path, ...names);

beforeAll(async () => {
  await place.run('events create --name Pool');
});
afterAll(() => place[Symbol.asyncDispose]());

const mint = (options: string) => place.run(`mint --event Pool ${options}`);

interface Minted {
  readonly ticketId: string;
  readonly usesAllowed: number;
}
const mintedIn = (folder: string): Minted[] =>
  JSON.parse(readFileSync(path(folder, 'tickets.json'), 'utf8'));

test('every format is written, read back and named by the ticket; no list is overwritten by accident', async () => {
  const all = '--count 3 --type permanent --out all --format png,svg,txt,pdf,csv,json';
  const { code, err } = await mint(all);
  expect([code, err]).toEqual([0, expect.stringContaining('two decoders')]);
  const tickets = mintedIn('all');
  const files = tickets.flatMap(({ ticketId }) =>
    ['png', 'svg', 'txt'].map((end) => `${ticketId}.${end}`),
  );
  const lists = ['tickets.csv', 'tickets.json', 'tickets.pdf'];
  expect(readdirSync(path('all')).toSorted()).toEqual([...files, ...lists].toSorted());
  expect(tickets.map(({ usesAllowed }) => usesAllowed)).toEqual([9999, 9999, 9999]);

  const before = readFileSync(path('all', 'tickets.csv'), 'utf8');
  expect(await mint('--out all --format csv')).toMatchObject({ code: 2 });
  expect(readFileSync(path('all', 'tickets.csv'), 'utf8')).toBe(before);
});

test('whatever is minted says what is written on each ticket: files for programs, for a spreadsheet, and stdout', async () => {
  const written = '--reference R9 --note N9 --attention yes';
  const { out } = await mint(`${written} --json --out written --format csv,json`);
  const fields = { reference: 'R9', note: 'N9', attention: true };
  expect(JSON.parse(out)).toMatchObject([fields]);
  expect(mintedIn('written')).toMatchObject([fields]);
  const [head = '', row = ''] = readFileSync(path('written', 'tickets.csv'), 'utf8').split('\n');
  const columns = head.trim().split(',').slice(-TICKET_FIELD_NAMES.length);
  expect(columns).toEqual(TICKET_FIELD_NAMES);
  const values = row.trim().split(',').slice(-columns.length);
  expect(values.slice(0, 3)).toEqual(['R9', 'N9', 'true']);
  await mint(`${written} --out spread --format csv,pdf --excel --language de`);
  const [headings = '', cells = ''] = readFileSync(path('spread', 'tickets.csv'), 'utf8').split(
    '\n',
  );
  expect(headings).toContain(';Referenz;Notiz;Achtung;');
  expect(cells).toContain(';R9;N9;ja;');
  await mint('--count 2 --json --out plain --format json');
  const nothing = { reference: null, note: null, attention: false };
  expect(mintedIn('plain')).toMatchObject([nothing, nothing]);
});

test('what was minted is a list that brings the same fields to new tickets', async () => {
  for (const file of ['tickets.csv', 'tickets.json']) {
    const from = file.endsWith('csv') ? '--from-csv' : '--from-json';
    const ignored = '--ignore-columns ticketId,code';
    const { code, out, err } = await mint(`${from} written/${file} ${ignored} --json`);
    expect([code, err]).toEqual([0, expect.stringContaining('Batch')]);
    expect(JSON.parse(out)).toMatchObject([{ reference: 'R9', note: 'N9', attention: true }]);
  }
});

test('--skip-bad mints the good rows and reports the bad ones', async () => {
  writeFileSync(
    path('some.csv'),
    '\ufefftype;uses;First Name;valid until\r\nsingle;;Ελένη;2026-12-24\r\nmulti;500;Bob;\r\n',
  );
  const options = '--out some --format json --time-zone Europe/Athens';
  const { code, err } = await mint(`--from-csv some.csv --skip-bad ${options}`);
  expect([code, err]).toEqual([0, expect.stringContaining('skipped line 3, column uses')]);
  expect(mintedIn('some')).toMatchObject([
    { holder: { firstName: 'Ελένη', lastName: '' }, validUntil: '2026-12-24T21:59:59.999Z' },
  ]);
});

test('without an active key nothing is minted, and it says how to make one', async () => {
  const file = path('ticketscan.keyring.json');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.replaceAll('"active"', '"verify-only"'));
  const before = await place.json('audit');
  const { code, err } = await mint('--out keyless');
  expect([code, err]).toEqual([2, expect.stringContaining('ticketscan signing-keys rotate')]);
  expect(await place.json('audit')).toEqual(before);
  await place.json('signing-keys rotate');
  expect(await mint('--out keyless')).toMatchObject({ code: 0 });
});
