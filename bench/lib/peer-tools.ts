import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Exactly these, so that a figure can be repeated. */
const TOOLS = {
  wiremock: '3.13.2',
  '@stoplight/prism-cli': '5.16.0',
  '@mockoon/cli': '9.9.0',
  'json-server': '0.17.4',
  autocannon: '9.0.0',
} as const;

export type PeerTool = keyof typeof TOOLS;

const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ticketscan-bench');

/**
 * The folder of an npm package that we are measured against. Installed on first use into a cache outside the checkout:
 * what is only compared with is no dependency of the project. Install scripts are not run.
 */
export function peerTool(name: PeerTool): string {
  const manifest = join(folder, 'package.json');
  const wanted = `${JSON.stringify({ private: true, dependencies: TOOLS }, null, 2)}\n`;
  const path = join(folder, 'node_modules', name);
  const installed = existsSync(path) && existsSync(manifest);
  if (!installed || readFileSync(manifest, 'utf8') !== wanted) {
    console.error(`installing ${Object.keys(TOOLS).join(', ')} into ${folder}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(manifest, wanted);
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return path;
}

export function peerVersion(name: PeerTool): string {
  return TOOLS[name];
}
