import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SHOP_NAMES } from '../../src/core/shop-names.ts';
import { CliFolder } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';

const FROM = ['mint', '--event', 'Pool', '--from-csv', 'list.csv'];
const REFERENCE = ['--reference', 'Order,Position'];
const UPDATE = [...FROM, ...REFERENCE, '--cancelled', 'Status=void,refunded', '--update'];
const HEAD = 'Order,Position,firstName,lastName,validUntil,Status';

async function withPool(): Promise<CliFolder> {
  const cli = new CliFolder();
  await cli.json(['events', 'create', '--name', 'Pool']);
  return cli;
}

const write = (cli: CliFolder, rows: readonly string[]) =>
  writeFileSync(join(cli.path, 'list.csv'), rows.join('\n'));

interface Listed {
  readonly reference: string;
  readonly state: string;
  readonly validUntil: string | null;
  readonly holder: { readonly firstName: string; readonly lastName: string } | null;
}

/** What there is of each reference. */
async function stored(cli: CliFolder): Promise<Record<string, string>> {
  const tickets: Listed[] = await cli.json(['tickets', 'list']);
  return Object.fromEntries(
    tickets.map(({ reference, holder, state, validUntil }) => [
      reference,
      [
        holder ? `${holder.firstName} ${holder.lastName}`.trim() : '',
        state,
        validUntil?.slice(0, 4),
      ]
        .join(' ')
        .trim(),
    ]),
  );
}

const FIRST = [
  HEAD,
  'A,1,Ada,Lovelace,,paid',
  'A,2,Charles,Babbage,,paid',
  'B,1,Eve,Example,,paid',
];

test('a list that comes again makes what is new, and takes over names, ends and cancellations', async () => {
  await using cli = await withPool();
  write(cli, FIRST);
  expect(await cli.json([...UPDATE, '--json'])).toHaveLength(3);
  const made = { 'A-1': 'Ada Lovelace valid', 'A-2': 'Charles Babbage valid' };
  expect(await stored(cli)).toEqual({ ...made, 'B-1': 'Eve Example valid' });

  write(cli, [
    HEAD,
    'A,1,Ada,King,31.12.2099,paid',
    'A,2,,,,VOID',
    'B,1,,,,paid',
    'C,1,Di,New,,paid',
    'D,1,Never,Made,,refunded',
  ]);
  const plan = await cli.json([...UPDATE, '--dry-run', '--json']);
  expect(plan).toMatchObject({ new: 1, unchanged: 1, stayCancelled: 0, elsewhere: 0 });
  expect(plan.changed).toMatchObject([
    {
      line: 2,
      reference: 'A-1',
      before: { holder: { firstName: 'Ada', lastName: 'Lovelace' }, validUntil: null },
      after: { holder: { firstName: 'Ada', lastName: 'King' } },
    },
  ]);
  expect(plan.cancelled).toMatchObject([{ line: 3, reference: 'A-2' }]);
  expect(await stored(cli)).toEqual({ ...made, 'B-1': 'Eve Example valid' });

  const { code, err } = await cli.run([...UPDATE, '--json']);
  expect(code).toBe(0);
  expect(err).toContain('New tickets: 1, to change: 1, to cancel: 1, as they are: 1.');
  expect(err).toContain('A-1: name: Ada Lovelace → Ada King');
  const now = {
    'A-1': 'Ada King valid 2099',
    'A-2': 'Charles Babbage cancelled',
    'B-1': 'Eve Example valid',
    'C-1': 'Di New valid',
  };
  expect(await stored(cli)).toEqual(now);
  const again = await cli.run([...UPDATE, '--json']);
  expect([again.code, again.out]).toEqual([0, '[]\n']);
  expect(again.err).toContain('New tickets: 0, to change: 0, to cancel: 0, as they are: 4.');

  // The list takes a cancellation back; a person must do that here.
  write(cli, FIRST);
  expect((await cli.run(UPDATE)).err).toContain('1 ticket cancelled here');
  expect(await stored(cli)).toEqual({ ...now, 'A-1': 'Ada Lovelace valid 2099' });
});

