import { type HttpHead, isChunked } from './head.ts';

const LINE_FEED = 0x0a;
const LINE_BYTES_MAX = 4096;

/** Reads a chunked body as it arrives (RFC 9112 7.1): finds its end, and passes on what the chunks hold. */
export class ChunkReader {
  #state: 'size' | 'data' | 'data-end' | 'trailer' | 'done' = 'size';
  #line = '';
  /** Bytes of the chunk that are still to come. */
  #rest = 0;
  readonly #content: (bytes: Buffer) => void;

  constructor(content: (bytes: Buffer) => void = () => undefined) {
    this.#content = content;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /**
   * @returns how many of the bytes belong to the body; all of them while it goes on; -1 when this is no chunked body
   */
  read(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      const taken = this.#state === 'data' ? this.#data(bytes, at) : this.#text(bytes, at);
      if (taken < 0) return -1;
      at += taken;
    }
    return at;
  }

  #data(bytes: Buffer, at: number): number {
    const data = bytes.subarray(at, at + this.#rest);
    this.#content(data);
    this.#rest -= data.length;
    if (this.#rest === 0) this.#state = 'data-end';
    return data.length;
  }

  /** Reads on in a line of the framing. */
  #text(bytes: Buffer, at: number): number {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed < 0 ? bytes.length : feed;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > LINE_BYTES_MAX) return -1;
    if (feed < 0) return end - at;
    return this.#endLine() ? end + 1 - at : -1;
  }

  #endLine(): boolean {
    const line = this.#line.replace(/\r$/, '');
    this.#line = '';
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'done';
      return true;
    }
    if (this.#state === 'data-end') {
      this.#state = 'size';
      return line === '';
    }
    if (!/^[0-9a-f]{1,8}[ \t]*(;.*)?$/i.test(line)) return false;
    this.#rest = Number.parseInt(line, 16);
    this.#state = this.#rest === 0 ? 'trailer' : 'data';
    return true;
  }
}

/** What a body says, without the framing that its head announces; of one that broke off, what has arrived. */
export function contentOf(head: HttpHead, wire: Buffer): Buffer {
  if (!isChunked(head)) return wire;
  const parts: Buffer[] = [];
  new ChunkReader((bytes) => parts.push(bytes)).read(wire);
  return Buffer.concat(parts);
}

/** A chunked body of one chunk that says `content`. */
export function encodeChunk(content: Buffer): Buffer {
  if (content.length === 0) return Buffer.from('0\r\n\r\n');
  const size = Buffer.from(`${content.length.toString(16)}\r\n`);
  return Buffer.concat([size, content, Buffer.from('\r\n0\r\n\r\n')]);
}
