import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { CapturedAnswer } from './captured-answer.ts';
import type { Hit } from './fault-book.ts';

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

/** As hard as can be: TLS has no reset of its own, there the connection just ends. */
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
