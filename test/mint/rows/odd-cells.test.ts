import { describe, expect, test } from 'vitest';
import { choicesFrom } from '../../../src/tickets/commands/list-options.ts';
import { advice, holders, read, reasons } from './support/read-lists.ts';

describe('rows that are good because nothing is in a column', () => {
  const LIST = 'Vorname,Storno\nAda,x\nBob,\n';

  test('can be chosen, and the advice says how', async () => {
    expect(await advice(LIST)).toContain('or those with nothing there: --only "Storno="');
    expect(await advice('Vorname,Status\nAda,paid\nBob,open\n')).not.toContain('nothing there');
    for (const only of ['Storno=', 'Storno= ', 'Storno=""'])
      expect(await holders(LIST, { only: choicesFrom([only]) })).toEqual(['Bob']);
    expect(await holders(LIST, { only: choicesFrom(['Storno="",x']) })).toEqual(['Ada', 'Bob']);
  });

  test('are not chosen by a comma too many', async () => {
    const only = choicesFrom(['Storno=x,']);
    expect(await holders(LIST, { only })).toEqual(['Ada']);
  });

  test('are among the values that are named', async () => {
    const only = choicesFrom(['Storno=']);
    await expect(read('Vorname,Storno\nAda,x\n', { only })).rejects.toThrow(
      'No row has "" in the column Storno. There are: x (1).',
    );
  });

  test.each(['', '=', '=paid', 'Status', 'Status=,'])('"%s" chooses no rows', (only) => {
    expect(() => choicesFrom([only])).toThrow('"Refunded=" for rows with nothing there');
  });
});

describe('a heading that is there twice', () => {
  test('is refused where rows are chosen or counted by it, or it is kept', async () => {
    const states = 'Vorname,Status,status\nAda,paid,refunded\n';
    const only = choicesFrom(['Status=paid']);
    expect(await reasons(states, { only })).toEqual(['column_same status']);
    const counts = 'Vorname,Menge,Menge\nAda,2,3\n';
    expect(await reasons(counts, { quantity: 'Menge' })).toEqual(['column_same Menge']);
    const colours = 'Vorname,Farbe,Farbe\nAda,2,3\n';
    expect(await reasons(colours, { kept: ['Farbe'] })).toEqual(['column_same Farbe']);
  });
});

describe('a head that is none', () => {
  test.each(['|', '~', '^', '¦'])('cells between %s are named as that', async (sign) => {
    const list = `First name${sign}Last name\nAnn${sign}Bee\n`;
    expect(await reasons(list)).toEqual(['list_separator null']);
    expect(await advice(list)).toContain(`separated by ${sign}`);
  });

  test.each([
    'Guest list Summer;;\nVorname;Nachname;Gültig bis\nAda;Lovelace;30.09.2027\n',
    'Guest list Summer;;\n;;\nVorname;Nachname;Gültig bis\nAda;Lovelace;30.09.2027\n',
  ])('a title above the headings is named as that', async (list) => {
    expect(await reasons(list)).toEqual(['list_title null']);
    expect(await advice(list)).not.toContain('--columns');
  });

  test('one unknown column is still one to be assigned', async () => {
    expect(await reasons('Gast\nAda Lovelace\n')).toEqual(['column_unknown Gast']);
  });
});

describe('columns without a heading', () => {
  test('are no columns while nothing is in them', async () => {
    expect(await holders('Vorname,Nachname,,,\nAda,Lovelace,,,\n')).toEqual(['Ada Lovelace']);
    expect(await holders(',Vorname, ,Nachname\n,Ada,,Lovelace\n')).toEqual(['Ada Lovelace']);
  });

  test('are named by what is in them', async () => {
    const list = 'Vorname,\nAda,\nBob,refunded\n';
    expect(await reasons(list)).toEqual(['row_no_heading null']);
    expect(await advice(list)).toContain('line 3: "refunded" is in a column without a heading.');
  });
});

describe('what programs leave in cells', () => {
  test.each([
    '="Ann"',
    '="007"',
    '#NAME?',
    '#VALUE!',
    '#WERT!',
    '#REF!',
    '#BEZUG!',
    '#N/A',
    '#NV',
    '#DIV/0!',
    'NULL',
    'undefined',
    'NaN',
    '\\N',
    'M&uuml;ller',
    'O&#39;Brien',
    'O&#x27;Brien',
    '[object Object]',
  ])('%s is no name', async (text) => {
    const list = `Vorname;Nachname\nAda;"${text.replaceAll('"', '""')}"\n`;
    expect(await reasons(list)).toEqual(['row_left_over lastName']);
    const json = `${JSON.stringify({ firstName: 'Ada', lastName: text })}\n`;
    expect(await reasons(json, { format: 'json' })).toEqual(['row_left_over lastName']);
  });

  test.each(['Null', 'Nan', 'Smith & Sons', 'AT&T', 'R&D; Lab', '#1 Fan', 'Nv', '=', 'A=B'])(
    '%s is a name',
    async (text) => {
      const list = `Vorname;Nachname\nAda;"${text}"\n`;
      expect(await holders(list)).toEqual([`Ada ${text}`]);
    },
  );

  test('an end as a formula is named as that, and no other date advised', async () => {
    const list = 'Vorname;Gültig bis\nAda;"=""2027-01-01"""\n';
    expect(await reasons(list)).toEqual(['row_left_over validUntil']);
  });

  test('a column that is left out may have anything', async () => {
    const list = 'Vorname;Notiz\nAda;#NAME?\n';
    expect(await holders(list, { ignored: ['Notiz'] })).toEqual(['Ada']);
  });
});
