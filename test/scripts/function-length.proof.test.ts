import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

const LINES_MAX = 60;

test(`no function has more than ${LINES_MAX} lines`, () => {
  const files = globSync('src/**/*.{ts,tsx}');
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap(longFunctions)).toEqual([]);
});

function longFunctions(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const lines = lineAt(node.end) - lineAt(node.getStart()) + 1;
    if (ts.isFunctionLike(node) && lines > LINES_MAX)
      found.push(`${path}:${lineAt(node.getStart())} has ${lines} lines`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
