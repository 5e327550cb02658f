import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sleep } from '../world/load.ts';
import type { ServerProcess } from '../world/program.ts';
import { DeafClients, floodOf, PLAIN_FLOOD } from './bad-clients.ts';
import { until } from './run.ts';

/** The most that one socket may take. */
const MEGABYTES_MAX = 8;
const FILES_MAX = 4;
/** What the process grows and shrinks by itself in a few seconds, up to 20 MB, must not count: so many are measured together. */
const MEASURED = 16;
const SETTLE_MS = 3000;
/** The server closes a socket that takes nothing after 30 s; it looks every 5 s. */
const CLOSED_AFTER_MS = 45_000;
/** Its 30 s begin when the last byte was taken; beside other work it is still busy answering what they asked. */
const LATE_MAX_MS = 120_000;

/** What one socket that reads nothing costs the server. @throws Error when that is too much */
export async function costOfOne(server: ServerProcess): Promise<string> {
  const told: string[] = [];
  for (const flood of await floods(server.url)) {
    const before = usedBy(server.pid);
    const deaf = new DeafClients(server.url, MEASURED, [flood]);
    await sleep(SETTLE_MS);
    const after = usedBy(server.pid);
    deaf.close();
    if (!before || !after) return 'its cost cannot be seen on this system';
    const megabytes = (after.megabytes - before.megabytes) / MEASURED;
    const files = (after.files - before.files) / MEASURED;
    const cost = `${megabytes.toFixed(1)} MB and ${files.toFixed(1)} files`;
    if (megabytes > MEGABYTES_MAX || files > FILES_MAX) {
      throw new Error(`a socket that asks for ${flood.name} and reads nothing costs ${cost}`);
    }
    told.push(cost);
  }
  return `one costs ${told.join(', ')}`;
}

/** Opens sockets that read nothing. */
export async function deafClients(server: ServerProcess, count: number): Promise<DeafClients> {
  return new DeafClients(server.url, count, await floods(server.url));
}

/** @throws Error when the server has not closed all of them in time */
export async function mustBeClosed(deaf: DeafClients, since: number): Promise<void> {
  await sleep(since + CLOSED_AFTER_MS - performance.now());
  deaf.listen();
  const what = 'the server has closed the sockets that read nothing';
  await until(what, () => deaf.connected === 0, LATE_MAX_MS);
}

/** Of the largest answers that everybody gets, the description of the interface and the page's program, and of scans. */
async function floods(url: string) {
  const page = await (await fetch(url)).text();
  const script = /src="\.(\/assets\/[^"]+)"/.exec(page)?.[1];
  if (script === undefined) throw new Error('the page names no script');
  return [floodOf('/openapi.json'), floodOf(script), PLAIN_FLOOD];
}

function usedBy(pid: number): { megabytes: number; files: number } | undefined {
  if (!existsSync(`/proc/${pid}/status`)) return undefined;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { megabytes: Number(kilobytes) / 1024, files: readdirSync(`/proc/${pid}/fd`).length };
}
