/**
 * What a device costs in memory: resident memory of this process with all devices connected and sending heartbeats, less
 * what it was before. The server is another process. Usage: node --expose-gc bench/simulate-memory.ts [devices] [device file]
 */
import { setTimeout as wait } from 'node:timers/promises';
import { loadDeviceFiles } from '../src/device-files/load.ts';
import { SimulatedFleet } from '../src/simulate/fleet/fleet.ts';
import { modelFromFile } from '../src/simulate/models/file-model.ts';
import { Endpoint } from '../src/simulate/network/endpoint.ts';
import { SocketWire } from '../src/simulate/network/socket-wire.ts';
import { RealTime } from '../src/simulate/time.ts';
import { faulty } from '../src/simulate/wire.ts';
import { startEmptyServer } from './simulate-support.ts';

const [count = '10000', file] = process.argv.slice(2);
const devices = Number(count);
const HEARTBEAT_MS = 5000;
const RUN_MS = 16_000;
const WANTED_BYTES = 32 * 1024;

const { url, child } = await startEmptyServer();
const time = new RealTime();
const endpoint = new Endpoint({ baseUrl: url, key: 'k' });
const [described] = file === undefined ? [] : loadDeviceFiles(file);
const value = described ? modelFromFile(described) : 'access-controller';
const kind = { models: [{ value, weight: 1 }], device: { heartbeatMs: HEARTBEAT_MS } };
const heapBefore = heapUsed();
const before = resident();
const connect = () => faulty(new SocketWire(endpoint, time), time);
const fleet = new SimulatedFleet({ devices, durationMs: RUN_MS, ...kind }, { time, connect });
fleet.start(() => undefined);
let most = 0;
for (let waited = 0; waited < RUN_MS - 1000; waited += 1000) {
  await wait(1000);
  most = Math.max(most, process.memoryUsage().rss);
}
const settled = resident();
const heap = heapUsed();
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
const ofHeap = ((heap - heapBefore) / devices / 1024).toFixed(1);
console.log(`of it objects of JavaScript: ${ofHeap} KB; the rest is noisy beside other programs`);
process.exitCode = online === devices && (most - before) / devices <= WANTED_BYTES ? 0 : 1;

function heapUsed(): number {
  globalThis.gc?.();
  const { heapUsed: used, external } = process.memoryUsage();
  return used + external;
}

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}
