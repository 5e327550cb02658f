import { describe, expect, test } from 'vitest';
import {
  choicesFrom,
  meaningsFrom,
  parseHeadings,
} from '../../../src/features/tickets/commands/list-options.ts';
import { asNamed, headingList } from '../../../src/tickets/lists/named-parts.ts';
import { NEW_TICKET_COLUMNS } from '../../../src/tickets/lists/ticket-list.ts';
import { advice, holders, read, reasons } from './support/read-lists.ts';

const KNOWN = Object.keys(NEW_TICKET_COLUMNS);

/** A list with the heading and the values that rows have below it. */
function listOf(heading: string, ...values: readonly string[]): string {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = values.map((value, index) => `${'ABCDEF'[index]},${cell(value)}`);
  return `${['Vorname', cell(heading)].join()}\n${rows.join('\n')}\n`;
}

const chosen = (list: string, only: string) => holders(list, { only: choicesFrom([only]) });

describe('a value with a comma', () => {
  const ALL = listOf('Status', 'Paid, refunded', 'Paid', 'Refunded', 'Paid refunded');

  test('is chosen where the column has the whole text and no part of it', async () => {
    const list = listOf('Status', 'Paid, shipped', 'Paid, refunded', 'free', 'open');
    expect(await chosen(list, 'Status=Paid, shipped')).toEqual(['A']);
    expect(await chosen(list, 'Status=paid,SHIPPED')).toEqual(['A']);
    expect(await chosen(list, 'Status=free,Paid, shipped')).toEqual(['A', 'C']);
    expect(await chosen(list, 'Status="Paid, shipped","open"')).toEqual(['A', 'D']);
  });

  test('is refused where the column has a part of it too, and both advices work', async () => {
    const refused = await chosen(ALL, 'Status=Paid, refunded').catch((error: Error) => error);
    expect(String(refused)).toContain('has both "Paid, refunded" and "Paid"');
    const written = [...String(refused).matchAll(/--only '([^']+)'/gu)].map(
      ([, text = '']) => text,
    );
    expect(written).toEqual(['Status="Paid, refunded"', 'Status="Paid","refunded"']);
    expect(await chosen(ALL, written[1] ?? '')).toEqual(['B', 'C']);
  });

  test('is one value in quotes, and no other row counts', async () => {
    expect(
      await chosen(listOf('Status', 'paid, cash', 'paid', 'cash'), 'Status="paid, cash"'),
    ).toEqual(['A']);
    expect(await chosen(listOf('Status', 'a "b", c', 'a', 'c'), 'Status="a ""b"", c"')).toEqual([
      'A',
    ]);
  });

  test('is no reason to refuse values where nothing has the whole text', async () => {
    const list = listOf('Status', 'paid', 'free', 'paid free');
    expect(await chosen(list, 'Status=paid,free')).toEqual(['A', 'B']);
  });

  test('is told as it can be pasted', async () => {
    const list = listOf('Status', 'Paid, shipped', 'open');
    const read = chosen(list, 'Status=payed');
    await expect(read).rejects.toThrow('There are: "Paid, shipped" (1), open (1).');
  });

  test.each(['Status="paid', 'Status="paid" x', 'Status=x,"paid'])('%s is refused', (only) => {
    expect(() => choicesFrom([only])).toThrow('begins with a quote that does not end it');
  });
});

const HEADINGS = [
  'Status, Zahlung',
  'A=B',
  'Die "gute" Spalte',
  '"Q"',
  'A:B',
  'a=b, "c": d',
  'Kosten $x',
  "Otto's, neu",
];

/** The text that a POSIX shell makes of a word that an advice quotes. */
function unshelled(word: string): string {
  return word.startsWith("'")
    ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'")
    : word.slice(1, -1);
}

/** Each option that names headings or texts of a list, with one of them. */
const OPTIONS: Readonly<Record<string, (heading: string) => Promise<unknown>>> = {
  '--only': async (heading) => {
    const list = listOf(heading, 'x, y', 'z');
    expect(await chosen(list, `${asNamed(heading)}="x, y"`)).toEqual(['A']);
  },
  '--quantity': async (heading) =>
    expect(await holders(listOf(heading, '2'), { quantity: heading })).toEqual(['A', 'A']),
  '--ignore-columns': async (heading) => {
    const ignored = headingList(`Mail,${asNamed(heading)}, Telefon`);
    expect(ignored).toEqual(['Mail', heading, 'Telefon']);
    expect(await holders(listOf(heading, '2'), { ignored })).toEqual(['A']);
  },
  '--keep-columns': async (heading) => {
    const { items } = await read(listOf(heading, '2'), { kept: headingList(asNamed(heading)) });
    expect(items.map(({ kept }) => kept)).toEqual([['2']]);
  },
  '--columns': async (heading) => {
    const headings = parseHeadings(`firstName=Vorname,lastName=${asNamed(heading)}`, KNOWN);
    expect(await holders(listOf(heading, 'Lovelace'), { headings })).toEqual(['A Lovelace']);
  },
  '--type-map': async (heading) => {
    const { type } = await meaningsFrom(
      { typeMap: `x=single,${asNamed(heading)}=permanent` },
      async (name) => name,
    );
    const meanings = { type: type ?? new Map() };
    const { items } = await read(listOf('Type', heading), { meanings });
    expect(items[0]?.terms.usesAllowed).toBe(9999);
  },
  '--event-map': async (heading) => {
    const eventMap = `${asNamed(heading)}="Summer, pool=1"`;
    const { event } = await meaningsFrom({ eventMap }, async (name) => name);
    expect([...(event?.values() ?? [])]).toEqual(['Summer, pool=1']);
  },
};

describe.each(HEADINGS)('the heading %s', (heading) => {
  test.each(Object.keys(OPTIONS))('is named by %s', async (option) => {
    await OPTIONS[option]?.(heading);
  });

  test('is named so in the list of headings of a file that lacks one', async () => {
    const { issues } = await read(listOf(heading, 'x'), { only: choicesFrom(['Other=x']) });
    const missing = issues.find(({ reason }) => reason === 'column_missing');
    expect(missing?.message).toContain(`It has: Vorname, ${asNamed(heading)}.`);
  });

  test('is named by an advice that works', async () => {
    const text = await advice(listOf(`Status ${heading}`, 'x', ''));
    const words = [...text.matchAll(/--only ("[^"]*"|'(?:[^']|'\\'')*')/gu)].map(([, word = '']) =>
      unshelled(word),
    );
    expect(words).toHaveLength(2);
    const list = listOf(`Status ${heading}`, 'VALUE', '');
    expect(await chosen(list, words[0] ?? '')).toEqual(['A']);
    expect(await chosen(list, words[1] ?? '')).toEqual(['B']);
    const mail = await advice(listOf(`Mail, ${heading}`, 'x'));
    const [, ignored = ''] = /--ignore-columns (.*)$/mu.exec(mail) ?? [];
    if (ignored !== '')
      expect(
        await reasons(listOf(`Mail, ${heading}`, 'x'), {
          ignored: headingList(unshelled(ignored)),
        }),
      ).toEqual([]);
  });
});
