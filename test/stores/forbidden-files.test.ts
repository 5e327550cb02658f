import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireExistingStore } from '../../src/features/store/opening.ts';
import { openStore } from '../../src/stores/open-store.ts';

const NOBODY = 65_534;
const NO_PERMISSION = /no permission to read or write it .*This is user \w+\. .*chown/;

async function asSomebodyElse(act: () => Promise<unknown>): Promise<unknown> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await act();
  } catch (error) {
    return error;
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** A folder that everybody may enter. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forbidden-'));
  chmodSync(folder, 0o755);
  return folder;
}

test.each(['sqlite', 'json'])(
  'a store of another user (%s) says who may not open it, and what to do',
  async (engine) => {
    const path = join(openFolder(), 'a store');
    await (await openStore(`${engine}:${path}`)).close();
    chmodSync(path, 0);
    const failure = await asSomebodyElse(() => openStore(`${engine}:${path}`));
    expect(String(failure)).toContain(path);
    expect(String(failure)).toMatch(NO_PERMISSION);
  },
);

test.each(['sqlite', 'json'])(
  'a store in a folder that this user may not enter (%s) is not called missing',
  async (engine) => {
    const folder = join(openFolder(), 'closed');
    mkdirSync(folder);
    writeFileSync(join(folder, 'store'), '');
    chmodSync(folder, 0);
    const failure = await asSomebodyElse(async () =>
      requireExistingStore(`${engine}:${folder}/store`),
    );
    expect(String(failure)).not.toContain('No store exists');
    expect(String(failure)).toMatch(NO_PERMISSION);
  },
);
