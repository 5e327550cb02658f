import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { afterAll, expect, test } from 'vitest';
import { qrLook } from '../../../src/tickets/codes/look.ts';
import { printedTickets } from '../../../src/tickets/making/make-ticket.ts';
import type { PrintedTicket } from '../../../src/tickets/making/printed-ticket.ts';
import { loadFonts } from '../../../src/tickets/sheets/fonts.ts';
import { LAYOUTS, layoutNamed } from '../../../src/tickets/sheets/layouts.ts';
import { verifySheet } from '../../../src/tickets/sheets/verify-sheet.ts';
import { type SheetSummary, writeSheet } from '../../../src/tickets/sheets/write-sheet.ts';
import { randomRun } from '../support/random-tickets.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-sheet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'sheet.pdf');

async function sheet(tickets: readonly PrintedTicket[], name: string): Promise<SheetSummary> {
  return writeSheet(createWriteStream(file), tickets, {
    layout: layoutNamed(name),
    look: qrLook(),
    fonts: await loadFonts([]),
    timeZone: 'Europe/Athens',
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

test.each(LAYOUTS)(
  'on $name every code is read by both decoders, in order',
  async ({ name, columns, rows }) => {
    const count = Math.min(columns * rows + 1, 12);
    const tickets = [...printedTickets(randomRun(name, count, 'TS1'))];

    const { pages } = await sheet(tickets, name);

    expect(pages).toBe(Math.ceil(count / (columns * rows)));
    expect(await verifySheet(file, tickets)).toEqual([]);
  },
);

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
