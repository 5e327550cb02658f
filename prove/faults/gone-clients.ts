import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../part.ts';
import { type ServerProcess, serve } from '../world/program.ts';
import type { Engine } from '../world/world.ts';
import { copyOf, createWorld, type World } from '../world/world.ts';

const CLIENTS = 100_000;
/** The number of clients after which the program has warmed up. */
const WARM_AFTER = 20_000;
const GROWTH_MB_MAX = 100;
const OBJECTS_MAX = 50;
/** Fewer than the bound: Node keeps parsers for as many as there were at once. */
const CLIENTS_AT_ONCE = 32;
const SETTLE_MS = 1500;

/** What a server has in memory after a collection. */
interface Left {
  readonly Socket: number;
  readonly HTTPParser: number;
  readonly IncomingMessage: number;
  readonly rssMb: number;
}

/** Loaded into the server before the program: counts at the signal SIGUSR2. */
const COUNTER = `
import { createRequire } from 'node:module';
import { renameSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { IncomingMessage } from 'node:http';
import v8 from 'node:v8';
process.noDeprecation = true;
const { HTTPParser } = createRequire(import.meta.url)('_http_common');
process.on('SIGUSR2', () => {
  const left = {};
  for (const kind of [Socket, HTTPParser, IncomingMessage]) left[kind.name] = v8.queryObjects(kind, { format: 'count' });
  left.rssMb = process.memoryUsage.rss() / 2 ** 20;
  writeFileSync(process.env.TICKETSCAN_PROVE_LEFT + '.new', JSON.stringify(left));
  renameSync(process.env.TICKETSCAN_PROVE_LEFT + '.new', process.env.TICKETSCAN_PROVE_LEFT);
});
`;

/** Clients that send a part of a request behind a whole one and reset the connection leave nothing in memory. */
export const goneClients: Part = {
  name: 'gone-clients',
  about: `${CLIENTS} clients that reset the connection behind a request of which a part has come`,
  engines: ['sqlite'],
  async run({ engine, say }) {
    const { left, growthMb } = await leaveBehind(engine, CLIENTS, WARM_AFTER, say);
    if (growthMb > GROWTH_MB_MAX) throw new Error(`RSS grew by ${growthMb.toFixed(0)} MB`);
    return `${left.Socket} sockets, ${left.HTTPParser} parsers and ${left.IncomingMessage} requests left, RSS grew by ${growthMb.toFixed(0)} MB from the ${WARM_AFTER}th on`;
  },
};

/**
 * Has that many clients come and go.
 * @returns what is left at the end, and by how much the memory has grown since `warmAfter` clients
 * @throws Error when more objects are left than a few
 */
export async function leaveBehind(
  engine: Engine,
  clients: number,
  warmAfter: number,
  say: (text: string) => void = () => {},
): Promise<{ left: Left; growthMb: number }> {
  const world = await createWorld(engine, 4);
  const place = copyOf(world, 'gone-clients');
  mkdirSync(place.folder, { recursive: true });
  const [counter, file] = [join(place.folder, 'counter.mjs'), join(place.folder, 'left.json')];
  writeFileSync(counter, COUNTER);
  const environment = { NODE_OPTIONS: `--import=${counter}`, TICKETSCAN_PROVE_LEFT: file };
  const server = await serve(place, { environment });
  await comeAndGo(world, server, warmAfter);
  const warm = await leftIn(server, file);
  say(`${warmAfter} clients: ${JSON.stringify(warm)}`);
  await comeAndGo(world, server, clients - warmAfter);
  const left = await leftIn(server, file);
  say(`${clients} clients: ${JSON.stringify(left)}`);
  const code = await server.stop('SIGTERM');
  if (code !== 0) throw new Error(`the server ended with ${code}: ${server.errors()}`);
  rmSync(world.folder, { recursive: true, force: true });
  const objects = Math.max(left.Socket, left.HTTPParser, left.IncomingMessage);
  if (objects > OBJECTS_MAX)
    throw new Error(`after ${clients} clients there are ${JSON.stringify(left)}`);
  return { left, growthMb: left.rssMb - warm.rssMb };
}

async function comeAndGo(world: World, { url }: ServerProcess, count: number): Promise<void> {
  const { port, hostname } = new URL(url);
  const requests = requestsOf(world);
  let next = 0;
  const one = () =>
    new Promise<void>((resolve) => {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true });
      socket.on('error', () => {}).on('close', () => resolve());
      const text = requests[next % requests.length] as string;
      const leave = () => socket.resetAndDestroy();
      socket.once('connect', () => {
        socket.write(text);
        // While the first request is at the store.
        setTimeout(() => {
          socket.write(text + text.slice(0, 30));
          setTimeout(leave, 1);
        }, 1);
      });
    });
  const comer = async () => {
    while (next < count) {
      next += 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS_AT_ONCE }, comer));
}

/** They wait for the store, whatever it answers. */
function requestsOf({ open }: World): string[] {
  return Object.values(open.tickets)
    .flat()
    .map(({ code }) => {
      const body = JSON.stringify({ ticketCode: code });
      return (
        'POST /scan/consume HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\n' +
        `x-api-key: ${open.keys.rest.value}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      );
    });
}

async function leftIn({ pid }: ServerProcess, file: string): Promise<Left> {
  await sleep(SETTLE_MS);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let waited = 0; waited < 300; waited += 1) {
    await sleep(100);
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Left;
    } catch {
      // It is still counting.
    }
  }
  throw new Error('the server does not count its objects');
}
