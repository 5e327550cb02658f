import type { Socket } from 'node:net';
import { TransportFailure } from '../../deviation.ts';
import type { Answer } from '../../exchange.ts';
import { transportFailureOf } from '../../http-failure.ts';
import { parseAnswer } from './parse-answer.ts';

interface Waiting {
  resolve(answer: Answer): void;
  reject(failure: TransportFailure): void;
  readonly timer: NodeJS.Timeout;
}

/** One HTTP/1.1 connection. Requests may be sent before earlier ones are answered; answers come in their order. */
export class Connection {
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  readonly #waiting: Waiting[] = [];
  #arrived: Buffer = Buffer.alloc(0);
  #open = true;
  #used = false;

  /** @param timeoutMs for one request, from the first byte sent to the last received */
  constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => this.#finish());
    socket.on('close', () => this.#finish());
    socket.on('error', (error) => this.#fail(transportFailureOf(error)));
  }

  /** False once the server closed it, announced that, or an answer was not to be read. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** True when it carried a request before. */
  get wasUsed(): boolean {
    return this.#used;
  }

  /** @throws TransportFailure when no complete answer comes */
  send(request: Buffer): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => {
      const seconds = this.#timeoutMs / 1000;
      this.#fail(new TransportFailure('timeout', `no complete answer within ${seconds} s`));
    }, this.#timeoutMs);
    this.#waiting.push({ resolve, reject, timer });
    this.#used = true;
    if (this.#open) this.#socket.write(request);
    else this.#finish();
    return promise;
  }

  close(failure = new TransportFailure('stopped', 'the connection was closed')): void {
    this.#fail(failure);
  }

  #receive(chunk: Buffer): void {
    this.#arrived = this.#arrived.length === 0 ? chunk : Buffer.concat([this.#arrived, chunk]);
    this.#readAnswers(false);
  }

  #readAnswers(ended: boolean): void {
    try {
      while (this.#waiting.length > 0) {
        const arrived = parseAnswer(this.#arrived, ended);
        if (!arrived) return;
        this.#arrived = this.#arrived.subarray(arrived.bytes);
        const { resolve, timer } = this.#waiting.shift() as Waiting;
        clearTimeout(timer);
        if (arrived.closes) this.#open = false;
        resolve(arrived.answer);
      }
    } catch (error) {
      this.#fail(transportFailureOf(error));
    }
  }

  #finish(): void {
    this.#open = false;
    this.#readAnswers(true);
    const isBroken = this.#arrived.length > 0;
    this.#fail(
      isBroken
        ? new TransportFailure('incomplete', 'the answer ended too early')
        : new TransportFailure('reset', 'the connection was closed before an answer came'),
    );
  }

  #fail(failure: TransportFailure): void {
    this.#open = false;
    this.#socket.destroy();
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(failure);
    }
  }
}
