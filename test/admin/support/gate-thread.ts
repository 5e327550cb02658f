import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** What the gate scans, and how long it rests between two scans. */
export interface GateTask {
  readonly url: string;
  readonly key: string;
  readonly codes: readonly string[];
  readonly restMs: number;
}

/** A gate in a thread of its own: what it waits is not the fault of a busy attacker. Sends its waits when it is asked. */
const { url, key, codes, restMs } = workerData as GateTask;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let waits: number[] = [];
let faults: string[] = [];
let begunAt: number | undefined;

parentPort?.on('message', () => {
  // A scan that is still waiting counts with what it has waited so far.
  if (begunAt !== undefined) waits.push(performance.now() - begunAt);
  parentPort?.postMessage({ waits, faults });
  waits = [];
  faults = [];
});

for (let scans = 0; ; scans += 1) {
  begunAt = performance.now();
  const answer = await consume(codes[scans % codes.length] ?? '');
  waits.push(performance.now() - begunAt);
  begunAt = undefined;
  if (!answer.includes('"consumed"')) faults.push(answer);
  await new Promise((resolve) => setTimeout(resolve, restMs));
}

function consume(ticketCode: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const asked = request(`${url}/scan/consume`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    asked.on('error', (error) => resolve(error.message));
    asked.end(JSON.stringify({ ticketCode }));
  });
}
