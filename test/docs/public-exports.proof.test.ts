import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** The source of each entry that `package.json` exports. */
const ENTRIES = Object.values(JSON.parse(readFileSync('package.json', 'utf8')).exports)
  .map((entry) => (entry as { types?: string }).types)
  .filter((types) => types !== undefined)
  .map((types) => types.replace('./dist/types/', 'src/').replace('.d.ts', '.ts'));

test('everything that a public entry exports says what it is', () => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    '.',
  );
  const program = ts.createProgram(ENTRIES, options);
  const checker = program.getTypeChecker();
  const silent = ENTRIES.flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile);
    return checker
      .getExportsOfModule(module as ts.Symbol)
      .filter((symbol) => {
        const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
        const declared = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
        return declared.getDocumentationComment(checker).length === 0;
      })
      .map(({ name }) => `${entry}: ${name}`);
  });

  expect(ENTRIES.length).toBeGreaterThan(5);
  expect(silent).toEqual([]);
});
