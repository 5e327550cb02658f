import type { TicketscanService } from '../../../src/testing/controls.ts';
import { connectTicketscan } from '../../../src/testing/remote/connect.ts';
import { type StartOptions, startTicketscan } from '../../../src/testing/start.ts';

/** The two ways to the controls: in the own process, and over HTTP from another. */
export const WAYS = ['library', 'http'] as const;
export type Way = (typeof WAYS)[number];

export interface Driven extends AsyncDisposable {
  readonly service: TicketscanService;
  /** A REST scan. */
  scan(action: 'validate' | 'consume', ticketCode: unknown, more?: ScanExtras): Promise<Answer>;
  /** A scan by the documented controller. */
  card(action: 'validate' | 'consume', ticketCode: string, key?: string): Promise<Answer>;
}

interface ScanExtras {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whatever came over the wire
  readonly json: any;
}

/** A service of its own, driven in one of the two ways. */
export async function drive(way: Way, options: StartOptions = {}): Promise<Driven> {
  const started = await startTicketscan(options);
  const service =
    way === 'library'
      ? started
      : await connectTicketscan(started.url, { testToken: started.testToken });
  return {
    service,
    scan: (action, ticketCode, { key = service.keys.rest, headers = {}, signal } = {}) => {
      return post(`${started.url}/scan/${action}`, JSON.stringify({ ticketCode }), {
        headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
        ...(signal && { signal }),
      });
    },
    card: (action, ticketCode, key = service.keys.hardware) => {
      const Card = Buffer.from(ticketCode).toString('base64');
      const body = JSON.stringify({ Card, Serial: 'S-1', Reader: 0 });
      return post(`${started.url}/scan/hw/${action}?key=${key}`, body, {});
    },
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await started.close();
    },
  };
}

async function post(url: string, body: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body, ...init });
  const text = await response.text();
  return { status: response.status, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
