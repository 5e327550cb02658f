import { spawnSync } from 'node:child_process';

/** Whether a program of that name is on the PATH. */
export function isOnPath(name: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', name], { stdio: 'ignore' }).status === 0;
}

/**
 * What of `needed` is missing here, as the reason to skip a test; undefined when nothing is.
 * @throws Error in the CI: `.ci/run` installs it there, or the part of a release that the test belongs to
 */
export function reasonToSkip(needed: Readonly<Record<string, boolean>>): string | undefined {
  const missing = Object.keys(needed).filter((name) => !needed[name]);
  if (missing.length === 0) return undefined;
  const reason = `This test needs ${missing.join(', ')}.`;
  if (process.env['CI'])
    throw new Error(
      `${reason} Install it in .ci/run, or name it in scripts/release/verify/parts.ts.`,
    );
  console.warn(`Skipped. ${reason}`);
  return reason;
}
