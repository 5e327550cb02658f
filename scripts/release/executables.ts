import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildExecutable } from './executable.ts';
import { type Platform, RUNTIMES } from './runtimes.ts';
import type { Release, Step } from './step.ts';

/** The most bytes of a file for xz; zip packs less tightly. */
const XZ_BYTES_MAX = 40_000_000;

/** The single executable of each platform. */
export const EXECUTABLES: readonly Step[] = (Object.keys(RUNTIMES) as Platform[]).map(
  (platform) => ({
    name: `executable for ${platform}`,
    ...(platform === 'linux-x64' && { isShort: true }),
    make: (release) => makeExecutable(release, platform),
  }),
);

/** Where the unpacked executable of a platform is, for the steps that pack it in their own way. */
export function executablePath({ work, version }: Release, platform: Platform): string {
  return join(work, `ticketscan-${version}-${platform}${platform === 'win-x64' ? '.exe' : ''}`);
}

async function makeExecutable(release: Release, platform: Platform): Promise<string[]> {
  const path = executablePath(release, platform);
  await buildExecutable(path, platform);
  chmodSync(path, 0o755);
  utimesSync(path, release.epoch, release.epoch);
  const file = release.short ? path : packed(path, platform);
  const target = join(release.folder, basename(file));
  renameSync(file, target);
  if (release.short) return [target];
  const { size } = statSync(target);
  if (target.endsWith('.xz') && size > XZ_BYTES_MAX) {
    throw new Error(`${target} has ${size} bytes, more than ${XZ_BYTES_MAX}.`);
  }
  return [target];
}

function packed(path: string, platform: Platform): string {
  return platform === 'win-x64' ? zip(path) : xz(path, platform);
}

/** Two threads always: their number decides how the file is divided. */
function xz(path: string, platform: Platform): string {
  // Jumps of this processor become absolute, which repeats more often. Older versions of xz cannot read the same for arm64.
  const filters = platform === 'linux-x64' ? ['--x86', '--lzma2=preset=6'] : ['-6'];
  execFileSync('xz', ['--keep', '-T2', ...filters, path]);
  return `${path}.xz`;
}

/** `-X` leaves out owners; the time is stored as local time. */
function zip(path: string): string {
  const archive = path.replace(/\.exe$/, '.zip');
  execFileSync('zip', ['-q', '-X', '-j', archive, path], { env: { ...process.env, TZ: 'UTC' } });
  return archive;
}
