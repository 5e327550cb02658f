import { spawnSync } from 'node:child_process';

/**
 * Why a test that needs a program of the system cannot run here; undefined when it can.
 * @throws Error in the CI, which installs every such program
 */
export function lacks(program: string): string | undefined {
  const isThere = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  if (!isThere && process.env['CI']) throw new Error(`${program} is not installed`);
  return isThere ? undefined : `${program} is not installed`;
}
