import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesWithData, openStore } from '../../src/stores/open-store.ts';
import { TestStore } from '../support/stores.ts';

test.each([
  ['sqlite', 0],
  ['json', 0],
  ['json', 1],
] as const)(
  'a %s store whose file %i has a second name is not opened: two servers would each admit the same ticket',
  async (kind, index) => {
    await using gate = await TestStore.open(kind);
    await gate.store.close();
    const file = filesWithData(gate.url)[index] ?? '';
    const other = join(gate.folder, 'other');
    linkSync(file, other);

    await expect(openStore(gate.url)).rejects.toThrow(`${file} has a second name`);

    rmSync(other);
    gate.store = await openStore(gate.url);
  },
);
