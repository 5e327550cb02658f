import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { verifyTicketCode } from '../../../src/core/ticket-code.ts';
import type { PrintedTicket } from '../../../src/mint/printed-ticket.ts';
import { qrLook } from '../../../src/mint/qr/look.ts';
import { type FoundCode, findCodes } from '../../../src/mint/read/find-codes.ts';
import { loadPictures } from '../../../src/mint/read/load-pictures.ts';
import { crop, type Picture } from '../../../src/mint/read/picture.ts';
import { readWithZxing } from '../../../src/mint/read/zxing.ts';
import { renderQr } from '../../../src/mint/render-qr.ts';
import { printedTickets, type TicketRun } from '../../../src/mint/run/make-ticket.ts';
import { loadFonts } from '../../../src/mint/sheet/fonts.ts';
import { layoutNamed } from '../../../src/mint/sheet/layouts.ts';
import { writeSheet } from '../../../src/mint/sheet/write-sheet.ts';

/** Debian's reader of bar codes, where it is installed: a third opinion that shares no code with the other two. */
export const hasZbar = spawnSync('zbarimg', ['--version']).error === undefined;

/** Pictures that zbarimg is still to read, with the codes that it must find. */
interface ForZbar {
  readonly file: string;
  readonly codes: readonly string[];
}

const BATCH = 250;

/**
 * Draws every ticket of a run as PNG, SVG and on a sheet, reads all of them with two decoders (and zbarimg where it is
 * installed), and verifies the codes.
 * @param folder an empty one, for the pictures
 * @returns what was wrong; empty when every picture reads as its code
 */
export async function proveCodes(
  run: TicketRun,
  folder: string,
  sheetName: string,
  onBatch: (tickets: number) => void = () => undefined,
): Promise<string[]> {
  const problems: string[] = [];
  let batch: PrintedTicket[] = [];
  let done = 0;
  const finish = async () => {
    problems.push(...(await proveBatch(batch, run, folder, sheetName)));
    done += batch.length;
    batch = [];
    onBatch(done);
  };
  for (const ticket of printedTickets(run)) {
    batch.push(ticket);
    if (batch.length === BATCH) await finish();
  }
  if (batch.length > 0) await finish();
  return problems;
}

async function proveBatch(
  tickets: readonly PrintedTicket[],
  run: TicketRun,
  folder: string,
  sheetName: string,
): Promise<string[]> {
  const problems: string[] = [];
  const forZbar: ForZbar[] = [];
  for (const [index, { code, ticketId }] of tickets.entries()) {
    if (verifyTicketCode(code, run.keyring)?.ticketId !== ticketId)
      problems.push(`${code} is not genuine`);
    for (const format of ['png', 'svg'] as const) {
      const file = join(folder, `${index}.${format}`);
      writeFileSync(file, renderQr(code, { format, scale: 2 + (index % 7) }));
      const drawn = await readFile(file, [code], problems);
      forZbar.push(...drawn);
    }
  }
  const sheet = join(folder, 'sheet.pdf');
  await writeSheet(createWriteStream(sheet), tickets, {
    layout: layoutNamed(sheetName),
    look: qrLook(),
    fonts: await loadFonts([]),
    timeZone: 'Europe/Athens',
    title: run.event.name,
  });
  const codes = tickets.map(({ code }) => code);
  forZbar.push(...(await readFile(sheet, codes, problems)));
  if (hasZbar) problems.push(...readWithZbar(forZbar));
  return problems;
}

/** Reads a file with both decoders, page by page, and gives each code on as a picture of its own. */
async function readFile(
  file: string,
  codes: readonly string[],
  problems: string[],
): Promise<ForZbar[]> {
  const pictures: ForZbar[] = [];
  let left = [...codes];
  for await (const { picture, page } of loadPictures(file)) {
    const found = await findCodes(picture);
    const expected = left.slice(0, found.length);
    left = left.slice(found.length);
    problems.push(...found.flatMap((one, index) => differenceOf(file, one, expected[index])));
    if (!hasZbar) continue;
    if (page === null) pictures.push(writePicture(`${file}.png`, picture, expected));
    else pictures.push(...(await cutOut(`${file}.${page}`, picture, expected)));
  }
  if (left.length > 0) problems.push(`${file}: ${left.length} codes cannot be read`);
  return pictures;
}

function differenceOf(file: string, { text, decoders }: FoundCode, expected: string | undefined) {
  return [
    ...(text === expected ? [] : [`${file} reads ${text}, not ${expected}`]),
    ...(decoders.length === 2 ? [] : [`${file}: only ${decoders.join()} reads ${text}`]),
  ];
}

/** One ticket at a time, as a gate sees them: of a page with many codes zbarimg misses about one in a hundred. */
async function cutOut(name: string, page: Picture, codes: readonly string[]): Promise<ForZbar[]> {
  const located = await readWithZxing(page);
  return located.map(({ box }, index) => {
    const by = 0.12 * (box.right - box.left);
    const around = {
      left: box.left - by,
      top: box.top - by,
      right: box.right + by,
      bottom: box.bottom + by,
    };
    return writePicture(`${name}.${index}.png`, crop(page, around), codes.slice(index, index + 1));
  });
}

function writePicture(file: string, picture: Picture, codes: readonly string[]): ForZbar {
  writeFileSync(file, pngOf(picture));
  return { file, codes };
}

function pngOf({ width, height, data }: Picture): Buffer {
  const png = new PNG({ width, height });
  png.data = Buffer.from(data.buffer);
  return PNG.sync.write(png, { colorType: 0, deflateLevel: 1 });
}

/** One call for many pictures; it prints the codes of each between its tags. */
function readWithZbar(pictures: readonly ForZbar[]): string[] {
  const problems: string[] = [];
  const options = ['--quiet', '--xml', '--nodbus', '-Sdisable', '-Sqrcode.enable'];
  const files = pictures.map(({ file }) => file);
  const xml = execFileSync('zbarimg', [...options, ...files], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const { file, codes } of pictures) {
    const source = xml.split(`<source href='${file}'>`)[1]?.split('</source>')[0] ?? '';
    const read = Array.from(source.matchAll(/<!\[CDATA\[(.*?)\]\]>/gu), (match) => match[1]);
    const missing = codes.filter((code) => !read.includes(code));
    if (missing.length > 0)
      problems.push(`zbarimg does not read ${missing.length} codes of ${file}`);
    if (read.length > codes.length) problems.push(`zbarimg reads too many codes of ${file}`);
  }
  return problems;
}
