import type { HttpHead } from '../../kit/http1.ts';

/** Longer bodies are forwarded completely, but stored only up to here: scans are shorter. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** A message as it arrives, piece by piece. */
export class RawMessage {
  head: HttpHead = '';
  /** Why it is incomplete. */
  note: string | undefined;
  readonly #parts: Buffer[] = [];
  #length = 0;

  add(bytes: Buffer): void {
    const kept = bytes.subarray(0, Math.max(0, KEPT_BYTES_MAX - this.#length));
    this.#length += bytes.length;
    this.#parts.push(Buffer.from(kept));
    if (this.#length > KEPT_BYTES_MAX)
      this.note = `only the first ${KEPT_BYTES_MAX} bytes are kept`;
  }

  get body(): Buffer {
    return Buffer.concat(this.#parts);
  }

  get isEmpty(): boolean {
    return this.head === '' && this.#length === 0;
  }
}

/** A request and its response as they are on the wire, with every secret still in them. */
export class RawExchange {
  readonly number: number;
  readonly connection: number;
  readonly atMs: number;
  readonly request = new RawMessage();
  readonly response = new RawMessage();
  durationMs = 0;
  failure: string | undefined;

  constructor(number: number, connection: number, atMs: number) {
    this.number = number;
    this.connection = connection;
    this.atMs = atMs;
  }
}
