import { fchownSync, statSync } from 'node:fs';

/**
 * Gives a new, open file to the owner of the first of `models` that exists: of the file that it will replace, or of its folder. Changes
 * something only for root, whose commands would otherwise leave files that the service, which runs as its own user, cannot open.
 * Where the system refuses (a container without that right), the file stays root's.
 */
export function takeOwnerOf(file: number, ...models: readonly string[]): void {
  if (process.geteuid?.() !== 0) return;
  for (const model of models) {
    const found = statSync(model, { throwIfNoEntry: false });
    if (!found) continue;
    try {
      fchownSync(file, found.uid, found.gid);
    } catch {
      // Root can open the file; whether the service can is shown by `doctor` and by its own start.
    }
    return;
  }
}
