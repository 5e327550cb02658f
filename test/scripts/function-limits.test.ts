import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const RULES = ['noExcessiveLinesPerFunction', 'noExcessiveCognitiveComplexity'];
const FOLDERS = ['src', 'test', 'prove', 'scripts', 'bench'];
const LONG = `function long() {\n${'  one();\n'.repeat(51)}}\nlong();\n`;
/** Seven branches inside each other count 1 + 2 + 3 and so on. */
const TANGLED = `function tangled() {\n${'if (one()) {'.repeat(7)}one();${'}'.repeat(7)}\n}\ntangled();\n`;

const root = mkdtempSync(join(tmpdir(), 'ticketscan-limits-'));
afterAll(() => rmSync(root, { recursive: true }));

interface Report {
  readonly diagnostics: readonly {
    readonly severity: string;
    readonly category: string;
    readonly location: { readonly path: string };
  }[];
}

/** Runs biome with our settings in the scratch folder. */
function lint(): Promise<Report> {
  const settings = JSON.parse(readFileSync('biome.json', 'utf8'));
  writeFileSync(join(root, 'biome.json'), JSON.stringify({ ...settings, $schema: undefined }));
  const only = RULES.map((rule) => `--only=complexity/${rule}`);
  const options = ['lint', '--vcs-enabled=false', '--reporter=json', ...only];
  return new Promise((done) => {
    execFile(resolve('node_modules/.bin/biome'), options, { cwd: root }, (_error, stdout) =>
      done(JSON.parse(stdout)),
    );
  });
}

test('the linter refuses long functions outside of tests, and tangled ones everywhere', async () => {
  for (const folder of FOLDERS) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'long.ts'), LONG);
    writeFileSync(join(root, folder, 'tangled.ts'), TANGLED);
  }

  const { diagnostics } = await lint();

  const refused = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ category, location }) => `${location.path} ${category.split('/').at(-1)}`);
  expect(refused.sort()).toEqual(
    FOLDERS.flatMap((folder) => [
      ...(folder === 'test' ? [] : [`${folder}/long.ts noExcessiveLinesPerFunction`]),
      `${folder}/tangled.ts noExcessiveCognitiveComplexity`,
    ]).sort(),
  );
});
