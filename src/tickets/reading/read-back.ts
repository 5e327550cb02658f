import { messageOf } from '../../core/errors.ts';
import type { PrintedTicket } from '../sheets/printed-ticket.ts';
import { DECODERS, type FoundCode, readPages } from './find-codes.ts';

/** A problem of a file that was read back. */
export interface FileIssue {
  readonly file: string;
  readonly message: string;
}

/**
 * Reads an image back from its file with two independent decoders.
 * @returns what is wrong with it; undefined when both read exactly that code and no other
 */
export async function readBack(file: string, code: string): Promise<string | undefined> {
  try {
    for await (const { codes } of readPages(file)) {
      const [first, ...others] = codes;
      if (!first) return 'no decoder finds a code in it';
      if (others.length > 0) return 'it contains more than one code';
      if (first.text !== code) return 'it reads as another code';
      const missing = DECODERS.filter((decoder) => !first.decoders.includes(decoder));
      if (missing.length > 0) return `${missing.join(' and ')} cannot read it`;
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Reads a sheet back with two independent decoders.
 * @param tickets those that it should hold, in their order
 * @returns what is wrong, for each ticket; empty when both decoders read every code, in order, and no other
 */
export async function verifySheet(
  file: string,
  tickets: Iterable<PrintedTicket>,
): Promise<FileIssue[]> {
  const issues: FileIssue[] = [];
  const expected = tickets[Symbol.iterator]();
  for await (const { found, page } of codesOn(file)) {
    const next = expected.next();
    const message = next.done ? 'one code too many' : differenceOf(found, next.value);
    if (message === undefined) continue;
    issues.push({ file, message: `page ${page}: ${message}` });
    // A missing code moves all codes after it, so listing each of them would not help.
    if (next.done || found.text !== next.value.code) return issues;
  }
  const left = expected.next();
  if (!left.done) issues.push({ file, message: `${left.value.id} cannot be read` });
  return issues;
}

async function* codesOn(file: string): AsyncGenerator<{ found: FoundCode; page: number | null }> {
  for await (const { codes, page } of readPages(file)) {
    for (const found of codes) yield { found, page };
  }
}

function differenceOf(found: FoundCode, ticket: PrintedTicket): string | undefined {
  if (found.text !== ticket.code) return `${ticket.id} is not in its place`;
  if (found.decoders.length === DECODERS.length) return undefined;
  return `only ${found.decoders.join()} reads ${ticket.id}`;
}
