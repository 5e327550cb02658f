import type { PrintedTicket } from '../making/printed-ticket.ts';
import { DECODERS, type FoundCode, findCodes } from '../reading/find-codes.ts';
import { loadPictures } from '../reading/load-pictures.ts';

/**
 * Reads a sheet back with two independent decoders.
 * @param tickets those that it should hold, in their order
 * @returns what is wrong, for each ticket; empty when both decoders read every code, in order, and no other
 */
export async function verifySheet(
  file: string,
  tickets: Iterable<PrintedTicket>,
): Promise<{ file: string; message: string }[]> {
  const faults: { file: string; message: string }[] = [];
  const expected = tickets[Symbol.iterator]();
  for await (const { found, page } of codesOn(file)) {
    const next = expected.next();
    const message = next.done ? 'one code too many' : differenceOf(found, next.value);
    if (message === undefined) continue;
    faults.push({ file, message: `page ${page}: ${message}` });
    // One code that is missing moves all behind it: telling them one by one would help nobody.
    if (next.done || found.text !== next.value.code) return faults;
  }
  const left = expected.next();
  if (!left.done) faults.push({ file, message: `${left.value.id} cannot be read` });
  return faults;
}

async function* codesOn(file: string): AsyncGenerator<{ found: FoundCode; page: number | null }> {
  for await (const { picture, page } of loadPictures(file)) {
    for (const found of await findCodes(picture)) yield { found, page };
  }
}

function differenceOf(found: FoundCode, ticket: PrintedTicket): string | undefined {
  if (found.text !== ticket.code) return `${ticket.id} is not in its place`;
  if (found.decoders.length === DECODERS.length) return undefined;
  return `only ${found.decoders.join()} reads ${ticket.id}`;
}
