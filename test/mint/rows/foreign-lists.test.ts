import { describe, expect, test } from 'vitest';
import { choicesFrom } from '../../../src/features/tickets/commands/list-options.ts';
import { looksGarbled } from '../../../src/tickets/lists/garbled.ts';
import { likenessOf } from '../../../src/tickets/lists/headings.ts';
import { isTotal } from '../../../src/tickets/lists/total-rows.ts';
import { advice, holders, read, reasons } from './support/read-lists.ts';

describe('encodings', () => {
  const LIST = 'Vorname\tGültig bis\r\nJörg\t30.09.2027\r\nZoë\t30.09.2027\r\n';
  const utf16le = Buffer.from(`\ufeff${LIST}`, 'utf16le');

  test.each(['utf-8', 'latin1', 'auto'] as const)(
    'UTF-16 is read by its mark, whatever was chosen: %s',
    async (encoding) => {
      expect(await holders(utf16le, { encoding })).toEqual(['Jörg', 'Zoë']);
      expect(await holders(Buffer.from(utf16le).swap16(), { encoding })).toEqual(['Jörg', 'Zoë']);
      expect(await holders(`\ufeff${LIST}`, { encoding })).toEqual(['Jörg', 'Zoë']);
    },
  );

  test.each([
    ['CP850', Buffer.from('Vorname;G\u0081ltig bis\nAda;30.09.2027\n', 'latin1')],
    ['MacRoman', Buffer.from('Vorname;G\u009fltig bis\nAda;30.09.2027\n', 'latin1')],
    ['UTF-8 that was saved as Windows-1252', Buffer.from('Vorname;GÃ¼ltig bis\nAda;30.09.2027\n')],
  ])(
    'a heading of %s is named as a fault of the encoding, never to be left out',
    async (_, list) => {
      for (const encoding of ['latin1', 'auto'] as const)
        expect((await reasons(list, { encoding }))[0]).toMatch(/^column_garbled G.+ltig bis$/u);
    },
  );

  test('an encoding is not advised with which letters would be wrong', async () => {
    const list = Buffer.from('Vorname;G\u0081ltig bis\nAda;30.09.2027\n', 'latin1');
    await expect(read(list)).rejects.not.toThrow('--encoding');
  });

  test('a list in two encodings stores no wrong letters', async () => {
    const list = Buffer.concat([
      Buffer.from('Vorname\nJörg\n'),
      Buffer.from('Zoë\n', 'latin1'),
      Buffer.from('Ada\n'),
    ]);
    expect(await reasons(list, { encoding: 'auto' })).toEqual(['row_garbled firstName']);
  });

  test.each([
    ['MacRoman', Buffer.from('Vorname;Nachname\nJ\x9arg;Wei\xa7\n', 'latin1'), 'lastName'],
    ['CP1250', Buffer.from('Vorname;Nachname\n\xa3ukasz;D\xb9browski\n', 'latin1'), 'firstName'],
  ])('names of a list in %s are wrong letters, not names', async (_, list, column) => {
    for (const encoding of ['latin1', 'auto'] as const)
      expect(await reasons(list, { encoding })).toEqual([`row_garbled ${column}`]);
    await expect(read(list)).rejects.not.toThrow('--encoding');
  });

  test('a guess is told, with letters by which it can be judged', async () => {
    const { notes } = await read(Buffer.from('Vorname\nAda\nJörg\n', 'latin1'), {
      encoding: 'auto',
    });
    expect(notes.join()).toMatch(/Windows-1252.*line 3: "Jörg".*save it as UTF-8/u);
    expect((await read('Vorname\nJörg\n', { encoding: 'auto' })).notes).toEqual([]);
  });

  test.each([
    'Jörg Müller',
    'Šárka Žižková',
    'JOÃO ÂNGELO',
    'Groß „Spaß“',
    'O’Brien',
    'Łukasz',
    'Ÿ',
    'Mª José',
    'Dušan Košťál',
    'Saal 50 m³',
    'Nach § 5 frei, £20',
    '¿Quién?',
    'Anna–Lena',
  ])('%s is not garbled', (name) => {
    expect(looksGarbled(name)).toBe(false);
  });

  test.each([
    'Wei§',
    'Stra§e',
    '£ukasz',
    'D¹browski',
    'Micha³',
    'Pawe³ek',
    '¯aneta',
    'Go¿dzik',
    'Ayºe',
    'B¶hm',
    'B¤r',
    'JÃ¶rg',
    'GŸltig',
    'G„ste',
    'M\ufffdller',
    'Oâ€™Brien',
    'ÐŸÐµÑ‚Ñ€',
  ])('%s is garbled', (name) => {
    expect(looksGarbled(name)).toBe(true);
  });
});

