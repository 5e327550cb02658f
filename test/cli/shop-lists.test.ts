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

/** The headings of the table of positions, as pretix writes them for an event with attendees of two names. */
const PRETIX_HEADS = {
  en: 'Event slug,Order code,Position ID,Status,Email,Phone number,Order date,Order time,Product,Variation,Price,Tax rate,Tax rule,Tax value,Attendee name,Attendee name: Given name,Attendee name: Family name,Attendee email,Company,Address,ZIP code,City,Country,State,Voucher,Pseudonymization ID,Seat ID,Seat name,Seat zone,Seat row,Seat number,Order comment,Follow-up date,Company,Invoice address name,Invoice address name: Given name,Invoice address name: Family name,Address,ZIP code,City,Country,State,VAT ID,Sales channel,Order locale,E-mail address verified,Payment providers',
  de: 'Kurzname der Veranstaltung,Bestellnummer,Position,Status,E-Mail,Telefonnummer,Bestelldatum,Bestelluhrzeit,Produkt,Variante,Preis,Steuersatz,Steuerregel,Steuer,Name Teilnehmer*in,Name Teilnehmer*in: Vorname,Name Teilnehmer*in: Nachname,E-Mail Teilnehmer*in,Firma,Adresse,Postleitzahl,Ort,Land,Bundesstaat,Gutschein,Pseudonyme ID,Sitzplatz-ID,Sitzbezeichnung,Sitzbereich,Sitzreihe,Sitzplatz,Bestellkommentar,Datum zur Wiedervorlage,Firma,Rechnungsadresse: Name,Rechnungsadresse: Name: Vorname,Rechnungsadresse: Name: Nachname,Adresse,Postleitzahl,Ort,Land,Bundesstaat,USt-ID-Nr.,Verkaufskanal,Bestellsprache,E-Mail-Adresse verifiziert,Zahlungsmethoden',
} as const;
const PRETIX_STATES = {
  en: ['paid', 'canceled', 'pending', 'expired'],
  de: ['bezahlt', 'storniert', 'ausstehend', 'abgelaufen'],
} as const;

/** Rows of orders, one in each state. */
function pretixRows(language: 'en' | 'de', states: readonly string[]): string[][] {
  const head = PRETIX_HEADS[language].split(',');
  const names = ['Ada', 'Eve', 'Bob', 'Cy'];
  return [
    head,
    ...states.map((state, at) => {
      const row = ['pool', `O${at}`, '1', state, 'a@example.org', '', '2027-05-01', '10:00:00'];
      const guest = ['Day ticket', '', '12.00', '7', '', '0.79', `${names[at]} X`, names[at], 'X'];
      return [...row, ...guest, ...Array(head.length).fill('')].slice(0, head.length) as string[];
    }),
  ];
}

describe.each(['en', 'de'] as const)('the whole table of positions of pretix in %s', (language) => {
  const LINE = [...FROM, '--map', 'pretix', '--type-map', 'Day ticket=single', '--update'];

  test('makes tickets of what is paid, and cancels what is cancelled and nothing else', async () => {
    await using cli = await withPool();
    const [paid, cancelled, pending, expired] = PRETIX_STATES[language];
    write(
      cli,
      pretixRows(language, [paid, paid, paid, paid]).map((row) => row.join(',')),
    );
    const first = await cli.run(LINE);
    expect([first.code, first.err]).toEqual([0, expect.stringContaining('New tickets: 4')]);
    const states = [paid, cancelled, pending, expired];
    write(
      cli,
      pretixRows(language, states).map((row) => row.join(',')),
    );
    const { err } = await cli.run(LINE);
    expect(err).toContain('New tickets: 0, to change: 0, to cancel: 1, as they are: 1.');
    // Somebody should know of the rows that say neither.
    expect(err).toContain(pending);
    expect(err).toContain(expired);
    expect(await stored(cli)).toEqual({
      'O0-1': 'Ada X valid',
      'O1-1': 'Eve X cancelled',
      'O2-1': 'Bob X valid',
      'O3-1': 'Cy X valid',
    });
  });

  const rows = pretixRows(language, ['paid', 'bezahlt']);
  const padded = [rows[0]?.map((heading) => `${heading}  `) ?? [], ...rows.slice(1)];
  const lines = (cells: readonly (readonly string[])[], separator = ',') =>
    cells.map((row) => row.join(separator));
  test.each([
    ['a byte-order mark', `\ufeff${lines(rows).join('\n')}`],
    ['semicolons and CRLF', `${lines(rows, ';').join('\r\n')}\r\n`],
    ['blanks behind the headings', lines(padded).join('\n')],
    ['UTF-16 of Excel', Buffer.from(`\ufeff${lines(rows, '\t').join('\r\n')}`, 'utf16le')],
  ])('is read with %s', async (_, file) => {
    await using cli = await withPool();
    writeFileSync(join(cli.path, 'list.csv'), file);
    const options = Buffer.isBuffer(file) ? ['--encoding', 'auto'] : [];
    const { code, err } = await cli.run([...LINE, ...options]);
    expect([code, err]).toEqual([0, expect.stringContaining('New tickets: 2')]);
    expect(await stored(cli)).toEqual({ 'O0-1': 'Ada X valid', 'O1-1': 'Eve X valid' });
  });
});

