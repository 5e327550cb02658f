const LINE_FEED = 0x0a;
const LINE_BYTES_MAX = 4096;

/** Finds the end of a chunked body as it arrives. It reads only the framing and changes nothing. */
export class ChunkScanner {
  #state: 'size' | 'data' | 'trailer' | 'done' = 'size';
  #line = '';
  /** Remaining bytes of the chunk, with its line end. */
  #rest = 0;

  get done(): boolean {
    return this.#state === 'done';
  }

  /**
   * @returns how many of the bytes belong to the body; all while it continues; -1 when this is not a chunked body
   */
  scan(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      const taken = this.#state === 'data' ? this.#data(bytes.length - at) : this.#text(bytes, at);
      if (taken < 0) return -1;
      at += taken;
    }
    return at;
  }

  #data(available: number): number {
    const taken = Math.min(this.#rest, available);
    this.#rest -= taken;
    if (this.#rest === 0) this.#state = 'size';
    return taken;
  }

  /** Reads on in a line of the framing. */
  #text(bytes: Uint8Array, at: number): number {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed < 0 ? bytes.length : feed;
    this.#line += Buffer.from(bytes.subarray(at, end)).toString('latin1');
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
    if (!/^[0-9a-f]{1,8}[ \t]*(;.*)?$/i.test(line)) return false;
    const size = Number.parseInt(line, 16);
    this.#state = size === 0 ? 'trailer' : 'data';
    this.#rest = size + 2;
    return true;
  }
}

/** The content of a chunked body, without its framing. */
export function decodeChunks(wire: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = wire.indexOf(LINE_FEED, at);
    const size = lineEnd < 0 ? 0 : Number.parseInt(wire.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(wire.subarray(lineEnd + 1, lineEnd + 1 + size));
    at = lineEnd + 1 + size + 2;
  }
}

/** A chunked body of one chunk that says `content`. */
export function encodeChunk(content: Buffer): Buffer {
  if (content.length === 0) return Buffer.from('0\r\n\r\n');
  const size = Buffer.from(`${content.length.toString(16)}\r\n`);
  return Buffer.concat([size, content, Buffer.from('\r\n0\r\n\r\n')]);
}