test.each([
  ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'list_workbook'],
  ['a web page', Buffer.from('\ufeff <html><table><tr><td>Vorname'), 'list_web_page'],
  ['UTF-16 without a mark', Buffer.from('Vorname\nJo\n', 'utf16le'), 'list_no_text'],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x56, 0, 0, 0]), 'list_utf32'],
  ['UTF-32 of the other byte order', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x56]), 'list_utf32'],
  ['a PDF', Buffer.from('%PDF-1.7\n'), 'list_no_text'],
])('%s is named as what it is', async (_, bytes, reason) => {
  await expect(read(bytes)).rejects.toMatchObject({ code: 'usage', reason });
});

describe('rows that count', () => {
  const ORDERS = 'Vorname;Status;Quantity\nAda;paid;1\nBob;Canceled;2\nCid;PAID ;3\nDan;free;1\n';
  const only = choicesFrom(['status=paid,free']);

  test('a column of states is asked about, and one of numbers', async () => {
    expect(await reasons(ORDERS)).toEqual(['column_state Status', 'column_quantity Quantity']);
    const text = await advice(ORDERS);
    expect(text).toContain('--only "Status=VALUE,VALUE"');
    expect(text).toContain('--quantity "Quantity"');
    expect(text).not.toContain('--ignore-columns');
  });

  test('only rows with one of the values count, and what was left out is told', async () => {
    const { items, issues, notes } = await read(ORDERS, { only, quantity: 'Quantity' });
    expect(issues).toEqual([]);
    const names = items.map(({ terms }) => terms.holder?.firstName);
    expect(names).toEqual(['Ada', 'Cid', 'Cid', 'Cid', 'Dan']);
    expect(notes.join()).toContain('status: Canceled (1)');
  });

  test('rows that do not count may be wrong in other columns', async () => {
    const list = 'Vorname;Status;Gültig bis\nAda;paid;30.09.2027\nBob;canceled;never\n';
    expect(await holders(list, { only })).toEqual(['Ada']);
  });

  test('a value that no row has is refused, with those that there are', async () => {
    const wrong = read(ORDERS, { only: choicesFrom(['Status=payed']), quantity: 'Quantity' });
    await expect(wrong).rejects.toThrow('paid (2), Canceled (1), free (1)');
  });

  test('a column that is not there is told', async () => {
    expect(await reasons('Vorname\nAda\n', { only })).toEqual(['column_missing status']);
  });

  test.each(['', 'two', '1001', '1.5', '-1', '-0'])(
    '"%s" is no number of tickets',
    async (text) => {
      const list = `Vorname;Menge\nAda;1\nBob;2.0\nCid;"${text}"\n`;
      expect(await reasons(list, { quantity: 'Menge' })).toEqual(['row_quantity Menge']);
    },
  );

  test.each(['0', '0.0', '0,00', ' 0 '])('a row with "%s" tickets was cancelled', async (text) => {
    const list = `Vorname;Referenz;Menge\nAda;A;1\nBob;B;"${text}"\n`;
    const { items, cancelled, issues } = await read(list, { quantity: 'Menge' });
    expect(issues).toEqual([]);
    expect(items.map(({ terms }) => terms.reference)).toEqual(['A']);
    expect(cancelled).toEqual([{ line: 3, reference: 'B' }]);
  });

  test.each(['Status', '=paid', 'Status=,'])('--only %s is refused', (text) => {
    expect(() => choicesFrom([text])).toThrow('COLUMN=VALUE');
  });
});

