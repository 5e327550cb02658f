import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

export interface Load {
  readonly url: string;
  readonly key: string;
  /** A file with one ticket code a line; each is posted in turn. */
  readonly codesFile: string;
  readonly connections: number;
  readonly seconds: number;
  /** The request that is sent in place of a consume. */
  readonly post?: { readonly path: string; readonly before: string; readonly after: string };
}

const CONSUME = { path: '/scan/consume', before: '{"ticketCode":"', after: '"}' };

/**
 * Lets wrk post scans: it takes little of the processors that the server is measured on.
 * @throws when wrk is not installed, or any answer is not a 200
 */
export async function load({
  url,
  key,
  codesFile,
  connections,
  seconds,
  post = CONSUME,
}: Load): Promise<LoadResult> {
  const shape = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '--timeout', '20s'];
  const args = [...shape, '-s', 'bench/lib/consume.lua', url, '--', codesFile, key];
  args.push(post.path, post.before, post.after);
  const { stdout } = await run('wrk', args).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Error('wrk is missing. On Debian: apt-get install wrk');
    throw error;
  });
  if (/Non-2xx|Socket errors/.test(stdout))
    throw new Error(`not every request was answered with 200:\n${stdout}`);
  const [, p99 = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p99Ms: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [below = Number.NaN, above = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}
