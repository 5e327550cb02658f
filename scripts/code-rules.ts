import ts from 'typescript';

/** The rules that no rule of biome can say, by the name that an exception calls them. */
export type CodeRule = 'spread-of-a-literal' | 'comment-without-subject' | 'long-file';

/** A place that breaks a rule, with what to do about it. */
export interface CodeProblem {
  readonly rule: CodeRule;
  readonly line: number;
  readonly message: string;
}

/** The limit of every file. */
export const LINES_MAX = 400;

/** The limit of a file that `LONG_FILES` lists. */
export const LISTED_LINES_MAX = 500;

/** Words that begin a phrase about a subject that the sentence then never names. */
const OPENINGS = new Set(
  (
    'about above according across after against along among around as at before behind below beneath beside besides between ' +
    'beyond by despite during except for from in inside instead into like near of on onto out outside over per since through ' +
    'till to toward towards under until unlike upon via with within without'
  ).split(' '),
);

/** What comes after the opening phrase is a clause when it has its own subject, and a verb that is conjugated. */
const CLAUSE =
  /^(?:the|an?|it|its|this|that|these|those|they|he|she|we|you|each|every|no|nothing|nobody|everything|everybody|all|both|some|one|only|`[^`]+`)\b.*?\b(?:is|are|was|were|has|have|had|does|do|may|must|can|cannot|could|will|would|should|[a-z]{2,}s)\b/i;

/**
 * Finds what breaks a rule in one source file. `name` decides how the text is read: TypeScript, TypeScript with JSX, or another text,
 * of which only the lines are counted.
 */
export function codeProblems(name: string, text: string, linesMax = LINES_MAX): CodeProblem[] {
  const found = longFile(text, linesMax);
  if (!/\.tsx?$/.test(name)) return found;
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const comments = new Map<number, string>();
  const isTest = name.startsWith('test/');
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? [])
      comments.set(pos, text.slice(pos, end));
    const message = spreadProblem(node, isTest);
    if (message !== undefined)
      found.push({ rule: 'spread-of-a-literal', line: lineAt(node.getStart()), message });
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const [position, comment] of comments) {
    const message = commentProblem(comment);
    if (message !== undefined)
      found.push({ rule: 'comment-without-subject', line: lineAt(position), message });
  }
  return found;
}

export function linesIn(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function longFile(text: string, linesMax: number): CodeProblem[] {
  const lines = linesIn(text);
  if (lines <= linesMax) return [];
  const message = `the file has ${lines} lines, ${linesMax} at most: split it by subject`;
  return [{ rule: 'long-file', line: linesMax + 1, message }];
}

/**
 * A spread copies what is computed elsewhere. A literal after the dots is not: its members belong where the dots stand.
 * A test may pack a long list of raw inputs into rows.
 */
function spreadProblem(node: ts.Node, isTest: boolean): string | undefined {
  if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(bare(node.expression)))
    return 'spreads an object literal: write its members into the object around it';
  if (!isTest && ts.isSpreadElement(node) && ts.isArrayLiteralExpression(bare(node.expression)))
    return 'spreads an array literal: write its elements into the list around it';
  return undefined;
}

/** Parentheses and types around an expression do not change what it is. */
function bare(expression: ts.Expression): ts.Expression {
  let inner = expression;
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner)
  )
    inner = inner.expression;
  return inner;
}

function commentProblem(comment: string): string | undefined {
  if (!comment.startsWith('/**')) return undefined;
  const text = comment
    .slice(3, -2)
    .replace(/^\s*\*(?: |$)/gm, '')
    .trim();
  const first = /^[A-Za-z]+/.exec(text)?.[0] ?? '';
  if (!OPENINGS.has(first.toLowerCase()) || hasClauseOfItsOwn(text)) return undefined;
  return `the comment begins with "${first}" and has no subject: say what the thing is ("The server's address, if …") or does ("Reads …")`;
}

/** "For each key, the store keeps one row": the subject comes after the comma. */
function hasClauseOfItsOwn(text: string): boolean {
  const sentence = text.split(/[.:;](?:\s|$)|\s@[a-z]+/)[0] ?? '';
  const comma = sentence.indexOf(', ');
  return comma > 0 && CLAUSE.test(sentence.slice(comma + 2));
}
