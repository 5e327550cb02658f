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
  'soul-cli': '0.8.2',
} as const;

export type PeerTool = keyof typeof TOOLS;

/** For better-sqlite3, which would have to be compiled. */
export const LIBSQL = '0.5.29';
/** Packages that would have to be compiled, and others with the same interface that need not be. */
const INSTEAD = { 'better-sqlite3': `npm:libsql@${LIBSQL}`, bcrypt: 'npm:bcryptjs@2.4.3' };

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ticketscan-bench');

/**
 * The folder of an npm package that we are measured against. Installed on first use into a cache outside the checkout:
 * what is only compared with is no dependency of the project. Install scripts are not run.
 */
export function peerTool(name: PeerTool): string {
  const folder = join(cache, name);
  const manifest = join(folder, 'package.json');
  const dependencies = { [name]: TOOLS[name] };
  const wanted = `${JSON.stringify({ private: true, dependencies, overrides: INSTEAD }, null, 2)}\n`;
  const path = join(folder, 'node_modules', name);
  const installed = existsSync(path) && existsSync(manifest);
  if (!installed || readFileSync(manifest, 'utf8') !== wanted) {
    console.error(`installing ${name} ${TOOLS[name]} into ${folder}`);
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