test('a dry run tells the numbers, and changes nothing', async () => {
  await using cli = await withPool();
  write(cli, FIRST);
  await cli.run(UPDATE);
  write(cli, [HEAD, 'A,1,Ada,King,,paid', 'A,2,,,,void']);
  const before = await stored(cli);
  const dry = await cli.run([...UPDATE, '--dry-run']);
  expect([dry.code, dry.out]).toEqual([0, '']);
  expect(dry.err).toContain('Nothing was changed (--dry-run).');
  expect(await stored(cli)).toEqual(before);
});

test('a list tells nothing of tickets of another event, of erased guests, and of rows that are gone', async () => {
  await using cli = await withPool();
  await cli.json(['events', 'create', '--name', 'Lake']);
  write(cli, FIRST);
  await cli.run(UPDATE);
  const tickets = await cli.json(['tickets', 'list']);
  const { ticketId } = tickets.find(({ reference }: Listed) => reference === 'B-1');
  await cli.run(['privacy', 'erase', ticketId, '--yes']);
  write(cli, [HEAD, 'B,1,Eve,Renamed,,paid']);
  expect((await cli.run(UPDATE)).err).toContain(
    '1 reference of another event or of an erased guest',
  );
  write(cli, [HEAD, 'A,1,Ada,Renamed,,paid', 'A,2,,,,void']);
  const other = UPDATE.map((word) => (word === 'Pool' ? 'Lake' : word));
  expect((await cli.run(other)).err).toContain('2 references of another event');
  expect(await stored(cli)).toMatchObject({
    'A-1': 'Ada Lovelace valid',
    'A-2': 'Charles Babbage valid',
  });
});

test('a change that a ticket cannot take is named with its line, and nothing is stored', async () => {
  await using cli = await withPool();
  write(cli, ['Order,validFrom,firstName', 'A,2030-01-01,Ada']);
  const line = [...FROM, '--reference', 'Order', '--update'];
  await cli.run(line);
  write(cli, ['Order,validUntil,firstName', 'A,2029-01-01,King', 'B,,New']);
  const { code, err } = await cli.run(line);
  expect([code, err]).toEqual([2, expect.stringContaining('line 2')]);
  expect(await stored(cli)).toEqual({ A: 'Ada not_yet_valid' });
});

test('a row without all parts of its reference, and words without a column, are refused', async () => {
  await using cli = await withPool();
  write(cli, [HEAD, 'A,,Ada,Lovelace,,paid']);
  expect((await cli.run(UPDATE)).err).toContain('Each row needs a reference');
  write(cli, FIRST);
  const words = await cli.run([...FROM, ...REFERENCE, '--cancelled', 'void']);
  expect([words.code, words.err]).toEqual([2, expect.stringContaining('names no column')]);
  const alone = await cli.run(['mint', '--event', 'Pool', '--update']);
  expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--update is about a list')]);
});

/** What the sample of each shop becomes. */
const SAMPLES = {
  pretix: { 'KX3QD-1': 'Ada Lovelace valid', 'KX3QD-2': 'Charles Babbage valid' },
  eventbrite: { '1001-5001': 'Ada Lovelace valid', '1001-5002': 'Charles Babbage valid' },
  woocommerce: { '4711-1': 'Ada Lovelace valid', '4711-2': 'Ada Lovelace valid' },
  'ticket-tailor': { 'T-1': 'Ada Lovelace valid', 'T-2': 'Charles Babbage valid' },
} as const;

/** The word of each shop in the sample for a ticket that counts, and the one for a cancelled one. */
const WORDS = {
  pretix: [',paid,', ',canceled,'],
  eventbrite: [',Attending,', ',Not Attending,'],
  woocommerce: [',Completed,', ',Refunded,'],
  'ticket-tailor': [',0,T', ',1,T'],
} as const;

