import { parentPort, workerData } from 'node:worker_threads';
import { failureOf } from '../../core/errors.ts';
import type { BatchRequest } from '../../core/scan-requests.ts';
import { workInBackground } from '../../kit/program-files.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import {
  type Call,
  type OpenedBy,
  type PackedBatch,
  type PackedResult,
  packResult,
  type Reply,
  unpackBatch,
} from './worker-messages.ts';

/** The thread that owns a store's database. It takes one call after another and answers each. */
const port = parentPort;
if (!port) throw new Error('the SQLite worker runs as a worker thread only');

const engine = openOrReport(workerData as OpenedBy);

function openOrReport({ path, options }: OpenedBy): SqliteEngine | undefined {
  try {
    const opened = new SqliteEngine(path, options);
    send({ id: 0 });
    return opened;
  } catch (error) {
    send({ id: 0, failure: failureOf(error) });
    return undefined;
  }
}

port.on('message', async (text: string) => {
  const { id, method, args } = JSON.parse(text) as Call;
  try {
    send({ id, value: await call(method, args) });
  } catch (error) {
    send({ id, failure: failureOf(error) });
  }
  if (method === 'close') port.close();
  // A failure here changes no answer: the log holds the uses, and the next batch will report the same problem.
  else if (method === 'commitScans') await engine?.flushIfDue().catch(() => false);
});

async function call(method: Call['method'], args: readonly unknown[]): Promise<unknown> {
  // A thread that verifies does nothing else, and an audit writes nothing.
  if (method === 'verify') workInBackground();
  if (method === 'commitScans') return commit(unpackBatch(args[0] as PackedBatch));
  const run = engine?.[method] as ((...args: readonly unknown[]) => Promise<unknown>) | undefined;
  return run?.apply(engine, [...args]);
}

async function commit(requests: readonly BatchRequest[]): Promise<PackedResult | undefined> {
  const result = await engine?.commitScans(requests);
  return result && packResult(result, requests);
}

function send(reply: Reply): void {
  port?.postMessage(JSON.stringify(reply));
}
