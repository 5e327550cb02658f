import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TICKET_FIELD_NAMES } from '../../../src/core/ticket-fields.ts';
import { InProcess } from '../../support/in-process.ts';

const place = new InProcess();
const path = (...names: string[]) => join(place.path, ...names);
const HEAD = 'Bestellnummer;Ticketcode;Produkt;Vorname;Nachname;E-Mail;Gültig bis';
const PRODUCTS = ['Tageskarte', 'Zehnerkarte', 'Saisonkarte', 'Jahreskarte'];

beforeAll(async () => {
  await place.run('events create --name Pool');
  const rows = Array.from({ length: 120 }, (_, row) => {
    const product = PRODUCTS[row % PRODUCTS.length];
    return `Bestellung-${row};X${row};${product};Ada;Nr ${row};=a${row}@example.org;30.09.2097`;
  });
  writeFileSync(path('shop.csv'), [HEAD, ...rows, ''].join('\n'));
});
afterAll(() => place[Symbol.asyncDispose]());

const mint = (options: string, list = 'shop.csv') =>
  place.run(`mint --event Pool --from-csv ${list} --columns type=Produkt ${options}`);

test('the list of another shop is minted, and kept columns are in tickets.csv and nowhere else', async () => {
  const kept = '--keep-columns Bestellnummer,E-Mail --ignore-columns Ticketcode';
  const { code, out, err } = await mint(`--out kept --format csv,json --excel --json ${kept}`);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const [head = '', ...rows] = readFileSync(path('kept', 'tickets.csv'), 'utf8').trim().split('\n');
  const fields = TICKET_FIELD_NAMES.join(';');
  expect(head.endsWith(`;validUntil;${fields};timeZone;Bestellnummer;E-Mail`), head).toBe(true);
  expect(rows[1]).toMatch(/;multi;10;Ada;Nr 1;.*;Bestellung-1;'=a1@example\.org$/u);
  expect(rows.map((row) => row.split(';')[4])).toEqual(expect.arrayContaining(['1', '10', '9999']));
  const elsewhere = [out, err, readFileSync(path('kept', 'tickets.json'), 'utf8')];
  elsewhere.push((await place.run('tickets export')).out, (await place.run('store info')).out);
  for (const file of readdirSync(place.path).filter((name) => name.startsWith('ticketscan.')))
    elsewhere.push(readFileSync(path(file), 'latin1'));
  for (const text of elsewhere) expect(text).not.toMatch(/Bestellung-1|example\.org/u);
});

test.each([
  [
    '--keep-columns Bestellung --format csv',
    'column Bestellung: The file does not have this column.',
  ],
  ['--keep-columns Bestellnummer,Code --format csv', '"Code" of its own'],
  ['--keep-columns E-Mail --ignore-columns E-Mail --format csv', '"E-Mail" is in'],
  ['--keep-columns E-Mail --format json', 'add csv to --format'],
])('%s is refused', async (options, message) => {
  const { failure, err } = await mint(`${options} --out other`);
  expect([failure, err]).toEqual(['usage', expect.stringContaining(message)]);
});

test('unknown columns are named once, with what to do, and the known ones once', async () => {
  const { code, err } = await mint('--out unknown');
  expect(code).toBe(2);
  expect(err).toContain('line 1: unknown columns Bestellnummer, Ticketcode, E-Mail\n');
  expect(err).toContain('--ignore-columns "Bestellnummer,Ticketcode,E-Mail"');
  expect(err.match(/firstName/gu)).toHaveLength(1);
  expect(err).not.toContain('--skip-bad');
});

test('equal issues of rows are said once, with their first lines and how many there are', async () => {
  const rows = Array.from({ length: 300 }, () => 'Familienkarte;Ada');
  const list = ['Produkt;Vorname', ...rows, 'Tageskarte;Bob', ''];
  writeFileSync(path('family.csv'), list.join('\n'));
  const { code, err } = await mint('--out kinds', 'family.csv');
  expect(code).toBe(2);
  expect(err).toContain('lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 290 more, column type: "Famil');
  expect(err.match(/Familienkarte/gu)).toHaveLength(1);
});

test('a list with foreign codes leads to mint --from-csv, and so does the help', async () => {
  const columns = 'ticketId=Ticketcode,type=Produkt --ignore-columns Bestellnummer,E-Mail';
  const { code, err } = await place.run(`tickets import shop.csv --columns ${columns}`);
  expect([code, err.length < 500]).toEqual([2, true]);
  expect(err).toContain('ticketscan mint --event EVENT --from-csv shop.csv');
  const help = await place.run('tickets import --help');
  expect(help.out).not.toContain('shop.csv');
  expect(help.out).toContain('mint --from-csv');
  expect((await place.run('mint --help')).out).toContain('--from-csv shop.csv');
});
