import { ChunkReader } from './chunks.ts';
import { type HttpHead, headerOf, isChunked } from './head.ts';

/** How a body ends: after a number of bytes, by its chunks, or with the connection. */
export type BodyFraming = number | 'chunked' | 'until-end';

/** Receives the messages of one direction of a connection. Every byte is delivered exactly once, in order. */
export interface MessageListener {
  /** The head is complete. Returns how its body is framed. */
  head(head: HttpHead): BodyFraming;
  body(bytes: Buffer): void;
  /** The message is complete. */
  end(): void;
  /** These bytes, and all that follow, are not HTTP/1. */
  unreadable(bytes: Buffer): void;
}

const HEAD_BYTES_MAX = 64 * 1024;
const NOTHING = Buffer.alloc(0);
const HEAD_END = /\r?\n\r?\n/;
const HTTP = 'HTTP/';
/** Whether the first bytes of a message can be those of a head. */
const BEGINS = {
  request: (text: string) => /^[\r\n]*[A-Z]*(?:[A-Z][ \t]|$)/.test(text),
  response: (text: string) => text.startsWith(HTTP) || HTTP.startsWith(text),
};

/** Splits the bytes of a connection into messages. */
export class MessageReader {
  readonly #listener: MessageListener;
  readonly #begins: (text: string) => boolean;
  #held: Buffer = NOTHING;
  #framing: BodyFraming | 'head' | 'unreadable' = 'head';
  #chunks: ChunkReader | undefined;

  constructor(direction: 'request' | 'response', listener: MessageListener) {
    this.#listener = listener;
    this.#begins = BEGINS[direction];
  }

  /** True when a message has begun and is not complete. */
  get isInside(): boolean {
    return this.#framing !== 'head' || this.#held.some((byte) => byte !== 0x0d && byte !== 0x0a);
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) rest = this.#framing === 'head' ? this.#head(rest) : this.#body(rest);
  }

  /** The connection ends: a body without other framing is now complete. */
  finish(): void {
    if (this.#framing !== 'until-end') return;
    this.#framing = 'head';
    this.#listener.end();
  }

  /** The bytes of an incomplete head. */
  takeHeld(): Buffer {
    const held = this.#held;
    this.#held = NOTHING;
    return held;
  }

  #head(bytes: Buffer): Buffer {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = NOTHING;
    const text = all.toString('latin1', 0, HEAD_BYTES_MAX + 4);
    const start = text.search(/[^\r\n]/);
    const end = start < 0 ? null : HEAD_END.exec(text.slice(start));
    if (!this.#begins(text.slice(0, Math.max(start, 0) + 32))) return this.#giveUp(all);
    if (!end) {
      if (all.length > HEAD_BYTES_MAX) return this.#giveUp(all);
      this.#held = Buffer.from(all);
      return NOTHING;
    }
    const length = start + end.index + end[0].length;
    this.#beginBody(this.#listener.head(text.slice(0, length)));
    return all.subarray(length);
  }

  #beginBody(framing: BodyFraming): void {
    this.#framing = framing;
    this.#chunks = framing === 'chunked' ? new ChunkReader() : undefined;
    if (framing === 0) this.#endMessage();
  }

  #body(bytes: Buffer): Buffer {
    if (this.#framing === 'unreadable') {
      this.#listener.unreadable(bytes);
      return NOTHING;
    }
    if (this.#framing === 'until-end') {
      this.#listener.body(bytes);
      return NOTHING;
    }
    return this.#chunks ? this.#chunked(bytes, this.#chunks) : this.#counted(bytes, this.#framing);
  }

  #counted(bytes: Buffer, left: BodyFraming | 'head'): Buffer {
    const taken = bytes.subarray(0, Number(left));
    this.#framing = Number(left) - taken.length;
    this.#listener.body(taken);
    if (this.#framing === 0) this.#endMessage();
    return bytes.subarray(taken.length);
  }

  #chunked(bytes: Buffer, chunks: ChunkReader): Buffer {
    const length = chunks.read(bytes);
    if (length < 0) return this.#giveUp(bytes);
    this.#listener.body(bytes.subarray(0, length));
    if (chunks.done) this.#endMessage();
    return bytes.subarray(length);
  }

  #endMessage(): void {
    this.#framing = 'head';
    this.#listener.end();
  }

  #giveUp(bytes: Buffer): Buffer {
    this.#framing = 'unreadable';
    this.#listener.unreadable(bytes);
    return NOTHING;
  }
}

/** The framing that the head of a request announces. */
export function requestFraming(head: HttpHead): BodyFraming {
  return announcedFraming(head) ?? 0;
}

/** The framing of a response. @param method of the request that it answers */
export function responseFraming(head: HttpHead, status: number, method: string): BodyFraming {
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') return 0;
  return announcedFraming(head) ?? 'until-end';
}

function announcedFraming(head: HttpHead): BodyFraming | undefined {
  if (isChunked(head)) return 'chunked';
  const length = headerOf(head, 'content-length');
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