describe.each(SHOP_NAMES)('the list of %s', (shop) => {
  test('is read with its map, and cancels what the shop cancelled', async () => {
    await using cli = await withPool();
    const sample = readFileSync(`fixtures/shop-maps/${shop}.csv`, 'utf8').trim();
    write(cli, sample.split('\n'));
    const line = [...FROM, '--map', shop, '--type-map', 'Day ticket=single', '--update'];
    await cli.run(line);
    expect(await stored(cli)).toEqual(SAMPLES[shop]);
    expect(await cli.json(['tickets', 'list'])).toHaveLength(shop === 'woocommerce' ? 3 : 2);
    const [counts, cancelled] = WORDS[shop];
    write(cli, sample.replace(counts, cancelled).split('\n'));
    const { err } = await cli.run(line);
    const number = shop === 'woocommerce' ? 2 : 1;
    expect(err).toContain(`New tickets: 0, to change: 0, to cancel: ${number}, as they are: 1.`);
    const [first = ''] = Object.keys(SAMPLES[shop]);
    expect((await stored(cli))[first]).toContain('cancelled');
  });
});

test('a map of somebody is a file, and what is wrong in it is named with its place', async () => {
  await using cli = await withPool();
  write(cli, ['Nr,Gast,Zustand,Extra,Cancelled at', '7,Ada,ok,x,', '8,Eve,weg,y,']);
  const map = ['columns: {name: [Gast]}', 'reference: [[Nr]]', 'cancelled: {Zustand: [weg]}'];
  writeFileSync(join(cli.path, 'own.yaml'), map.join('\n'));
  const line = [...FROM, '--map', 'own.yaml', '--update'];
  const refused = await cli.run(line);
  // What may say that a row does not count is never left out unseen.
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Cancelled at')]);
  expect(refused.err).not.toContain('Extra');
  const { err } = await cli.run([...line, '--ignore-columns', 'Cancelled at']);
  expect(err).toContain('Columns left out, because the map does not know them: Extra.');
  expect(await stored(cli)).toEqual({ 7: 'Ada valid' });
  writeFileSync(join(cli.path, 'own.yaml'), 'columns: {name: [Gast]}\ncolour: [red]');
  expect((await cli.run(line)).err).toContain('own.yaml:2:');
  expect((await cli.run([...FROM, '--map', 'nowhere.yaml'])).err).toContain('pretix');
});

test('words alone are more values of the columns of a map, and rows that the map leaves out stay left out', async () => {
  await using cli = await withPool();
  const head = 'Order code,Position ID,Status,Attendee name';
  write(cli, [head, 'A,1,paid,Ada', 'B,1,paid,Eve', 'C,1,pending,Bob']);
  const line = [...FROM, '--map', 'pretix', '--update'];
  await cli.run(line);
  write(cli, [head, 'A,1,gone,Ada', 'B,1,canceled,Eve', 'C,1,pending,Bob']);
  const { err } = await cli.run([...line, '--cancelled', 'gone']);
  expect(err).toContain('to cancel: 2');
  expect(await stored(cli)).toEqual({ 'A-1': 'Ada cancelled', 'B-1': 'Eve cancelled' });
});

test('on a terminal the numbers come first, and a no changes and makes nothing', async () => {
  await using folder = new InProcess();
  await folder.run('events create --name Pool');
  const list = (rows: readonly string[]) =>
    writeFileSync(join(folder.path, 'list.csv'), rows.join('\n'));
  list(FIRST);
  expect(await folder.ask(UPDATE, 'y\n')).toMatchObject({ code: 0 });
  list([HEAD, 'A,1,Ada,King,,paid', 'A,2,,,,void', 'E,1,Ed,New,,paid']);
  const no = await folder.ask(UPDATE, 'n\n');
  expect([no.code, no.err]).toEqual([
    1,
    expect.stringMatching(/to change: 1, to cancel: 1[\s\S]*\[y\/N\] [\s\S]*Nothing was changed/),
  ]);
  const before = await folder.json('tickets list');
  expect(before.map(({ state }: Listed) => state)).toEqual(['valid', 'valid', 'valid']);
  expect(await folder.ask([...UPDATE, '--yes'], '')).toMatchObject({ code: 0 });
  const after = await folder.json('tickets list');
  const states = after.map(({ state }: Listed) => state).toSorted();
  expect(states).toEqual(['cancelled', 'valid', 'valid', 'valid']);
});
