import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sleep } from '../world/load.ts';
import type { ServerProcess } from '../world/program.ts';
import { DeafClients } from './bad-clients.ts';
import { until } from './run.ts';

const MEGABYTES_MAX = 16;
const FILES_MAX = 20;
const SETTLE_MS = 3000;
/** The server closes a socket that takes nothing after 30 s; it looks every 5 s. */
const CLOSED_AFTER_MS = 45_000;

/** What one socket that reads nothing costs the server. @throws Error when that is too much */
export async function costOfOne(server: ServerProcess): Promise<string> {
  const told: string[] = [];
  for (const path of await deafPaths(server.url)) {
    const before = usedBy(server.pid);
    const deaf = new DeafClients(server.url, 1, [path]);
    await sleep(SETTLE_MS);
    const after = usedBy(server.pid);
    deaf.close();
    if (!before || !after) return 'its cost cannot be seen on this system';
    const [megabytes, files] = [after.megabytes - before.megabytes, after.files - before.files];
    const cost = `${megabytes.toFixed(0)} MB and ${files} files`;
    if (megabytes > MEGABYTES_MAX || files > FILES_MAX) {
      throw new Error(`one socket that asks for ${path} and reads nothing costs ${cost}`);
    }
    told.push(cost);
  }
  return `one costs at most ${told.join(', ')}`;
}

/** Opens sockets that read nothing. */
export async function deafClients(server: ServerProcess, count: number): Promise<DeafClients> {
  return new DeafClients(server.url, count, await deafPaths(server.url));
}

/** @throws Error when the server has not closed all of them in time */
export async function mustBeClosed(deaf: DeafClients, since: number): Promise<void> {
  await sleep(since + CLOSED_AFTER_MS - performance.now());
  deaf.listen();
  await until('the server has closed the sockets that read nothing', () => deaf.connected === 0);
}

/** The largest answers that everybody gets: the description of the interface, and the page's program. */
async function deafPaths(url: string): Promise<string[]> {
  const page = await (await fetch(url)).text();
  const script = /src="\.(\/assets\/[^"]+)"/.exec(page)?.[1];
  if (script === undefined) throw new Error('the page names no script');
  return ['/openapi.json', script];
}

function usedBy(pid: number): { megabytes: number; files: number } | undefined {
  if (!existsSync(`/proc/${pid}/status`)) return undefined;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { megabytes: Number(kilobytes) / 1024, files: readdirSync(`/proc/${pid}/fd`).length };
}
