import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { PNG } from 'pngjs';
import { afterAll, expect, test } from 'vitest';
import { LOGO_BYTES_MAX } from '../../../src/core/limits.ts';
import { printedTickets } from '../../../src/tickets/making/ticket-run.ts';
import { verifySheet } from '../../../src/tickets/reading/read-back.ts';
import { LAYOUTS, layoutNamed } from '../../../src/tickets/sheets/layouts.ts';
import { readLogo } from '../../../src/tickets/sheets/logo.ts';
import type { PrintedTicket, SheetContent } from '../../../src/tickets/sheets/printed-ticket.ts';
import { loadFonts } from '../../../src/tickets/sheets/text.ts';
import { type SheetSummary, writeSheet } from '../../../src/tickets/sheets/write-sheet.ts';
import { randomRun } from '../support/random-tickets.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-sheet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'sheet.pdf');

async function sheet(
  tickets: readonly PrintedTicket[],
  name: string,
  content: Partial<SheetContent> = {},
): Promise<SheetSummary> {
  return writeSheet(createWriteStream(file), tickets, {
    layout: layoutNamed(name),
    fonts: await loadFonts([]),
    timeZone: 'Europe/Athens',
    language: 'en',
    lines: [],
    ...content,
    title: 'Test',
  });
}

async function textOf(): Promise<string> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(readFileSync(file));
  const text = [...document.pages()].map((page) => page.getText()).join('\n');
  document.destroy();
  library.destroy();
  return text;
}

/** A wide picture, as most logos are. */
function logo(): Buffer {
  const picture = new PNG({ width: 400, height: 100 });
  for (let at = 0; at < picture.data.length; at += 4)
    picture.data.set([0, 90 + (at % 100), 160, 255], at);
  return readLogo(PNG.sync.write(picture));
}

const LONG_NAMES = {
  eventName: 'Internationales Schwimmfest der Freundinnen und Freunde des Hallenbads am See',
  holder: {
    firstName: 'Karl-Theodor Maria Nikolaus Johann Jakob',
    lastName: 'Freiherr von Donaudampfschifffahrtsgesellschaftskapitän',
  },
} as const;

const GERMAN = {
  language: 'de',
  timeZone: 'Europe/Berlin',
  lines: ['Einlass ab 9 Uhr', 'Kasse: Öffnungszeiten täglich außer montags'],
  logo: logo(),
} as const;

const HOLDERS = [
  { firstName: 'Jürgen', lastName: 'Groß' },
  { firstName: 'أحمد', lastName: 'علي' },
  { firstName: 'Мария', lastName: 'Иванова' },
  LONG_NAMES.holder,
];

test.each(LAYOUTS)(
  'on $name, with logo and own lines, every code is read by both decoders, in order',
  async ({ name, columns, rows }) => {
    const count = Math.min(columns * rows + 1, 12);
    const tickets = [...printedTickets(randomRun(name, count, 'TS1'))].map((ticket, index) => ({
      ...ticket,
      holder: HOLDERS[index % HOLDERS.length] ?? null,
    }));

    const { pages, missing } = await sheet(tickets, name, GERMAN);

    expect(missing).toEqual([]);
    expect(pages).toBe(Math.ceil(count / (columns * rows)));
    expect(await verifySheet(file, tickets)).toEqual([]);
  },
);

test('a code that would be printed too small is refused', async () => {
  const [ticket] = printedTickets(randomRun('small', 1, 'TS1'));
  const long = { ...(ticket as PrintedTicket), code: 'a'.repeat(300) };

  await expect(sheet([long], 'label-67x25')).rejects.toThrow('phones need 0.33 mm');
});

test('a sheet with a ticket missing, and one with the wrong tickets, is told', async () => {
  const tickets = [...printedTickets(randomRun('missing', 4, 'TS1'))];
  await sheet(tickets.slice(0, 3), 'a4');

  const [missing] = await verifySheet(file, tickets);
  const [swapped] = await verifySheet(file, tickets.toReversed());

  expect(missing?.message).toBe(`${tickets[3]?.id} cannot be read`);
  expect(swapped?.message).toContain('is not in its place');
});

test('a ticket says event, holder, kind, window in local time and its id', async () => {
  const [first] = printedTickets(randomRun('text', 1, 'TS1'));
  const ticket: PrintedTicket = {
    ...(first as PrintedTicket),
    eventId: 'abc123',
    eventName: 'Summer pool',
    holder: { firstName: 'Ελένη', lastName: 'Şükrü' },
    ticketType: 'multi',
    usesAllowed: 10,
    validFrom: Date.UTC(2026, 11, 24, 22, 30),
    validUntil: null,
  };

  const { missing } = await sheet([ticket], 'a4');

  const text = await textOf();
  for (const part of [
    'Summer pool',
    'Ελένη Şükrü',
    'Card for 10 uses',
    'From 25 Dec 2026, 00:30',
    'tkt_abc123_',
  ]) {
    expect(text).toContain(part);
  }
  expect(missing).toEqual([]);
});

test('characters that no font has are told, and stand as boxes', async () => {
  const [first] = printedTickets(randomRun('boxes', 1, 'TS1'));
  const holder = { firstName: '小明', lastName: '👩‍👩‍👧' };

  const { missing } = await sheet([{ ...(first as PrintedTicket), holder }], 'label-63x38');

  expect(missing).toEqual(['小', '明', '👩‍👩‍👧']);
  expect(await textOf()).toContain('□□ □');
});

test('a German sheet has German words, times of its zone, own lines and whole names', async () => {
  const [first] = printedTickets(randomRun('german', 1, 'TS1'));
  const window = { validFrom: null, validUntil: Date.UTC(2027, 8, 30, 21, 59) };
  const terms = { ticketType: 'multi', usesAllowed: 10, ...window } as const;

  await sheet([{ ...(first as PrintedTicket), ...LONG_NAMES, ...terms }], 'a4', GERMAN);

  // A word wider than a line goes on in the next one.
  const text = (await textOf()).replaceAll(/\s/gu, '');
  const { firstName, lastName } = LONG_NAMES.holder;
  for (const part of [
    ...[LONG_NAMES.eventName, firstName, lastName, ...GERMAN.lines],
    ...['Mehrfachkarte, 10 Nutzungen', 'Gültig bis 30.09.2027, 23:59'],
  ]) {
    expect(text).toContain(part.replaceAll(' ', ''));
  }
  expect(text).not.toContain('…');
});

test.each([
  ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'not a PNG'],
  ['too many pixels', PNG.sync.write(new PNG({ width: 1001, height: 1 })), '1001 × 1 pixels'],
  ['one cut short', logo().subarray(0, 60), 'cannot be read'],
  ['too many bytes', Buffer.concat([logo(), Buffer.alloc(LOGO_BYTES_MAX)]), 'bytes'],
])('a logo is refused: %s', (_name, bytes, why) => {
  expect(() => readLogo(bytes)).toThrow(why);
});
