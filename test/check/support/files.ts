import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of its own for one test, gone afterwards. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes JSON to a file of its own and returns its path. */
export function jsonFile(value: unknown, name = 'target.json'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}
