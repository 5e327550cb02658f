import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { keepBegunHead } from './begun-head.ts';
import type { AnswerSink, Endpoint, Exchange, RequestHead } from './exchange.ts';
import { PLAIN_ANSWER, type PlainAnswer } from './plain-answer.ts';
import { END_OF_HEAD, type PlainHead, readPlainHead } from './plain-request.ts';

export interface PlainConnectionsOptions {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly refusals: Exchange['refusals'];
  /** A connection without a request is closed after this time. */
  readonly keepAliveMs: number;
}

const LOOK_EVERY_MS = 1000;
/** Longer heads are not looked at. */
const HEAD_BYTES_MAX = 4096;

/**
 * Answers the plain scans of a connection without Node's HTTP, whose objects for each request and answer cost more than
 * everything else that a scan needs. Whatever is not plain goes to Node with the connection, from its first byte, and the
 * connection stays there: no other request is interpreted here (ADR 0006).
 */
export class PlainConnections {
  readonly options: PlainConnectionsOptions;
  readonly #open = new Set<PlainConnection>();
  readonly #dates = new DateLine();
  #stopping = false;
  #server: Server | undefined;

  constructor(options: PlainConnectionsOptions) {
    this.options = options;
  }

  /** Takes the connections of `server` before Node's HTTP does. @param event at which the server gets one that can be read */
  watch(server: Server, event: 'connection' | 'secureConnection'): void {
    const [handOver] = server.listeners(event) as ((socket: Socket) => void)[];
    if (!handOver) throw new Error(`Node's HTTP server does not listen to '${event}'`);
    this.#server = server;
    server.removeListener(event, handOver);
    server.on(event, (socket: Socket) => {
      const give = () => handOver.call(server, socket);
      if (this.#stopping) give();
      else this.#add(socket, give);
    });
    const { closeIdleConnections } = server;
    server.closeIdleConnections = () => {
      closeIdleConnections.call(server);
      for (const one of this.#open) one.closeIfIdle();
    };
    const timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** From now on requests go to Node's HTTP, which tells clients that the connection ends. */
  stop(): void {
    this.#stopping = true;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Whether the event of each answer has a listener. */
  get areMeasured(): boolean {
    return (this.#server?.listenerCount(PLAIN_ANSWER) ?? 0) > 0;
  }

  tell(answer: PlainAnswer): void {
    this.#server?.emit(PLAIN_ANSWER, answer);
  }

  /** The lines that every answer has. */
  commonLines(): string {
    const seconds = Math.floor(this.options.keepAliveMs / 1000);
    return `Date: ${this.#dates.now()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
  }

  #add(socket: Socket, give: () => void): void {
    const one = new PlainConnection(this, socket, () => {
      this.#open.delete(one);
      give();
    });
    this.#open.add(one);
    socket.once('close', () => this.#open.delete(one));
  }

  #look(): void {
    const looksMax = this.options.keepAliveMs / LOOK_EVERY_MS;
    for (const one of this.#open) one.look(looksMax);
  }
}

/** A connection with only plain requests so far, one after another. */
class PlainConnection implements AnswerSink {
  readonly socket: Socket;
  readonly #all: PlainConnections;
  readonly #give: () => void;
  /** The head of the newest request. A gate sends the same one again and again. */
  #known:
    | { readonly bytes: Buffer; readonly head: PlainHead; readonly request: RequestHead }
    | undefined;
  /** A request whose body is not there yet. */
  #begun: Buffer | undefined;
  /** What came while an answer was under way. */
  #held: Buffer | undefined;
  #isBusy = false;
  #hasEnded = false;
  #looks = 0;
  #answerHead = '';
  #status = 0;
  #beganAt = 0;

  /** @param give has Node's HTTP listen to the socket */
  constructor(all: PlainConnections, socket: Socket, give: () => void) {
    this.#all = all;
    this.socket = socket;
    this.#give = give;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
  }

  /** To be called at intervals: no part of a request may wait here. */
  look(looksMax: number): void {
    this.#looks += 1;
    if (this.#isBusy) return;
    if (this.#begun || !this.#known) this.#handOver(this.#begun);
    else if (this.#looks > looksMax) this.socket.destroy();
  }

  /** A new connection is not idle: its request may be on its way. Nor is one whose client has not taken all of its answer. */
  closeIfIdle(): void {
    if (this.#isBusy || this.#begun || this.socket.writableLength > 0) return;
    if (this.#known) this.socket.destroy();
    else this.#handOver(undefined);
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): void {
    this.#status = status;
    let lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const [name, value] of Object.entries(headers)) lines += `${name}: ${value}\r\n`;
    this.#answerHead = `${lines}${this.#all.commonLines()}\r\n`;
  }

  end(text: string, encoding: 'latin1' | 'utf8'): void {
    this.#isBusy = false;
    this.socket.write(this.#answerHead + text, encoding);
    if (this.#all.areMeasured) this.#tell();
    if (this.#held) {
      this.#handOver(this.#held);
      this.socket.resume();
    } else if (this.#hasEnded) this.socket.end();
  }

  #tell(): void {
    const path = this.#known?.head.path ?? '';
    const seconds = (performance.now() - this.#beganAt) / 1000;
    this.#all.tell({ path, status: this.#status, seconds });
  }

  readonly #onData = (packet: Buffer): void => {
    this.#looks = 0;
    if (this.#isBusy) {
      this.#held = packet;
      this.socket.pause();
      return;
    }
    const bytes = this.#begun ? Buffer.concat([this.#begun, packet]) : packet;
    this.#begun = undefined;
    // Answers that the client does not take are counted by those who also bound them.
    if (this.#all.isStopping || this.socket.writableLength > 0) this.#handOver(bytes);
    else this.#answer(bytes);
  };

  #answer(bytes: Buffer): void {
    const known = this.#headOf(bytes);
    const endpoint = known && this.#all.options.endpoints.get(known.head.path);
    const bodyAt = known?.bytes.length ?? 0;
    const missing = known ? bodyAt + known.head.bodyBytes - bytes.length : -1;
    if (!known || !endpoint || missing < 0) this.#handOver(bytes);
    else if (missing > 0) this.#begun = bytes;
    else {
      this.#isBusy = true;
      this.#beganAt = performance.now();
      const { request, head } = known;
      const { refusals } = this.#all.options;
      const body = bytes.subarray(bodyAt);
      void endpoint({ request, response: this, query: head.query, body, refusals });
    }
  }

  #headOf(bytes: Buffer) {
    const known = this.#known;
    const length = known?.bytes.length ?? 0;
    if (known && bytes.length >= length && known.bytes.compare(bytes, 0, length) === 0) {
      return known;
    }
    const end = bytes.indexOf(END_OF_HEAD);
    if (end === -1 || end > HEAD_BYTES_MAX) return undefined;
    const head = readPlainHead(bytes.toString('latin1', 0, end));
    if (!head) return undefined;
    const { url, headers } = head;
    const ownBytes = Buffer.from(bytes.subarray(0, end + END_OF_HEAD.length));
    this.#known = { bytes: ownBytes, head, request: { url, headers, socket: this.socket } };
    return this.#known;
  }

  /** @param bytes read and not answered */
  #handOver(bytes: Buffer | undefined): void {
    const { socket } = this;
    // Nobody waits for what was not begun, and Node's HTTP would wait for ever for the end of a connection that has ended.
    if (socket.destroyed || socket.errored) return;
    this.#give();
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    if (bytes) socket.emit('data', bytes);
    keepBegunHead(socket, bytes);
    // It is told once: what Node's HTTP has of a request would wait for its rest until the time is up.
    if (this.#hasEnded) socket.emit('end');
  }

  /** The client has closed its side: its last request is still answered. */
  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#begun) this.#handOver(this.#begun);
    else if (!this.#isBusy) this.socket.end();
  };

  readonly #onError = (): void => {
    // The client has disconnected: there is nobody to answer.
  };
}

/** The value of `Date`, made once a second. */
class DateLine {
  #second = 0;
  #text = '';

  now(): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(now).toUTCString();
    }
    return this.#text;
  }
}
