import { TicketscanError } from '../../core/errors.ts';
import { contentOf, encodeChunk, headerOf, isChunked, withHeader } from '../../kit/http1.ts';
import type { StoredMessage } from '../recording.ts';
import { type Substitution, substitute } from '../secrets/disguises.ts';
import { placeholderBytes, placeholderOf, placeholdersToBytes } from '../secrets/placeholder.ts';
import { loadBytes } from '../stored-bytes.ts';

/** A message as bytes again: the head one character a byte. */
export interface WireMessage {
  readonly head: string;
  readonly body: Buffer;
}

/** The values to restore in the messages of a recording. */
export class Restorer {
  readonly #keys: readonly Substitution[];
  readonly #codes: readonly Substitution[];

  /**
   * @param keys by label: `key-1`
   * @param codes by the code in the recording
   */
  constructor(keys: ReadonlyMap<string, string>, codes: ReadonlyMap<string, string> = new Map()) {
    this.#keys = [...keys].map(([label, key]) => ({
      from: placeholderBytes(label),
      to: asLatin1(key),
    }));
    this.#codes = [...codes].map(([from, to]) => ({ from: asLatin1(from), to: asLatin1(to) }));
  }

  /** The bytes of the message; Content-Length is changed only if the restored values changed the length. */
  restore(message: StoredMessage): WireMessage {
    const head = this.#put(placeholdersToBytes(message.head));
    const stored = loadBytes(message.body);
    const before = contentOf(head, stored).toString('latin1');
    const after = this.#put(before);
    if (after === before) return { head, body: stored };
    const bytes = Buffer.from(after, 'latin1');
    if (isChunked(head)) return { head, body: encodeChunk(bytes) };
    return { head: withLength(head, bytes.length), body: bytes };
  }

  #put(text: string): string {
    return substitute(substitute(text, this.#codes), this.#keys);
  }
}

/** @throws TicketscanError `usage` that names the first missing key of the recording */
export function demandKeys(needed: Iterable<string>, given: ReadonlyMap<string, string>): void {
  for (const label of needed) {
    if (given.has(label)) continue;
    throw new TicketscanError(
      'usage',
      `The recording contains no keys, and needs one for ${placeholderOf(label)}: give it with --key env:NAME, or ` +
        `--key ${label}=env:NAME when it needs several.`,
    );
  }
}

function withLength(head: string, length: number): string {
  const said = headerOf(head, 'content-length');
  return said === undefined || Number(said) === length
    ? head
    : withHeader(head, 'content-length', String(length));
}

const asLatin1 = (text: string) => Buffer.from(text).toString('latin1');
