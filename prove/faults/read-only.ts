import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINES, type Part } from '../part.ts';
import { run } from '../world/program.ts';
import { copyInto, createWorld, newFolder, placeIn, STORE_FILES } from '../world/world.ts';
import { SmallDisk } from './small-disk.ts';

/** A server that cannot write must say so when it starts, not at the first guest. */
export const readOnly: Part = {
  name: 'read-only',
  about: 'a start on a read-only disk is refused in words, and changes nothing',
  engines: ENGINES,
  async run({ engine }) {
    const world = await createWorld(engine, 4);
    using disk = new SmallDisk(newFolder('read-only'), 16);
    copyInto(world, disk.folder);
    const store = join(disk.folder, STORE_FILES[engine]);
    const before = readFileSync(store);
    disk.makeReadOnly();
    const { code, err, out } = await run(
      placeIn(disk.folder, engine),
      ['serve', '--port', '0'],
      ['timeout', '20'],
    );
    if (code === 0 || code === 124 || out.includes('listening')) {
      throw new Error(`serve on a read-only disk ended with ${code} after saying: ${out}${err}`);
    }
    if (!/read-only|cannot be opened|cannot write/i.test(err))
      throw new Error(`it did not say why: ${err}`);
    if (!readFileSync(store).equals(before)) throw new Error('the store was changed');
    rmSync(world.folder, { recursive: true, force: true });
    return `refused with exit code ${code}: ${err.trim().split('\n')[0]}`;
  },
};