describe('names in one column', () => {
  test('a whole name is taken as it is written', async () => {
    const list = 'Full name\n"García Márquez, Gabriel"\n';
    expect(await holders(list)).toEqual(['García Márquez, Gabriel']);
    const named = await holders('Attendee\nAda Lovelace\n', { headings: { name: 'Attendee' } });
    expect(named).toEqual(['Ada Lovelace']);
  });

  test('Name is the last name beside a first name, and the whole name alone', async () => {
    const { items } = await read('Vorname;Name\nAda;Lovelace\n');
    expect(items[0]?.terms.holder).toEqual({ firstName: 'Ada', lastName: 'Lovelace' });
    expect(await holders('Name\nAda Lovelace\n')).toEqual(['Ada Lovelace']);
  });

  test('a whole name beside its parts is refused', async () => {
    const reason = ['column_twice Full name'];
    expect(await reasons('Full name;Vorname;Nachname\nAda;Ada;Lovelace\n')).toEqual(reason);
  });

  test('the advice assigns names, the guest before the buyer, and leaves out no end', async () => {
    const text = await advice(
      'Order First Name;Order Last Name;Order Email;Ticket First Name;Ticket Last Name;Expires;Shoe size\n',
    );
    const pairs = 'firstName=Ticket First Name,lastName=Ticket Last Name,validUntil=Expires';
    expect(text).toContain(`--columns "${pairs}"`);
    expect(text).toContain('--ignore-columns "Order First Name,Order Last Name,Order Email"');
    expect(text).toContain('"Shoe size": look at this column.');
  });
});

test.each([
  ['Order State', 'state'],
  ['Attendee Status', 'state'],
  ['Bezahlt', 'state'],
  ['Refunded', 'state'],
  ['Qty', 'quantity'],
  ['Anzahl', 'quantity'],
  ['Attendee name', 'name'],
  ['Teilnehmer', 'name'],
  ['Attendee E-mail', null],
  ['Company name', null],
  ['Event', 'look'],
  ['Shoe size', 'look'],
  ['Valid until', 'validUntil'],
  ['Ablaufdatum', 'validUntil'],
  ['Bestellnummer', null],
  ['Sitzplatz', 'look'],
])('a column %s is like %s', (heading, likeness) => {
  expect(likenessOf(heading)).toBe(likeness);
});

