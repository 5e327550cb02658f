import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import packageFile from '../../package.json' with { type: 'json' };
import { copyChangelog, writeLicences } from './documents.ts';
import { EXECUTABLES } from './executables.ts';
import { makeDeb, makeImage } from './linux-packages.ts';
import { packNpmPackage } from './package.ts';
import { sha256 } from './runtimes.ts';
import { writeSbom } from './sbom.ts';
import type { Release, Step } from './step.ts';

/** Every file of a release, in the order in which they are made: later steps may pack the executables of earlier ones. */
const STEPS: readonly Step[] = [
  { name: 'npm package', isShort: true, make: packNpmPackage },
  ...EXECUTABLES,
  { name: 'list of what is inside (CycloneDX)', isShort: true, make: writeSbom },
  { name: 'licences of what is inside', isShort: true, make: writeLicences },
  { name: 'Debian package', make: makeDeb },
  { name: 'container image', make: makeImage },
  { name: 'changelog', isShort: true, make: copyChangelog },
];

export interface MakeOptions {
  /** Leaves out what takes minutes. */
  readonly short: boolean;
  /** An empty folder, or one that does not exist; not given: `release/`. */
  readonly out?: string | undefined;
}

/** Makes the files of a release. Ends the process where the folder may be somebody's. */
export async function makeRelease({ short, out }: MakeOptions): Promise<void> {
  const folder = prepareFolder(out);
  const work = mkdtempSync(join(folder, '.work-'));
  const epoch = Number(process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct'));
  if (git('status', '--porcelain') !== '') {
    console.warn('Some files are not committed: nobody else can build these bytes.');
  }
  const release: Release = { folder, work, epoch, version: packageFile.version, short };
  console.log(
    `ticketscan ${release.version} of ${new Date(epoch * 1000).toISOString()} in ${folder}`,
  );
  try {
    const steps = STEPS.filter(({ isShort }) => isShort || !short);
    const paths: string[] = [];
    for (const step of steps) paths.push(...(await run(step, release)));
    const lines = await Promise.all(
      paths.sort().map(async (path) => `${await sha256(path)}  ${basename(path)}\n`),
    );
    writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
    console.log(`SHA256SUMS: ${lines.length} files, ${seconds(process.uptime() * 1000)}`);
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function run({ name, make }: Step, release: Release): Promise<readonly string[]> {
  const started = Date.now();
  const paths = await make(release);
  const sizes = paths.map((path) => {
    return `${basename(path)} ${(statSync(path).size / 1e6).toFixed(1)} MB`;
  });
  console.log(`${name}: ${sizes.join(', ')} (${seconds(Date.now() - started)})`);
  return paths;
}

/** `release/` is made anew; another folder must be empty, because it may be anybody's. */
function prepareFolder(named: string | undefined): string {
  const path = resolve(named ?? 'release');
  if (named === undefined) rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  if (readdirSync(path).length === 0) return path;
  console.error(`${path} is not empty. Name another folder with --out.`);
  process.exit(2);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
