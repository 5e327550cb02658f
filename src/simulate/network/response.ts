import type { BodyFraming, HttpHead } from '../../kit/http1.ts';
import {
  contentOf,
  headerOf,
  MessageReader,
  responseFraming,
  statusOf,
  staysOpen,
} from '../../kit/http1.ts';
import type { WireAnswer } from '../wire.ts';

/** A whole HTTP response. */
export interface ParsedResponse {
  readonly answer: WireAnswer;
  /** How long the connection may stay idle before it is used again, in milliseconds; 0 is not at all. */
  readonly reusableMs: number;
}

/** Why what came is no response: it is not HTTP/1, or longer than any answer to a device. */
export type Unreadable = 'malformed' | 'endless';

/** Servers that do not say how long they keep a connection are taken to keep it this long. */
const USUAL_KEEP_ALIVE_MS = 4000;
const RESPONSE_BYTES_MAX = 1024 * 1024;

/** Reads one HTTP/1 response as it arrives. */
export class ResponseReader {
  readonly #reader: MessageReader;
  readonly #body: Buffer[] = [];
  #head: HttpHead = '';
  #bytes = 0;
  #isWhole = false;
  #isMalformed = false;

  constructor() {
    this.#reader = new MessageReader('response', {
      head: (head) => this.#begin(head),
      body: (bytes) => {
        if (!this.#isWhole) this.#body.push(Buffer.from(bytes));
      },
      end: () => {
        // What comes before the real answer (status 1xx) is no answer.
        this.#isWhole = statusOf(this.#head) >= 200;
      },
      unreadable: () => {
        this.#isMalformed = !this.#isWhole;
      },
    });
  }

  /** @returns undefined while more is needed */
  push(bytes: Buffer): ParsedResponse | Unreadable | undefined {
    this.#bytes += bytes.length;
    if (this.#bytes > RESPONSE_BYTES_MAX) return 'endless';
    this.#reader.push(bytes);
    if (this.#isMalformed) return 'malformed';
    if (!this.#isWhole) return undefined;
    return this.#response(this.#reader.isInside ? 0 : reusableMs(this.#head));
  }

  /** Nothing more will come: a response without a length ends here, any other was cut off. */
  finish(): ParsedResponse | Unreadable {
    this.#reader.finish();
    return this.#isWhole ? this.#response(0) : 'malformed';
  }

  #begin(head: HttpHead): BodyFraming {
    // Nobody asked for a second response: the connection is of no further use.
    if (this.#isWhole) return 'until-end';
    this.#isMalformed = !/^HTTP\/1\.[01] \d{3}/.test(head);
    this.#head = head;
    return responseFraming(head, statusOf(head), 'POST');
  }

  #response(idleMs: number): ParsedResponse {
    const body = contentOf(this.#head, Buffer.concat(this.#body)).toString('utf8');
    return { answer: { status: statusOf(this.#head), body }, reusableMs: idleMs };
  }
}

function reusableMs(head: HttpHead): number {
  if (!staysOpen(head)) return 0;
  const seconds = /timeout=(\d+)/i.exec(headerOf(head, 'keep-alive') ?? '')?.[1];
  // A second of margin: the server must not close just as the next request leaves.
  return seconds === undefined ? USUAL_KEEP_ALIVE_MS : Math.max(0, Number(seconds) * 1000 - 1000);
}
