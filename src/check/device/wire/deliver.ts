import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './answer.ts';

const PIECES = 4;

/**
 * Sends an answer in the way that it asks for.
 * @param ended aborted when the scene is over: what is held back is then broken off
 * @returns false when nothing, or not all of it, was sent
 */
export async function deliver(
  answer: Answer,
  response: ServerResponse,
  ended: AbortSignal,
): Promise<boolean> {
  const { delivery } = answer;
  const bytes = Buffer.from(answer.body);
  switch (delivery?.kind) {
    case undefined:
      return whole(answer, bytes, response);
    case 'late':
      return (await held(delivery.ms, ended, response)) && whole(answer, bytes, response);
    case 'slow':
      return inPieces(answer, bytes, delivery.ms, response, ended);
    case 'chunked':
      response.writeHead(answer.status, answer.headers);
      response.write(bytes.subarray(0, bytes.length / 2));
      response.end(bytes.subarray(bytes.length / 2));
      return true;
    case 'closed':
      return whole(
        { ...answer, headers: { ...answer.headers, connection: 'close' } },
        bytes,
        response,
      );
    case 'cut':
      head(answer, bytes, response);
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      return false;
    case 'lost':
      response.destroy();
      return false;
    case 'never':
      await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
      response.destroy();
      return false;
  }
}

function whole(answer: Answer, bytes: Buffer, response: ServerResponse): boolean {
  head(answer, bytes, response);
  response.end(bytes);
  return true;
}

function head({ status, headers }: Answer, bytes: Buffer, response: ServerResponse): void {
  // An answer of this status has no body, and says no length.
  response.writeHead(
    status,
    status === 204 ? headers : { ...headers, 'content-length': bytes.length },
  );
}

async function inPieces(
  answer: Answer,
  bytes: Buffer,
  ms: number,
  response: ServerResponse,
  ended: AbortSignal,
): Promise<boolean> {
  head(answer, bytes, response);
  const size = Math.ceil(bytes.length / PIECES);
  for (let at = 0; at < bytes.length; at += size) {
    if (!(await held(ms / PIECES, ended, response))) return false;
    response.write(bytes.subarray(at, at + size));
  }
  response.end();
  return true;
}

/** Waits; false when the scene ended meanwhile or the client disconnected. */
async function held(ms: number, ended: AbortSignal, response: ServerResponse): Promise<boolean> {
  await wait(ms, undefined, { signal: ended }).catch(() => response.destroy());
  return !response.destroyed;
}
