/**
 * What a device file costs: scans a second and processor time of the server for each scan, for built-in models and for devices of files,
 * in turns. The devices are simulated here; only the time of the server's process counts.
 * Arguments: rounds (5), seconds of a turn (3), devices (64).
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDeviceFiles } from '../src/device-files/load.ts';
import type { DeviceFile } from '../src/device-files/schema.ts';
import { Administration } from '../src/features/keys/administration.ts';
import { Fleet } from '../src/simulate/connect.ts';
import type { DeviceModel } from '../src/simulate/models/device-model.ts';
import { modelFromFile } from '../src/simulate/models/file-model.ts';
import { openStore } from '../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../test/support/an-audit-entry.ts';
import { editOrganisation } from '../test/support/records.ts';
import { inTurns, ratioOf } from './lib/in-turns.ts';
import { median } from './lib/load.ts';
import { loadTickets, startServer, UNLIMITED } from './lib/servers.ts';
import { threadTime, timeBetween } from './lib/thread-time.ts';

const [rounds = 5, seconds = 3, devices = 64] = process.argv.slice(2).map(Number);
const TICKETS = 2000;
/** From one person to the next: a device has reported the passage by then. */
const THINK_MS = 10;
const BAS_IP = 'bench/lib/bas-ip.yaml';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
const { codes } = await loadTickets(folder, TICKETS, TICKETS);
const keys = await hardwareKeys(folder);
const files = ['control-id', BAS_IP].flatMap((place) => ['--device-file', place]);
const store = `sqlite:${join(folder, 'ticketscan.db')}`;
const keyring = ['--keyring', join(folder, 'ticketscan.keyring.json')];
const serve = ['bin/ticketscan.js', 'serve', '--store', store, ...keyring, '--port', '0', '--json'];
const server = await startServer([...serve, ...files]);
try {
  const [controlId, basIp] = loadDeviceFiles('control-id', BAS_IP) as [DeviceFile, DeviceFile];
  const { passage: _, ...silent } = controlId.simulate ?? { scan: {}, granted: [], denied: [] };
  const turns = await inTurns(
    {
      'access-controller': () => play(keys.plain, 'access-controller'),
      'control-id': () => play(keys.controlId, modelFromFile({ ...controlId, simulate: silent })),
      'control-id, with reports': () => play(keys.controlId, modelFromFile(controlId)),
      'bas-ip': () => play(keys.plain, 'bas-ip'),
      'bas-ip as a file': () => play(keys.basIp, modelFromFile(basIp)),
    },
    rounds,
  );
  console.log(`${rounds} rounds of ${seconds} s, ${devices} devices, SQLite; medians`);
  for (const [name, turn] of Object.entries(turns)) {
    const reference = turns[name.startsWith('bas-ip') ? 'bas-ip' : 'access-controller'];
    const time = (figure: 'http' | 'all') =>
      median(turn.results.map((result) => result[figure])).toFixed(1);
    const rate = `${turn.rate.toFixed(0)} scans/s (${ratioOf(turn, reference).toFixed(2)})`;
    const more = ratioOf(turn, reference, ({ http }) => http).toFixed(2);
    console.log(
      `${name.padEnd(26)} ${rate}, processor µs a scan: ${time('http')} main thread (${more}), ${time('all')} all`,
    );
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function hardwareKeys(place: string) {
  const opened = await openStore(`sqlite:${join(place, 'ticketscan.db')}`);
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
  const administration = new Administration(opened, clock, randomBytes);
  const { id } = await administration.findOrganisation(undefined);
  await editOrganisation(opened, id, { limits: { ...UNLIMITED, keysMax: 10 } }, [AN_AUDIT_ENTRY]);
  const create = async (name: string, device?: string) => {
    const { value } = await administration.createKey({ name, type: 'hardware', events: 'all' });
    if (device !== undefined) await administration.editKey(value, { device });
    return value;
  };
  const made = {
    plain: await create('plain'),
    controlId: await create('turnstile', 'control-id'),
    basIp: await create('panel', 'bas-ip-file'),
  };
  await opened.close();
  return made;
}

async function play(key: string, model: string | DeviceModel) {
  const pid = server.process.pid ?? 0;
  const before = threadTime(pid);
  const { summary } = await Fleet.run(server.url, {
    ...{ key, cards: codes, devices, rate: 'max', thinkMs: THINK_MS, durationMs: seconds * 1000 },
    models: [{ value: model, weight: 1 }],
    device: { heartbeatMs: 0 },
  });
  const used = timeBetween(before, threadTime(pid));
  if (summary.granted !== summary.scans) throw new Error(JSON.stringify(summary.problems));
  const micros = (time: number) => (time / summary.scans) * 1e6;
  return {
    requests: summary.scans,
    requestsPerSecond: summary.scansPerSecond,
    p99Ms: summary.latencyMs.p99 ?? Number.NaN,
    http: micros(used.http),
    all: micros(used.all),
  };
}
