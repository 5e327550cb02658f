import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = resolve('scripts/size-ratchet.ts');
const OPERATION = 'export const a = operation({\n});\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-size-'));
  mkdirSync(join(folder, 'src/features/keys'), { recursive: true });
  writeFileSync(join(folder, 'src/features/keys/operations.ts'), `import 'x';\n${OPERATION}`);
  const features = { lines: 3, files: 1, smallFiles: 1, importLines: 1 };
  const kept = { rooms: { features }, linesPerOperation: 3, raised: [] };
  writeFileSync(join(folder, 'size.json'), JSON.stringify(kept));
});
afterEach(() => rmSync(folder, { recursive: true }));

function ratchet(...options: string[]): Promise<{ code: number; stderr: string }> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [SCRIPT, ...options],
      { cwd: folder },
      (_error, _stdout, stderr) => done({ code: child.exitCode ?? -1, stderr }),
    );
  });
}

const kept = () => JSON.parse(readFileSync(join(folder, 'size.json'), 'utf8'));

test('a room that grew fails, and is taken over with a reason only', async () => {
  writeFileSync(join(folder, 'src/features/keys/rules.ts'), 'const b = 1;\n');

  const grown = await ratchet();
  expect(grown.code).toBe(1);
  expect(grown.stderr).toContain('src/features: 4 lines, 3 so far');
  expect(grown.stderr).toContain('src/features: 2 files, 1 so far');
  expect((await ratchet('--raise')).code).toBe(2);
  expect((await ratchet('--raise', 'keys have rules')).code).toBe(0);
  expect(kept()).toMatchObject({ linesPerOperation: 4, raised: ['keys have rules'] });
  expect((await ratchet()).code).toBe(0);
});

test('a room that shrank is written down', async () => {
  writeFileSync(join(folder, 'src/features/keys/operations.ts'), OPERATION);

  expect((await ratchet()).code).toBe(0);
  expect(kept().rooms.features).toEqual({ lines: 2, files: 1, smallFiles: 1, importLines: 0 });
});

test('a tree without operations is no success', async () => {
  writeFileSync(join(folder, 'src/features/keys/operations.ts'), 'const c = 1;\n');

  expect((await ratchet()).code).not.toBe(0);
});
