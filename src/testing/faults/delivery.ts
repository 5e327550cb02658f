import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { AnswerSink } from '../../scan/http/exchange.ts';
import type { Hit } from './faults.ts';

type Moment = Hit['when'];

/** A timer that is set further fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Waits as long as the faults of that moment say. @returns false when the service was reset meanwhile */
export async function delayed(
  hits: readonly Hit[],
  moment: Moment,
  curtain: AbortSignal,
): Promise<boolean> {
  const delays = hits.filter(({ effect, when }) => effect === 'delay' && when === moment);
  const totalMs = delays.reduce((sum, { delayMs }) => sum + delayMs, 0);
  const waitMs = Math.min(totalMs, TIMER_MS_MAX);
  if (waitMs > 0) await wait(waitMs, undefined, { signal: curtain }).catch(() => {});
  return !curtain.aborted;
}

/** The fault that keeps a request from being decided at all, if one does. */
export function barredBy(hits: readonly Hit[]): Hit | undefined {
  return hits.find(
    ({ effect, when }) => when === 'before' && (effect === 'hang' || effect === 'reset'),
  );
}

/** Whether a fault keeps the client from getting the answer whole. */
export function isSpoilt(hits: readonly Hit[]): boolean {
  return hits.some(({ effect }) => DELIVERIES[effect] !== undefined);
}

/** Sends the answer, or does with it what the first fault says. `answer` is undefined where nothing was decided. */
export function deliver(
  answer: CapturedAnswer | undefined,
  response: ServerResponse,
  hits: readonly Hit[],
  curtain: AbortSignal,
): void {
  // A client that has gone away left nothing to write to; with a fault around that is an everyday thing.
  response.on('error', () => {});
  const spoilt = hits.find(({ effect }) => DELIVERIES[effect] !== undefined);
  const way = spoilt && DELIVERIES[spoilt.effect];
  if (way) way({ answer, response, curtain });
  else answer?.send(response);
}

interface Parcel {
  readonly answer: CapturedAnswer | undefined;
  readonly response: ServerResponse;
  readonly curtain: AbortSignal;
}

/** Breaks the connection as hard as can be: TLS has no reset of its own, there it just ends. */
const breakOff = ({ response: { socket } }: Parcel): void => {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
};

const DELIVERIES: Partial<Record<Hit['effect'], (parcel: Parcel) => void>> = {
  hang: ({ response, curtain }) => {
    curtain.addEventListener('abort', () => response.destroy(), { once: true });
  },
  reset: breakOff,
  'lost-answer': breakOff,
  'truncated-body': ({ answer, response }) => answer?.sendTruncated(response),
  'malformed-body': ({ answer, response }) => answer?.sendMalformed(response),
};

type Headers = Readonly<Record<string, string | number>>;

/** An answer that is not on the wire yet: it may be sent, spoilt or lost. */
export class CapturedAnswer implements AnswerSink {
  status = 0;
  text = '';
  headers: Headers = {};

  writeHead(status: number, headers: Headers): void {
    this.status = status;
    this.headers = headers;
  }

  end(text: string): void {
    this.text = text;
  }

  send(response: ServerResponse): void {
    response.writeHead(this.status, { ...this.headers });
    response.end(this.text);
  }

  /** All of it, going by its head; no JSON, and nothing that a reader of text would take for its answer. */
  sendMalformed(response: ServerResponse): void {
    const text = `${this.text.slice(0, -1)}<`;
    const length = Buffer.byteLength(text);
    response.writeHead(this.status, { ...this.headers, 'content-length': length });
    response.end(text);
  }

  /** The head promises all of it, then the connection ends in the middle. */
  sendTruncated(response: ServerResponse): void {
    response.writeHead(this.status, { ...this.headers });
    response.write(this.text.slice(0, Math.floor(this.text.length / 2)), () => {
      response.socket?.destroySoon();
    });
  }
}
