/**
 * How many requests a second the simulator makes, against wrk and autocannon with the same request to the same empty server,
 * in turns. Needs wrk (Debian: apt-get install wrk); autocannon is installed on first use. Usage: node bench/simulate-load.ts [rounds] [seconds a turn]
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fleet } from '../src/simulate/connect.ts';
import { deviceSettings } from '../src/simulate/device-settings.ts';
import { peerTool } from './lib/peer-tools.ts';
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

function withAutocannon(url: string): number {
  const shape = ['-c', CONNECTIONS, '-d', seconds, '-m', 'POST', '-b', body.body, '--json'];
  const header = ['-H', `content-type=${body.contentType}`];
  const program = join(peerTool('autocannon'), 'autocannon.js');
  const args = [program, ...shape, ...header, `${url}/scan/hw/consume?key=k`].map(String);
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', stdio });
  const result = JSON.parse(text) as Record<'non2xx' | 'errors' | 'timeouts' | '2xx', number> & {
    readonly duration: number;
  };
  if (result.non2xx + result.errors + result.timeouts > 0) throw new Error(text);
  return result['2xx'] / result.duration;
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
withAutocannon(url);
await withFleet(url);
const toWrk: number[] = [];
const toAutocannon: number[] = [];
for (let round = 1; round <= rounds; round += 1) {
  const wrk = withWrk(url);
  const autocannon = withAutocannon(url);
  const fleet = await withFleet(url);
  toWrk.push(fleet / wrk);
  toAutocannon.push(fleet / autocannon);
  const rates = [wrk, autocannon, fleet].map(Math.round);
  console.log(
    `round ${round}: wrk ${rates[0]} a second, autocannon ${rates[1]}, simulate ${rates[2]}`,
  );
}
console.log(
  `simulate / wrk, median of ${rounds}: ${median(toWrk).toFixed(2)} (wanted: at least 0.50)`,
);
console.log(`simulate / autocannon: ${median(toAutocannon).toFixed(2)}`);
child.kill();
rmSync(folder, { recursive: true });
process.exitCode = median(toWrk) >= 0.5 ? 0 : 1;
