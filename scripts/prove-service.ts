import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildDeb } from './release/deb.ts';
import { buildExecutable } from './release/executable.ts';

// Boots Debian 12 with systemd in a container, and lets the service live there: installed, killed, upgraded, removed, purged, and installed without
// the package. Needs root, debootstrap and systemd-container, and the network for the packages of Debian. About five minutes the first time, then
// two; the base system is kept in `release/prove-service`.

const WORK = resolve('release/prove-service');
const BASE = join(WORK, 'base');
const MACHINE = join(WORK, 'machine');
const PACKAGES = 'systemd,systemd-sysv,adduser,init-system-helpers,libatomic1,libstdc++6';
const EPOCH = 1_790_000_000;

mkdirSync(WORK, { recursive: true });
if (!existsSync(join(BASE, 'sbin/init'))) {
  const options = ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', BASE];
  execFileSync('debootstrap', options, { stdio: ['ignore', 'ignore', 'inherit'] });
}
rmSync(MACHINE, { recursive: true, force: true });
execFileSync('cp', ['--archive', BASE, MACHINE]);

const program = join(MACHINE, 'root/ticketscan');
await buildExecutable(program);
for (const version of ['0.1.0-1', '0.1.0-2']) {
  buildDeb({ program, folder: join(MACHINE, 'root'), epoch: EPOCH, compression: 'none', version });
}
const script = join(MACHINE, 'root/prove-service.sh');
copyFileSync(join(import.meta.dirname, 'prove-service.sh'), script);
chmodSync(script, 0o755);
copyFileSync(
  join(import.meta.dirname, 'prove-service.service'),
  join(MACHINE, 'etc/systemd/system/prove.service'),
);
execFileSync('systemctl', [`--root=${MACHINE}`, 'enable', 'prove.service'], { stdio: 'ignore' });

// The container shuts itself down. What it says about that is of no interest.
const options = [
  '--quiet',
  '--register=no',
  '--keep-unit',
  '--private-network',
  `--directory=${MACHINE}`,
];
spawnSync('systemd-nspawn', [...options, '--boot'], { stdio: 'ignore', timeout: 600_000 });
const report = readFileSync(join(MACHINE, 'root/report.txt'), 'utf8');
process.stdout.write(report);
process.exitCode = report.endsWith('all good\n') ? 0 : 1;