describe('rows that look like no other', () => {
  test.each([
    ['Vorname;Nachname\nAda;Lovelace\nBob;Babbage\nSumme;2\n'],
    ['Vorname;Nachname\nAda;Lovelace\nTotal:;\n'],
    ['Vorname;Nachname;Gültig bis\nA;B;30.09.2027\nC;D;30.09.2027\nexported by till 3;;\n'],
    ['Vorname;Nachname\nAda;Love\nBob;Mar\nTotal:;2 Tickets\n'],
    ['Vorname;Nachname\nAda;Love\nSumme Karten;2\n'],
    ['firstName,lastName\nAda,Love\nTotal général,2\n'],
    ['firstName,lastName\nAda,Love\nGrand total,2\n'],
    ['Vorname;Nachname\nSumme: 2 Tickets;\nAda;Love\n'],
    ['Voornaam;Achternaam\nAda;Love\nTotaal aantal;2\n'],
    ['Vorname;Nachname;Gültig bis\nAda;Love;31.12.2027\nStand: 28.11.2026;;\n'],
    ['Vorname;Nachname;Gültig bis\nStand: 28.11.2026;;\nAda;Love;31.12.2027\n'],
    ['Vorname;Nachname;Gültig bis\nAda;Love;31.12.2027\nExportiert am 28.11.2026 um 12:00;;\n'],
    ['Vorname;Nachname\nAda;Love\nStand;28.11.2026\n'],
    ['Name\nAda Love\nDruck vom 2026-11-28\n'],
    ['Vorname;Nachname\nExported by the till;\nAda;Love\n'],
    ['Vorname;Nachname\nAda;Love\nStand: heute;\nBob;Mar\n'],
    ['Vorname;Nachname\nAda;Love\n2 Gäste;\n'],
    ['Name;Gültig bis\nAda;31.12.2027\nBob;31.12.2027\nVielen Dank;\n'],
    ['Vorname;Nachname;Typ;Nutzungen\nAda;Love;multi;2\nBob;Mar;multi;2\n;;;4\n'],
  ])('are named before anything is stored: %s', async (list) => {
    expect(await reasons(list)).toEqual(['row_odd null']);
  });

  test('guests are none', async () => {
    const list = 'Vorname;Nachname\nAda;Lovelace\nTotal;Bob\nCid;\n';
    expect(await holders(list)).toEqual(['Ada Lovelace', 'Total Bob', 'Cid']);
    expect(isTotal(['Summe', '125,00 €', ''])).toBe(true);
    expect(isTotal(['Sum', 'Ting-Wei'])).toBe(false);
    const rows = [
      'Page;Smith;',
      'Stand;;',
      'Total Bob;;30.09.2027',
      'Anna 2;;',
      'J. R.;Count;',
      ';;',
      'Ada;L;1.10.2027',
    ];
    const odd = `Vorname;Nachname;Gültig bis\n${rows.join('\n')}\n`;
    expect((await read(odd)).issues).toEqual([]);
  });

  test('a note below a sum is seen too', async () => {
    const list =
      'Vorname;Nachname;Gültig bis\nA;B;30.09.2027\nC;D;30.09.2027\nSumme;2;\nVielen Dank;;\n';
    expect(await reasons(list)).toEqual(['row_odd null', 'row_odd null']);
  });
});

test.each([
  ['lines that end in CR alone', 'Vorname;Gültig bis\rAda;30.09.2027\rBob;1.10.2027\r'],
  [
    'a quoted separator line',
    '"sep=;"\r\nVorname;Gültig bis\r\nAda;30.09.2027\r\nBob;1.10.2027\r\n',
  ],
])('a list with %s is read', async (_, list) => {
  expect(await holders(list)).toEqual(['Ada', 'Bob']);
});

test.each([
  ['2027-12-24 18:00:00+01', '2027-12-24T17:00:00.000Z'],
  ['2027-12-24T18:00+05:30', '2027-12-24T12:30:00.000Z'],
  ['2027-12-24 24:00', '2027-12-24T23:00:00.000Z'],
  ['31.12.2027 24:00', '2027-12-31T23:00:00.000Z'],
  ['31.12.9999', null],
  ['9999-12-31 23:59:59', null],
])('an end at %s is read as %s', async (text, expected) => {
  const { items, issues } = await read(`Gültig bis\n${text}\n`);
  expect(issues).toEqual([]);
  const until = items[0]?.terms.validUntil ?? null;
  expect(until === null ? null : new Date(until).toISOString()).toBe(expected);
});

test.each(['2027-12-24 24:01', '2027-12-24 25:00', '2027-12-24 18:00+24', '01.01.9999'])(
  '%s is refused',
  async (text) => {
    expect((await read(`Gültig bis\n${text}\n`)).issues).toHaveLength(1);
  },
);

test.each([
  ['46752', 'time_serial'],
  ['46752.75', 'time_serial'],
  ['31.12.27 18:00', 'time_short_year'],
  ['31.12.27', 'time_short_year'],
  ['24/12/2027', 'time_order'],
  ['12/31/2027 11:59 PM', 'time_order'],
  ['31-12-2027', 'time_order'],
  ['unbegrenzt', 'time_endless'],
  ['Unlimited', 'time_endless'],
  ['illimité', 'time_endless'],
  ['-', 'time_endless'],
  ['24. Dezember 2027', 'time_form'],
  ['2027', 'time_form'],
])('an end at "%s" is never guessed, and what to do is said: %s', async (text, reason) => {
  expect(await reasons(`Gültig bis\n${text}\n`)).toEqual([`${reason} validUntil`]);
});
