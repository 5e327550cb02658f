import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wholeOrCover } from '../support/whole.ts';

/** A small project with a file in each part; each uses the one before it. */
const FILES = {
  'src/rule.ts': 'export const rule = (uses: number) => uses > 0;\n',
  'src/dashboard/page.tsx': "import { rule } from '../rule.ts';\nexport const page = rule(1);\n",
  'test/helper.ts': "import { rule } from '../src/rule.ts';\nexport const helper = rule(2);\n",
  'test/dashboard/page.ts':
    "import { page } from '../../src/dashboard/page.tsx';\nimport { helper } from '../helper.ts';\nexport const both: boolean[] = [page, helper];\n",
};
const EVERY_OTHER = ['src/dashboard/page.tsx', 'test/dashboard/page.ts', 'test/helper.ts'];
const CONFIGURATIONS = [
  'tsconfig.json',
  'tsconfig.parts.json',
  ...['src', 'src/dashboard', 'test', 'test/dashboard'].map((part) => `${part}/tsconfig.json`),
];

const tree = mkdtempSync(join(tmpdir(), 'ticketscan-types-'));
afterAll(() => rmSync(tree, { recursive: true, force: true }));

beforeAll(async () => {
  for (const file of CONFIGURATIONS) cpSync(file, join(tree, file), { recursive: true });
  for (const name of ['@types', 'undici-types', 'vite']) {
    const link = join(tree, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }
  writeFileSync(join(tree, 'package.json'), '{ "type": "module" }');
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(tree, file), text);
  expect(await faultyFiles()).toEqual([]);
});

/** The files in which `npm run types` finds errors. */
async function faultyFiles(): Promise<string[]> {
  const { promise, resolve: end } = Promise.withResolvers<string>();
  const script = resolve('scripts/check-types.ts');
  execFile(process.execPath, [script], { cwd: tree }, (_error, out, err) => end(out + err));
  return [...new Set((await promise).match(/^[\w./-]+(?=\()/gm) ?? [])].sort();
}

/** A file, what it becomes, and the files that are wrong then. */
const CHANGES = [
  ['src/rule.ts', '(uses: string) => uses', EVERY_OTHER],
  ['src/dashboard/page.tsx', 'rule(true)', ['src/dashboard/page.tsx']],
  ['test/helper.ts', 'String(rule(2))', ['test/dashboard/page.ts']],
] as const;

// The first makes every part wrong.
test.each(wholeOrCover(CHANGES, ([, , faulty]) => faulty))(
  'what depends on %s is checked again when it becomes %s',
  async (file, value, faulty) => {
    const good = FILES[file as keyof typeof FILES];
    const bad = good.replace(/(export const \w+ = ).*;/, `$1${value};`);
    writeFileSync(join(tree, file), bad);
    // A file that is put back keeps its time.
    utimesSync(join(tree, file), 0, 0);
    expect(await faultyFiles()).toEqual(faulty);
    // What was found once is not forgotten.
    expect(await faultyFiles()).toEqual(faulty);

    writeFileSync(join(tree, file), good);
    utimesSync(join(tree, file), 0, 0);
    expect(await faultyFiles()).toEqual([]);
  },
);
