import { analyse } from 'scslre';
import ts from 'typescript';

/** A regular expression that must be changed, or listed as an exception. */
export interface SlowExpression {
  readonly line: number;
  readonly expression: string;
  readonly why: string;
}

/**
 * Finds the regular expressions of a source file whose time can grow faster than their input: a long row of one character then
 * stops the program for everybody. Expressions that are put together at run time cannot be judged, and are reported as well.
 */
export function slowExpressions(fileName: string, source: string): SlowExpression[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const found: SlowExpression[] = [];
  const visit = (node: ts.Node): void => {
    const why = whySlow(node);
    if (why !== undefined) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ line, expression: node.getText(), why });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function whySlow(node: ts.Node): string | undefined {
  if (ts.isRegularExpressionLiteral(node)) return judge(node.text);
  const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
  return isMade && node.expression.getText() === 'RegExp'
    ? 'is put together at run time'
    : undefined;
}

function judge(literal: string): string | undefined {
  const end = literal.lastIndexOf('/');
  const { reports } = analyse({ source: literal.slice(1, end), flags: literal.slice(end + 1) });
  const [first] = reports;
  return first && `takes too long for a long row of ${JSON.stringify(first.character.pick)}`;
}
