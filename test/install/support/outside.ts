import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const FOLDER = resolve('.ci/outside/node_modules');
const IS_INSTALLED = existsSync(FOLDER) && process.platform === 'linux' && process.arch === 'x64';

/** Whether the tests are skipped: on a contributor's machine only, never in the CI. */
export const isMissing = !IS_INSTALLED;
if (isMissing) {
  const missing =
    'Older Nodes and Jest are missing. Install them with: npm run outside (on linux-x64)';
  if (process.env['CI'] !== undefined) throw new Error(missing);
  console.warn(`Skipped: ${missing}`);
}

export const JEST = `${FOLDER}/jest/bin/jest.js`;
/** The oldest Node of each supported line, and the one of this run. */
export const SUPPORTED_NODES = [
  ['22.20.0', `${FOLDER}/node-22/bin/node`],
  ['24.7.0', `${FOLDER}/node-24/bin/node`],
  [process.versions.node, process.execPath],
] as const;
/** A Node that is too old. */
export const NODE_20 = `${FOLDER}/node-20/bin/node`;
