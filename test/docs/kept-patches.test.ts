import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FOLDER, KEPT_PATCHES, patchOf } from './support/kept-patches.ts';

test('every kept patch is counted here, and named by the recipe that it follows', () => {
  const patches = Object.keys(KEPT_PATCHES).map((name) => `${name}.patch`);
  expect(readdirSync(FOLDER).sort()).toEqual(patches.sort());
  const recipes = readFileSync('CONTRIBUTING.md', 'utf8');
  for (const patch of patches) expect(recipes).toContain(`\`${FOLDER}/${patch}\``);
});

/** Whether they are green is proven with a build of their own, in `kept-patches.release.test.ts`. */
test.each(Object.entries(KEPT_PATCHES))(
  'the kept patch %s applies, and touches %i source files',
  (name, count) => {
    const touched = readFileSync(patchOf(name), 'utf8').match(/(?<=^\+\+\+ b\/)src\/.*$/gm);
    expect(touched ?? []).toHaveLength(count);
    const { stderr } = spawnSync('git', ['apply', '--check', patchOf(name)], { encoding: 'utf8' });
    expect(stderr).not.toContain('error:');
  },
);

test('the packets that a patch adds end their lines as HTTP does', () => {
  const added = (name: string) =>
    readFileSync(patchOf(name), 'utf8')
      .split('diff --git ')
      .filter((file) => /^\S+\.http /.test(file))
      .map((file) => file.slice(file.indexOf('\n@@')).match(/(?<=^\+)[^\n]*\n/gm) ?? []);
  const packets = Object.keys(KEPT_PATCHES).flatMap(added);
  expect(packets.length).toBeGreaterThan(0);
  // An editor or script that reads a patch as text drops them, and still the patch applies.
  for (const lines of packets) expect(lines[0]).toMatch(/\r\n$/);
});
