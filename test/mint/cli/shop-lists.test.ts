import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Workplace } from '../support/program.ts';

const place = new Workplace();
const HEAD = 'Bestellnummer;Ticketcode;Produkt;Vorname;Nachname;E-Mail;Gültig bis';
const PRODUCTS = ['Tageskarte', 'Zehnerkarte', 'Saisonkarte', 'Jahreskarte'];

function shopRow(index: number): string {
  const product = PRODUCTS[index % PRODUCTS.length];
  return `B-${index};X${index};${product};Ada;Nr ${index};=a${index}@example.org;30.09.2097`;
}

function shop(name: string, rows: readonly string[], head = HEAD): void {
  writeFileSync(place.path(name), [head, ...rows, ''].join('\n'));
}

beforeAll(async () => {
  await place.output('events', 'create', '--name', 'Pool');
});
beforeEach(() => {
  shop(
    'shop.csv',
    Array.from({ length: 120 }, (_, index) => shopRow(index)),
  );
});
afterAll(() => place.remove());

const mint = (...args: string[]) =>
  place.run(
    'mint',
    '--event',
    'Pool',
    '--from-csv',
    'shop.csv',
    '--columns',
    'type=Produkt',
    ...args,
  );

test('the list of another shop is minted, and kept columns are in tickets.csv and nowhere else', async () => {
  const formats = ['--format', 'csv,json', '--excel', '--json'];
  const kept = ['--keep-columns', 'Bestellnummer,E-Mail', '--ignore-columns', 'Ticketcode'];

  const { code, stdout, stderr } = await mint('--out', 'kept', ...formats, ...kept);

  expect({ code, stderr }).toMatchObject({ code: 0 });
  const [head = '', ...rows] = readFileSync(place.path('kept/tickets.csv'), 'utf8')
    .trim()
    .split('\n');
  expect(head).toMatch(/;validUntil;Bestellnummer;E-Mail$/u);
  expect(rows[1]).toMatch(/;multi;10;Ada;Nr 1;.*;B-1;'=a1@example\.org$/u);
  expect(rows.map((row) => row.split(';')[4])).toEqual(expect.arrayContaining(['1', '10', '9999']));
  const elsewhere = [stdout, stderr, readFileSync(place.path('kept/tickets.json'), 'utf8')];
  elsewhere.push(await place.output('tickets', 'export'), await place.output('store', 'info'));
  for (const file of readdirSync(place.folder).filter((name) => name.startsWith('ticketscan.')))
    elsewhere.push(readFileSync(place.path(file), 'latin1'));
  for (const text of elsewhere) expect(text).not.toMatch(/B-1|example\.org/u);
});

test('a run that was cut short is resumed with the same kept columns only', async () => {
  const csv = ['--format', 'csv', '--out', 'other'];
  const { code, stderr } = await mint('--keep-columns', 'Bestellung', ...csv);
  expect(code).toBe(2);
  expect(stderr).toContain('column Bestellung: The file does not have this column.');
  const taken = await mint('--keep-columns', 'Bestellnummer,Code', ...csv);
  expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('"Code" of its own') });
  const both = await mint('--keep-columns', 'E-Mail', '--ignore-columns', 'E-Mail', ...csv);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('"E-Mail" is in') });
  const nowhere = await mint('--keep-columns', 'E-Mail', '--format', 'json', '--out', 'other');
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('add csv to --format'),
  });
});

test('unknown columns are named once, with what to do, and the known ones once', async () => {
  const { code, stderr } = await mint('--out', 'unknown');

  expect(code).toBe(2);
  expect(stderr).toContain('line 1: unknown columns Bestellnummer, Ticketcode, E-Mail\n');
  expect(stderr).toContain('--ignore-columns "Bestellnummer,Ticketcode,E-Mail"');
  expect(stderr.match(/firstName/gu)).toHaveLength(1);
  expect(stderr).not.toContain('--skip-bad');
});

test('equal issues of rows are said once, with their first lines and how many there are', async () => {
  const rows = Array.from({ length: 300 }, () => 'Familienkarte;Ada');
  shop('shop.csv', [...rows, 'Tageskarte;Bob'], 'Produkt;Vorname');

  const { code, stderr } = await mint('--out', 'kinds');

  expect(code).toBe(2);
  expect(stderr).toContain(
    'lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 290 more, column type: "Familienkarte" is not a type of ticket.',
  );
  expect(stderr.match(/Familienkarte/gu)).toHaveLength(1);
});

test.each([
  ['no column of ids', []],
  [
    'foreign codes',
    ['--columns', 'ticketId=Ticketcode,type=Produkt', '--ignore-columns', 'Bestellnummer,E-Mail'],
  ],
])('a list with %s leads to mint --from-csv', async (_, options) => {
  const { code, stderr } = await place.run('tickets', 'import', 'shop.csv', ...options);

  expect(code).toBe(2);
  expect(stderr).toContain('ticketscan mint --event EVENT --from-csv shop.csv');
  expect(stderr.length).toBeLessThan(500);
});

test('the examples of the help for a list of another shop name mint', async () => {
  const help = await place.output('tickets', 'import', '--help');
  expect(help).not.toContain('shop.csv');
  expect(help).toContain('mint --from-csv');
  expect(await place.output('mint', '--help')).toContain('--from-csv shop.csv');
});
