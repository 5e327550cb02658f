import { globSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const PARTS = globSync('{src,test}/**/tsconfig.json').map((file) => dirname(file));

function filesOf(part: string): string[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const parsed = ts.getParsedCommandLineOfConfigFile(`${part}/tsconfig.json`, {}, host);
  return (parsed?.fileNames ?? []).map((file) => relative('.', file));
}

test('the types of each source file are checked in one part and no more', () => {
  const sources = globSync(['{src,test,scripts,bench,prove}/**/*.{ts,tsx}', '*.ts']);
  const checked = PARTS.flatMap(filesOf).filter((file) => /\.tsx?$/.test(file));

  expect(sources.length).toBeGreaterThan(1000);
  expect(checked.sort()).toEqual(sources.sort());
});

test('npm run types checks every part', () => {
  const script = readFileSync('scripts/check-types.ts', 'utf8');
  expect(PARTS.filter((part) => !script.includes(`'${part}'`))).toEqual([]);
});
