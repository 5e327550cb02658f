/**
 * The head of an HTTP message as text, one character for each byte (Latin-1), so that it goes back to the very same
 * bytes: spelling, spaces and line ends are the device's own.
 */
export type HttpHead = string;

const REQUEST_LINE = /^\s*([^\s]+)[ \t]+([^\s]+)(?:[ \t]+HTTP\/\d(?:\.\d)?)?[ \t]*\r?(?:\n|$)/;
const STATUS_LINE = /^\s*HTTP\/\d(?:\.\d)? +(\d{3})/;

export interface RequestLine {
  readonly method: string;
  readonly target: string;
}

/** Undefined when this is not the head of a request. */
export function requestLine(head: HttpHead): RequestLine | undefined {
  const [, method, target] = REQUEST_LINE.exec(head) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}

/** The part before the query or a fragment. */
export function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? '';
}

const NEXT_HEAD = /\r?\n\r?\n(?=HTTP\/\d)/;

/** The last of the heads that came one after another: the answer, when interim responses (status 1xx) came before it. */
export function finalHead(head: HttpHead): HttpHead {
  return head.split(NEXT_HEAD).at(-1) ?? head;
}

/** The status of a response, of several heads that of the last; 0 for anything else. */
export function statusOf(head: HttpHead): number {
  return Number(STATUS_LINE.exec(finalHead(head))?.[1] ?? 0);
}

/** True for a response that announces another: it is no answer. A change of protocol is one. */
export function isInterim(status: number): boolean {
  return status >= 100 && status < 200 && status !== 101;
}

/** Every header in the order of the wire, names as they were spelled; of several heads those of the last. */
export function headersOf(head: HttpHead): (readonly [name: string, value: string])[] {
  const lines = finalHead(head).trimStart().split(/\r?\n/).slice(1);
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const];
  });
}

/** The value of the first header of that name, whatever its case. */
export function headerOf(head: HttpHead, name: string): string | undefined {
  return headersOf(head).find(([one]) => one.toLowerCase() === name)?.[1];
}

/** Whether the body comes in chunks, whatever length the head says besides (RFC 9112 6.3). */
export function isChunked(head: HttpHead): boolean {
  return /(^|[,\s])chunked\s*$/i.test(headerOf(head, 'transfer-encoding') ?? '');
}

/** Whether the server keeps the connection open after this response. */
export function staysOpen(head: HttpHead): boolean {
  const connection = headerOf(head, 'connection') ?? '';
  return /^HTTP\/1\.1/.test(finalHead(head))
    ? !/close/i.test(connection)
    : /keep-alive/i.test(connection);
}

/** The head with another value for the header; all other bytes stay. Unchanged when it has no such header. */
export function withHeader(head: HttpHead, name: string, value: string): HttpHead {
  const line = new RegExp(`(\\n${name}[ \\t]*:[ \\t]*)[^\\r\\n]*`, 'i');
  return head.replace(line, (_whole, start: string) => `${start}${value}`);
}

/** The head with another target in its first line; all other bytes stay. */
export function withTarget(head: HttpHead, change: (target: string) => string): HttpHead {
  const target = requestLine(head)?.target;
  if (target === undefined) return head;
  const at = head.indexOf(target, head.search(/\S/) + 1);
  return head.slice(0, at) + change(target) + head.slice(at + target.length);
}

const LINE_FEED = 0x0a;
const LINE_BYTES_MAX = 4096;
/** A token and its value, without what RFC 9110 forbids in them: controls other than the tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it forbids
export const HEADER_LINE = /^[!#$%&'*+\-.^_`|~0-9a-z]+:[^\0-\x08\x0a-\x1f\x7f]*$/i;

/** How exactly a message has to follow RFC 9112: `strict` as Node's parser, so that nothing is taken which other clients refuse. */
export type Strictness = 'strict' | 'tolerant';

/** Reads a chunked body as it arrives (RFC 9112 7.1): finds its end, and passes on what the chunks hold. */
export class ChunkReader {
  #state: 'size' | 'data' | 'data-end' | 'trailer' | 'done' = 'size';
  #line = '';
  /** Bytes of the chunk that are still to come. */
  #rest = 0;
  readonly #content: (bytes: Buffer) => void;
  readonly #isStrict: boolean;

  constructor(
    content: (bytes: Buffer) => void = () => undefined,
    strictness: Strictness = 'tolerant',
  ) {
    this.#content = content;
    this.#isStrict = strictness === 'strict';
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
    if (this.#isStrict && !this.#line.endsWith('\r')) return false;
    const line = this.#line.replace(/\r$/, '');
    this.#line = '';
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'done';
      return !this.#isStrict || line === '' || HEADER_LINE.test(line);
    }
    if (this.#state === 'data-end') {
      this.#state = 'size';
      return line === '';
    }
    const size = this.#isStrict ? /^[0-9a-f]{1,8}(;.*)?$/i : /^[0-9a-f]{1,8}[ \t]*(;.*)?$/i;
    if (!size.test(line)) return false;
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

/** The longest head that is read. */
export const HEAD_BYTES_MAX = 64 * 1024;
const NOTHING = Buffer.alloc(0);
const HEAD_END = /\r?\n\r?\n/;
const HTTP = 'HTTP/';
/** Whether the first bytes of a message can be those of a head. */
const BEGINS = {
  request: (text: string) => /^[\r\n]*[A-Z]*(?:[A-Z][ \t]|$)/.test(text),
  response: (text: string) => {
    const start = text.replace(/^[\r\n]+/, '');
    return start.startsWith(HTTP) || HTTP.startsWith(start);
  },
};

/** Splits the bytes of a connection into messages. */
export class MessageReader {
  readonly #listener: MessageListener;
  readonly #begins: (text: string) => boolean;
  readonly #strictness: Strictness;
  #held: Buffer = NOTHING;
  #framing: BodyFraming | 'head' | 'unreadable' = 'head';
  #chunks: ChunkReader | undefined;

  constructor(
    direction: 'request' | 'response',
    listener: MessageListener,
    strictness: Strictness = 'tolerant',
  ) {
    this.#listener = listener;
    this.#strictness = strictness;
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
    this.#chunks = framing === 'chunked' ? new ChunkReader(undefined, this.#strictness) : undefined;
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
