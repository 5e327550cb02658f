import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../../src/check/time/clock.ts';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** False when the connection ended before the body did. */
  readonly isWhole: boolean;
}

export interface Post {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly waitMs: number;
  readonly agent: http.Agent;
  readonly ca: string | undefined;
  /** True trusts any certificate. */
  readonly trustsAll: boolean;
  /** True takes the first piece of a body for the whole. */
  readonly readsOnce: boolean;
  readonly clock: Clock;
}

/** No answer: nothing came within `waitMs`, or the connection broke, or there was nobody to connect to. */
export type NoAnswer = 'silence' | 'broken' | 'refused';

/** Sends one request. */
export function post(options: Post): Promise<Answer | NoAnswer> {
  const { url, method, headers, agent, ca, trustsAll, waitMs, clock } = options;
  const isTls = url.startsWith('https:');
  const send = isTls ? https.request : http.request;
  const trust = isTls ? { rejectUnauthorized: !trustsAll, ...(ca !== undefined && { ca }) } : {};
  return new Promise((resolve) => {
    let isAnswered = false;
    const request = send(url, { method, headers, agent, ...trust }, (response) => {
      isAnswered = true;
      void read(response, options.readsOnce).then(resolve);
    });
    const callOff = clock.after(waitMs, () => {
      resolve('silence');
      request.destroy();
    });
    request.on('close', () => {
      callOff();
      if (!isAnswered) resolve('broken');
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'broken');
    });
    request.end(options.body);
  });
}

function read(response: http.IncomingMessage, once: boolean): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const end = (isWhole: boolean) =>
      resolve({ status, headers, text: Buffer.concat(pieces).toString(), isWhole });
    response.on('data', (bytes: Buffer) => {
      pieces.push(bytes);
      if (once) end(true);
    });
    response.on('error', () => end(false));
    response.on('close', () => end(response.complete));
  });
}

/** A JSON object; undefined for anything else. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
