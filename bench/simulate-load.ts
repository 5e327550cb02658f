/**
 * How many requests a second the simulator makes, against wrk with the same request to the same empty server, in turns.
 * Needs wrk (Debian: apt-get install wrk). Usage: node bench/simulate-load.ts [rounds] [seconds a turn]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deviceSettings } from '../src/simulate/device-settings.ts';
import { Fleet } from '../src/simulate/fleet.ts';
import { USUAL_DIALECT } from '../src/simulate/models/device-model.ts';
import { CODE, median, startEmptyServer } from './simulate-support.ts';

const [rounds = 5, seconds = 4] = process.argv.slice(2).map(Number);
const CONNECTIONS = 64;
const folder = mkdtempSync(join(tmpdir(), 'simulate-load-'));
const script = join(folder, 'post.lua');
const body = deviceSettings().model.cardBody(CODE, {
  serial: 'SIM00001',
  reader: 0,
  index: 1,
  clockMs: 0,
  dialect: USUAL_DIALECT,
});
writeFileSync(
  script,
  `wrk.method = "POST"\nwrk.body = [[${body.body}]]\nwrk.headers["Content-Type"] = "${body.contentType}"\n`,
);

function withWrk(url: string): number {
  const args = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    '-s',
    script,
    `${url}/scan/hw/consume?key=k`,
  ];
  const text = execFileSync('wrk', args, { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(text);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
}

async function withFleet(url: string): Promise<number> {
  const { summary } = await Fleet.run(url, {
    key: 'k',
    cards: [{ code: CODE, label: 'card' }],
    devices: CONNECTIONS,
    rate: 'max',
    durationMs: seconds * 1000,
    device: { heartbeatMs: 0 },
  });
  if (summary.granted !== summary.scans) throw new Error(JSON.stringify(summary));
  return summary.scansPerSecond;
}

const { url, child } = await startEmptyServer();
withWrk(url);
await withFleet(url);
const ratios: number[] = [];
for (let round = 1; round <= rounds; round += 1) {
  const wrk = withWrk(url);
  const fleet = await withFleet(url);
  ratios.push(fleet / wrk);
  console.log(
    `round ${round}: wrk ${Math.round(wrk)} a second, simulate ${Math.round(fleet)}: ${(fleet / wrk).toFixed(2)}`,
  );
}
console.log(
  `simulate / wrk, median of ${rounds}: ${median(ratios).toFixed(2)} (wanted: at least 0.50)`,
);
child.kill();
rmSync(folder, { recursive: true });
process.exitCode = median(ratios) >= 0.5 ? 0 : 1;
