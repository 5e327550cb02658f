import { parentPort, workerData } from 'node:worker_threads';
import { TicketscanError } from '../../core/errors.ts';
import { openEngine } from './sqlite-engine.ts';
import type { Call, Failure, Reply } from './worker-messages.ts';

/** The thread that owns a store's database: takes one call after another and answers each. */
const port = parentPort;
if (!port) throw new Error('the SQLite worker runs as a worker thread only');

const engine = openOrReport(workerData as string);

function openOrReport(path: string): ReturnType<typeof openEngine> | undefined {
  try {
    const opened = openEngine(path);
    port?.postMessage({ id: 0 } satisfies Reply);
    return opened;
  } catch (error) {
    port?.postMessage({ id: 0, failure: failureFrom(error) } satisfies Reply);
    return undefined;
  }
}

port.on('message', ({ id, method, args }: Call) => {
  try {
    const run = engine?.[method] as (...args: unknown[]) => unknown;
    port.postMessage({ id, value: run(...args) } satisfies Reply);
  } catch (error) {
    port.postMessage({ id, failure: failureFrom(error) } satisfies Reply);
  }
  if (method === 'close') port.close();
});

function failureFrom(error: unknown): Failure {
  if (error instanceof TicketscanError) return { code: error.code, message: error.message };
  return { code: null, message: error instanceof Error ? error.message : String(error) };
}
