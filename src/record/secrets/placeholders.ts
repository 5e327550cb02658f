import { TicketscanError } from '../../core/errors.ts';
import { contentOf, encodeChunk, headerOf, isChunked, withHeader } from '../../kit/http1.ts';
import { loadBytes, type StoredMessage } from '../recording.ts';
import { type Substitution, substitute } from './disguises.ts';

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

/** The placeholder of a key in a recording. */
function placeholderOf(label: string): string {
  return `‹${label}›`;
}

/** The same in the bytes of UTF-8, one character each, as in a body. */
export function placeholderBytes(label: string): string {
  return Buffer.from(placeholderOf(label)).toString('latin1');
}

const PLACEHOLDER_IN_HEAD = /‹([a-z]+-\d+)›/g;
const PLACEHOLDER_IN_BYTES = new RegExp(placeholderBytes('([a-z]+-\\d+)'), 'g');

/** A head with its placeholders as people read them. They are not Latin-1, so no head contains them already. */
export function showPlaceholders(head: string): string {
  return head.replace(PLACEHOLDER_IN_BYTES, (_whole, label: string) => placeholderOf(label));
}

/** The opposite: a head of one character for each byte again. */
function placeholdersToBytes(head: string): string {
  return head.replace(PLACEHOLDER_IN_HEAD, (_whole, label: string) => placeholderBytes(label));
}