/** The words of each shop for a state, in both languages: what counts, what cancels, and what does neither. */
const STATES = {
  pretix: [
    ['paid', 'bezahlt'],
    ['canceled', 'cancelled', 'storniert'],
    ['pending', 'ausstehend', 'expired', 'abgelaufen', 'weird'],
  ],
  eventbrite: [
    ['Attending', 'Checked In'],
    ['Not Attending', 'Deleted', 'Refunded', 'Refunded/Canceled', 'Cancelled', 'Transferred'],
    ['Unpaid', 'Pending', 'weird'],
  ],
  woocommerce: [
    ['Completed', 'Processing', 'Abgeschlossen', 'Fertiggestellt', 'In Bearbeitung'],
    ['Cancelled', 'Refunded', 'Failed', 'Storniert', 'Rückerstattet', 'Erstattet'],
    ['On hold', 'Pending payment', 'In Wartestellung', 'Zahlung ausstehend', 'weird'],
  ],
  'ticket-tailor': [['valid'], ['voided', 'void', 'cancelled', 'refunded'], ['held', 'weird']],
} as const;
const STATE_LISTS = {
  pretix: 'Order code,Position ID,Attendee name,Status',
  eventbrite: 'Order #,Attendee #,Attendee name,Attendee Status',
  woocommerce: 'Order Number,Item #,Attendee Name,Order Status',
  'ticket-tailor': 'Order ID,Ticket number,Attendee name,Status',
} as const;

describe.each(SHOP_NAMES)('the states of %s', (shop) => {
  test.each([
    [0, 'counts', 'valid'],
    [1, 'cancels', 'cancelled'],
    [2, 'is told, and never cancels', 'valid'],
  ] as const)('%#: such a word %s', async (index, _, state) => {
    await using cli = await withPool();
    const words = STATES[shop][index];
    const [counts] = STATES[shop][0];
    const rows = (of: (word: string) => string) => [
      STATE_LISTS[shop],
      `A,kept,Ada,${counts}`,
      ...words.map((word, at) => `A,${at},Ada,${of(word)}`),
    ];
    const line = [...FROM, '--map', shop, '--update'];
    write(
      cli,
      rows(() => counts),
    );
    expect((await cli.run(line)).code).toBe(0);
    write(
      cli,
      rows((word) => word),
    );
    const { code, err } = await cli.run(line);
    expect(code, err).toBe(0);
    if (index === 2) for (const word of words) expect(err).toContain(word);
    const states = Object.values(await stored(cli)).toSorted();
    const expected = ['Ada valid', ...words.map(() => `Ada ${state}`)];
    expect(states).toEqual(expected.toSorted());
  });
});

test.each(SHOP_NAMES)(
  'a list of %s without a map: the refusal says whose list it seems to be',
  async (name) => {
    await using cli = await withPool();
    const sample = readFileSync(`fixtures/shop-maps/${name}.csv`, 'utf8');
    write(cli, sample.trimEnd().split('\n'));
    const { err } = await cli.run(FROM);
    expect(err).toContain(`: add --map ${name}.`);
  },
);

test('a list of no known shop: nothing is guessed', async () => {
  await using cli = await withPool();
  write(cli, ['Nr,Pos,Gast,Lage,Preis', '7,1,Ada,ok,3']);
  expect((await cli.run(FROM)).err).not.toContain('seems to be');
});
