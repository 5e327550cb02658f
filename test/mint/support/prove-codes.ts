import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyTicketCode } from '../../../src/core/ticket-code.ts';
import { type Box, crop, type Picture } from '../../../src/kit/pictures/picture.ts';
import { readPng } from '../../../src/kit/pictures/png.ts';
import { renderQr } from '../../../src/tickets/codes/render-qr.ts';
import { encodeQr, QUIET_ZONE } from '../../../src/tickets/codes/symbol.ts';
import { printedTickets, type TicketRun } from '../../../src/tickets/making/ticket-run.ts';
import { readWithJsqr, readWithZxing } from '../../../src/tickets/reading/find-codes.ts';
import { readSvg } from '../../../src/tickets/reading/load-pictures.ts';
import { layoutNamed } from '../../../src/tickets/sheets/layouts.ts';
import type { PrintedTicket } from '../../../src/tickets/sheets/printed-ticket.ts';
import { loadFonts } from '../../../src/tickets/sheets/text.ts';
import { writeSheet } from '../../../src/tickets/sheets/write-sheet.ts';
import { pagePictures } from './page-pictures.ts';
import { type ForZbar, hasZbar, readWithZbar, writeGrey } from './zbar.ts';

const BATCH = 250;
/** What jsqr needs around a code on a page, as a share of its side; it reads one code a picture. */
const SURROUNDINGS = 0.12;

interface Batch {
  readonly tickets: readonly PrintedTicket[];
  readonly run: TicketRun;
  readonly folder: string;
  readonly problems: string[];
  readonly forZbar: ForZbar[];
}

/**
 * Draws every ticket of a run as PNG, SVG and on a sheet; jsqr, zxing and, where it is installed, zbarimg read every
 * picture, sheets as whole pages; and the codes are verified. A drawing whose pixels are those of the PNG is read with it.
 * @param folder an empty one, for the pictures
 * @returns what was wrong; empty when every picture reads as its code
 */
export async function proveCodes(
  run: TicketRun,
  folder: string,
  sheetName: string,
): Promise<string[]> {
  const problems: string[] = [];
  let tickets: PrintedTicket[] = [];
  const finish = async () => {
    const batch: Batch = { tickets, run, folder, problems, forZbar: [] };
    await proveImages(batch);
    await proveSheet(batch, sheetName);
    if (hasZbar) problems.push(...(await readWithZbar(batch.forZbar)));
    tickets = [];
  };
  for (const ticket of printedTickets(run)) {
    tickets.push(ticket);
    if (tickets.length === BATCH) await finish();
  }
  if (tickets.length > 0) await finish();
  return problems;
}

async function proveImages({ tickets, run, folder, problems, forZbar }: Batch): Promise<void> {
  for (const [index, { code, id }] of tickets.entries()) {
    if (verifyTicketCode(code, run.keyring)?.ticketId !== id)
      problems.push(`${code} is not genuine`);
    const png = join(folder, `${index}.png`);
    // Two to four pixels a module, now and then more: large ones are no harder to read and take long.
    const scale = index % 50 === 49 ? 8 : 2 + (index % 3);
    const image = Buffer.from(renderQr(code, { format: 'png', scale }));
    writeFileSync(png, image);
    const pixels = readPng(image);
    await proveOne(png, pixels, code, problems);
    forZbar.push({ file: png, codes: [code] });

    const svg = join(folder, `${index}.svg.pgm`);
    const drawing = Buffer.from(renderQr(code, { format: 'svg' }));
    const picture = await readSvg(drawing, widthOf(code) * (2 + (index % 3)));
    // A decoder has nothing else to say of the same pixels.
    if (samePixels(picture, pixels)) continue;
    writeGrey(svg, picture);
    await proveOne(svg, picture, code, problems);
    forZbar.push({ file: svg, codes: [code] });
  }
}

function samePixels(one: Picture, other: Picture): boolean {
  return one.width === other.width && bytesOf(one).equals(bytesOf(other));
}

function bytesOf({ data }: Picture): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function widthOf(code: string): number {
  return encodeQr(code).size + 2 * QUIET_ZONE;
}

async function proveOne(name: string, picture: Picture, code: string, problems: string[]) {
  const found = await readWithZxing(picture);
  if (found.length !== 1 || found[0]?.text !== code) problems.push(`zxing does not read ${name}`);
  if (readWithJsqr(picture) !== code) problems.push(`jsqr does not read ${name}`);
}

async function proveSheet(
  { tickets, run, folder, problems, forZbar }: Batch,
  sheetName: string,
): Promise<void> {
  const layout = layoutNamed(sheetName);
  const file = join(folder, 'sheet.pdf');
  await writeSheet(createWriteStream(file), tickets, {
    layout,
    fonts: await loadFonts([]),
    timeZone: 'Europe/Athens',
    language: 'en',
    lines: [],
    title: run.event.name,
  });
  const codes = tickets.map(({ code }) => code);
  let pages = 0;
  for await (const page of pagePictures(file, layout, widthOf(codes[0] ?? ''))) {
    pages += 1;
    const name = `${file}.${pages}.pgm`;
    const onPage = codes.splice(0, layout.columns * layout.rows);
    problems.push(...(await problemsOfPage(name, page, onPage)));
    writeGrey(name, page);
    forZbar.push({ file: name, codes: onPage });
  }
  if (codes.length > 0) problems.push(`${file} has no page for ${codes.length} codes`);
}

async function problemsOfPage(
  name: string,
  page: Picture,
  codes: readonly string[],
): Promise<string[]> {
  const found = await readWithZxing(page);
  const problems = codes.flatMap((code, index) => {
    const one = found[index];
    if (one?.text !== code) return `zxing does not read code ${index} of ${name}`;
    if (readWithJsqr(crop(page, around(one.box))) === code) return [];
    return `jsqr does not read code ${index} of ${name}`;
  });
  if (found.length > codes.length) problems.push(`zxing reads too many codes of ${name}`);
  return problems;
}

function around({ left, top, right, bottom }: Box): Box {
  const by = SURROUNDINGS * (right - left);
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}
