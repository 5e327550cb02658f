import { parentPort, workerData } from 'node:worker_threads';
import { TicketscanError } from '../../core/errors.ts';
import { type PackedRequest, packResult, unpackRequests } from './batch-messages.ts';
import { openEngine } from './sqlite-engine.ts';
import type { Call, Failure, Reply } from './worker-messages.ts';

/** The thread that owns a store's database: takes one call after another and answers each. */
const port = parentPort;
if (!port) throw new Error('the SQLite worker runs as a worker thread only');

const engine = openOrReport(workerData as string);

function openOrReport(path: string): ReturnType<typeof openEngine> | undefined {
  try {
    const opened = openEngine(path);
    send({ id: 0 });
    return opened;
  } catch (error) {
    send({ id: 0, failure: failureFrom(error) });
    return undefined;
  }
}

port.on('message', (text: string) => {
  const { id, method, args } = JSON.parse(text) as Call;
  try {
    send({ id, value: method === 'commitScans' ? commit(args) : call(method, args) });
  } catch (error) {
    send({ id, failure: failureFrom(error) });
  }
  if (method === 'close') port.close();
  else if (method === 'commitScans') foldQuietly();
});

function commit([packed]: readonly unknown[]): unknown {
  const requests = unpackRequests(packed as PackedRequest[]);
  return engine && packResult(engine.commitScans(requests));
}

function call(method: Call['method'], args: readonly unknown[]): unknown {
  const run = engine?.[method] as (...args: unknown[]) => unknown;
  return run(...args);
}

/** A failure here changes no answer: the log holds the uses, and the next try will fold them. */
function foldQuietly(): void {
  try {
    engine?.foldIfDue();
  } catch {
    // The next batch meets the same trouble and reports it.
  }
}

function send(reply: Reply): void {
  port?.postMessage(JSON.stringify(reply));
}

function failureFrom(error: unknown): Failure {
  if (error instanceof TicketscanError) return { code: error.code, message: error.message };
  return { code: null, message: error instanceof Error ? error.message : String(error) };
}
