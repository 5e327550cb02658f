import { type CheckResult, check } from '../../src/check/index.ts';
import { type ServerOptions, startServer } from './reference/server.ts';

/** Many wait for a second now and then; together they keep one core busy, and no answer waits for long. */
const AT_ONCE = 8;

/** A server, and how many cases to run on it at the same time. */
interface Checked extends ServerOptions {
  readonly concurrency?: number;
  readonly keyHooks?: false;
}

/** Checks a server made from each of the options, several at a time; the results come in any order. */
export function checkAll<Options extends Checked>(
  all: readonly Options[],
): ReadonlyMap<Options, Promise<CheckResult>> {
  const waiting = all.map((options) => ({ options, ...Promise.withResolvers<CheckResult>() }));
  const queue = waiting.values();
  const worker = async () => {
    for (const { options, resolve, reject } of queue) await checkOne(options).then(resolve, reject);
  };
  for (let i = 0; i < AT_ONCE; i += 1) void worker();
  return new Map(waiting.map(({ options, promise }) => [options, promise]));
}

async function checkOne(options: Checked): Promise<CheckResult> {
  const server = await startServer(options);
  const { baseUrl, target, keyHooks } = server;
  try {
    const { concurrency } = options;
    const ways = options.keyHooks === false ? {} : { keyHooks };
    const how = { consume: true, maxRate: 5000, concurrency, ...ways };
    return await check({ baseUrl, target, ...how });
  } finally {
    await server.close();
  }
}
