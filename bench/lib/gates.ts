import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { median } from './load.ts';

/** One call; resolves with its time in milliseconds. */
export type TimedCall = () => Promise<number>;

/** A client that keeps one connection, as the software of one gate does. */
export class Gate {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** @throws when the answer is not a 200 */
  consume(ticketCode: string): Promise<number> {
    return this.#timed('POST', '/scan/consume', JSON.stringify({ ticketCode }));
  }

  healthz(): Promise<number> {
    return this.#timed('GET', '/healthz');
  }

  close(): void {
    this.#agent.destroy();
  }

  #timed(method: string, path: string, body = ''): Promise<number> {
    const headers = {
      'x-api-key': this.#key,
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const startedAt = performance.now();
    const asked = request(`${this.#url}${path}`, { agent: this.#agent, method, headers });
    asked.on('response', (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - startedAt);
        else reject(new Error(`${path} answered ${response.statusCode}`));
      });
    });
    asked.on('error', reject).end(body);
    return promise;
  }
}

/**
 * Calls at a fixed pace until `isOver` says so. A call that comes late because the one before it took too long is measured from
 * the moment it was due: the next guest waits too.
 */
export async function atPace(
  call: TimedCall,
  { everyMs, firstAfterMs = 0 }: { everyMs: number; firstAfterMs?: number },
  isOver: () => boolean,
): Promise<number[]> {
  const times: number[] = [];
  let due = performance.now() + firstAfterMs;
  let answeredAt = 0;
  while (!isOver()) {
    await wait(Math.max(0, due - performance.now()));
    const lateMs = answeredAt > due ? performance.now() - due : 0;
    times.push(lateMs + (await call()));
    answeredAt = performance.now();
    due += everyMs;
  }
  return times;
}

/** Gates that scan at the same pace, spread over it. @returns the times of all scans */
export async function manyGates(
  gates: readonly TimedCall[],
  everyMs: number,
  isOver: () => boolean,
): Promise<number[]> {
  const all = await Promise.all(
    gates.map((call, index) => {
      const firstAfterMs = (index * everyMs) / gates.length;
      return atPace(call, { everyMs, firstAfterMs }, isOver);
    }),
  );
  return all.flat();
}

export function overAfter(seconds: number): () => boolean {
  const endAt = performance.now() + seconds * 1000;
  return () => performance.now() >= endAt;
}

export const p50 = median;

export function p99(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
