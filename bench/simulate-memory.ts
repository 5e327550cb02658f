/**
 * What a device costs in memory: resident memory of this process with all devices connected and sending heartbeats, less
 * what it was before. The server is another process. Usage: node --expose-gc bench/simulate-memory.ts [devices]
 */
import { setTimeout as wait } from 'node:timers/promises';
import { SimulatedFleet } from '../src/simulate/fleet/fleet.ts';
import { Endpoint } from '../src/simulate/network/endpoint.ts';
import { SocketTransport } from '../src/simulate/network/socket-transport.ts';
import { RealTime } from '../src/simulate/time.ts';
import { startEmptyServer } from './simulate-support.ts';

const [devices = 10_000] = process.argv.slice(2).map(Number);
const RUN_MS = 16_000;
const WANTED_BYTES = 32 * 1024;

const { url, child } = await startEmptyServer();
const time = new RealTime();
const endpoint = new Endpoint({ baseUrl: url, key: 'k' });
const before = resident();
const connect = () => new SocketTransport(endpoint, time);
const fleet = new SimulatedFleet({ devices, durationMs: RUN_MS }, { time, connect });
fleet.start(() => undefined);
let most = 0;
for (let waited = 0; waited < RUN_MS - 1000; waited += 1000) {
  await wait(1000);
  most = Math.max(most, process.memoryUsage().rss);
}
const settled = resident();
const online = fleet.devices.filter((device) => device.online).length;
const { heartbeats } = fleet.report().summary;
fleet.stop();
time.close();
child.kill();

const each = (bytes: number) => `${((bytes - before) / devices / 1024).toFixed(1)} KB`;
console.log(
  `${devices} devices, ${online} online; heartbeats: ${heartbeats.answered} answered, ${heartbeats.missed} missed`,
);
console.log(
  `memory for each device: ${each(settled)} after a collection, ${each(most)} at most (wanted: at most 32 KB)`,
);
process.exitCode = online === devices && (most - before) / devices <= WANTED_BYTES ? 0 : 1;

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}
