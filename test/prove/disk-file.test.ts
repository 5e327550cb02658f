import { expect, test } from 'vitest';
import { DiskFile, SURVIVALS } from '../../prove/power-cut/disk-file.ts';
import { Random } from '../../prove/world/random.ts';

/** Every content that the file may be found with after a power cut, as far as many draws show. */
function contentsAfterCut(file: DiskFile): Set<string> {
  const random = new Random(1);
  const draws = Array.from({ length: 200 }, () => SURVIVALS).flat();
  return new Set(draws.map((survival) => file.afterCut(survival, random).toString()));
}

function write(file: DiskFile, offset: number, text: string, succeeded: boolean): void {
  file.write(offset, Buffer.from(text));
  file.syncBegins(offset);
  file.syncEnds(offset, succeeded);
}

test('what a failed sync left does not come back over what was synced after it', () => {
  const file = new DiskFile(Buffer.from('........'));
  write(file, 0, 'AAAAAAAA', false);
  write(file, 3, 'BB', true);

  const contents = contentsAfterCut(file);

  expect([...contents].filter((content) => content.slice(3, 5) !== 'BB')).toEqual([]);
  expect(contents).toContain('AAABBAAA');
  expect(contents).toContain('...BB...');
});

test('what a failed sync left does not come back behind a cut that was synced after it', () => {
  const file = new DiskFile(Buffer.from('....'));
  write(file, 0, 'AAAAAAAA', false);
  file.truncate(2);
  file.syncBegins(1);
  file.syncEnds(1, true);

  expect(contentsAfterCut(file)).toEqual(new Set(['..', 'AA']));
});

test('a sync takes what was written before it to the disk, and nothing else', () => {
  const file = new DiskFile();
  write(file, 0, 'AA', true);
  file.write(2, Buffer.from('BB'));

  expect(contentsAfterCut(file)).toEqual(new Set(['AA', 'AABB', 'AA\0\0']));
});
