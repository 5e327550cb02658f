import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { WireAnswer } from './answers.ts';

/** Nothing more is to be expected of an unfinished request after this: its sender then closes its side. */
const SILENCE_MS = 50;

/** One connection of a client that writes bytes and reads answers, whatever they are. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #closed = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
      this.#wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
    // The server has said its last word.
    socket.on('end', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Sends what may be no whole request and returns the answer; undefined when the connection is closed without one. */
  async exchange(bytes: Buffer, isHead = false): Promise<WireAnswer | undefined> {
    this.#socket.write(bytes);
    for (let silent = 0; ; ) {
      const answer = this.#take(isHead);
      if (answer || this.#closed) return answer;
      if (await this.#waitForMore()) silent = 0;
      else if (silent++ === 0) this.#socket.end();
    }
  }

  /** Sends the bytes and waits for an answer or the end, however long it takes. */
  async patientExchange(bytes: Buffer, isHead = false): Promise<WireAnswer | undefined> {
    this.#socket.write(bytes);
    for (;;) {
      const answer = this.#take(isHead);
      if (answer || this.#closed) return answer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Every further answer that has come. */
  rest(): WireAnswer[] {
    const answers: WireAnswer[] = [];
    for (let answer = this.#take(false); answer; answer = this.#take(false)) answers.push(answer);
    return answers;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #waitForMore(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#wake = () => resolve(true);
    const timer = setTimeout(resolve, SILENCE_MS, false);
    const more = await promise;
    clearTimeout(timer);
    return more;
  }

  #take(isHead: boolean): WireAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [line = '', ...lines] = this.#received.slice(0, end).split('\r\n');
    const headers = new Map(
      lines.map((one) => [
        one.slice(0, one.indexOf(':')).toLowerCase(),
        one.slice(one.indexOf(':') + 1).trim(),
      ]),
    );
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1]);
    const length = isHead ? 0 : this.#bodyLength(headers, end + 4);
    if (this.#received.length < end + 4 + length) return undefined;
    const body = Buffer.from(this.#received.slice(end + 4, end + 4 + length), 'latin1').toString();
    this.#received = this.#received.slice(end + 4 + length);
    return { status, headers, body };
  }

  /** The length that Content-Length says, or the end of the chunks or of the connection. */
  #bodyLength(headers: ReadonlyMap<string, string>, start: number): number {
    const said = headers.get('content-length');
    if (said !== undefined && /^\d+$/.test(said)) return Number(said);
    if (headers.get('transfer-encoding') === 'chunked') {
      const last = this.#received.indexOf('0\r\n\r\n', start);
      return last < 0 ? Number.POSITIVE_INFINITY : last + 5 - start;
    }
    return this.#closed ? this.#received.length - start : Number.POSITIVE_INFINITY;
  }
}
