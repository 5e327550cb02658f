import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CodeException, LongFile } from '../../scripts/code-exceptions.ts';
import type { CodeRule } from '../../scripts/code-rules.ts';
import { judgeFolders } from '../../scripts/judge-folders.ts';

const SPREAD = 'const one = { a: 1, ...{ b: 2, c: 3 } };\n';
const COMMENT = '/** Of the server, when it is one. */\nconst address = 1;\n';
const LONG = 'const a = 1;\n'.repeat(401);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ticketscan-code-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

function judge(exceptions: CodeException[] = [], longFiles: LongFile[] = []) {
  return judgeFolders(root, ['src'], { exceptions, longFiles });
}

/** The rules that a file with this text breaks, by name. */
function broken(text: string, name = 'src/room/one.ts'): string[] {
  write(name, text);
  const { problems } = judgeFolders(root, [name.split('/')[0] ?? ''], {
    exceptions: [],
    longFiles: [],
  });
  return problems.map((problem) => /\(([a-z-]+)\)$/.exec(problem)?.[1] ?? problem);
}

describe('a spread of a literal', () => {
  test('is refused, with its line and what to do', () => {
    write('src/room/one.ts', `const zero = 0;\n${SPREAD}`);
    expect(judge().problems).toEqual([
      'src/room/one.ts:2 spreads an object literal: write its members into the object around it (spread-of-a-literal)',
    ]);
  });

  test.each([
    ['in parentheses, with a type', 'const one = { ...({ a: 1 } as const) };'],
    ['that satisfies a type', 'const one = { ...({ a: 1 } satisfies object) };'],
    ['inside another', 'const one = f({ b: { ...{ a: 1 } } });'],
    ['of a list', "const one = [...['a', 'b'], ...more];"],
    ['of arguments', 'one(...[1, 2]);'],
  ])('is refused %s', (_where, text) => {
    expect(broken(text)).toEqual(['spread-of-a-literal']);
  });

  test.each([
    ['what has a name', 'const one = { ...other, a: 1 };'],
    ['what may be nothing', 'const one = { ...(a === undefined ? {} : { a }), ...(b && { b }) };'],
    ['what is computed from a literal', 'const one = [...[1, 2].map(String)];'],
  ])('leaves alone %s', (_what, text) => {
    expect(broken(text)).toEqual([]);
  });

  test('may pack a list into rows in a test, but no object', () => {
    expect(broken("const paths = [...['/', '/scan'], ...['/x']];", 'test/one.test.ts')).toEqual([]);
    expect(broken(SPREAD, 'test/one.test.ts')).toEqual(['spread-of-a-literal']);
  });
});

describe('a doc comment without a subject', () => {
  test('is refused, with its line and what to do', () => {
    write('src/room/one.ts', `const zero = 0;\n${COMMENT}`);
    const [problem] = judge().problems;
    expect(problem).toMatch(
      /^src\/room\/one\.ts:2 the comment begins with "Of" and has no subject/,
    );
    expect(problem).toContain('say what the thing is');
  });

  test.each([
    '/** For people. */',
    '/** As `run`, on a terminal. */',
    '/** In a thread of its own: an audit reads everything. */',
    '/** At least 0, below 1. */',
    '/**\n * By the ids of events:\n * a row may name its event by either.\n */',
    '/** Without those, where the other side cuts them off. */',
    '/** From 1; null in a file without pages. */',
    '/** With chunks, as they come. @param limit is the bound, that it has */',
  ])('is refused: %s', (comment) => {
    expect(broken(`${comment}\nexport const one = 1;`)).toEqual(['comment-without-subject']);
  });

  test.each([
    '/** The address of the server, if the command runs against one. */',
    '/** Reads the answer. */',
    '/** Undefined when there is none. */',
    '/** For each key, the store keeps one row. */',
    '/** Without a heartbeat, a card shows whether the server can be reached. */',
    '/** `offset` counts from 0. */',
    '// Of no doc comment anything is asked.',
    '/* Nor of this one. */',
  ])('is not: %s', (comment) => {
    expect(broken(`${comment}\nexport const one = 1;`)).toEqual([]);
  });

  test('is found at members, in classes and in JSX, but not in a text', () => {
    expect(
      broken(`interface One {\n  ${COMMENT.split('\n')[0]}\n  readonly a: string;\n}`),
    ).toHaveLength(1);
    expect(broken(`class One {\n  ${COMMENT.split('\n')[0]}\n  #a = 1;\n}`)).toHaveLength(1);
    expect(broken(`const one = '${COMMENT.split('\n')[0]}';`)).toEqual([]);
  });
});

describe('a long file', () => {
  test('is refused from its 401st line on, also a style sheet', () => {
    expect(broken('const a = 1;\n'.repeat(400))).toEqual([]);
    expect(broken(LONG)).toEqual(['long-file']);
    rmSync(join(root, 'src'), { recursive: true });
    expect(broken('\n'.repeat(401), 'src/page.css')).toEqual(['long-file']);
  });

  test('may have 500 lines when it is listed, and no more', () => {
    const listed = [{ file: 'src/room/one.ts', reason: 'a state machine' }];
    write('src/room/one.ts', 'const a = 1;\n'.repeat(500));
    expect(judge([], listed).problems).toEqual([]);
    write('src/room/one.ts', 'const a = 1;\n'.repeat(501));
    expect(judge([], listed).problems).toEqual([expect.stringContaining('501 lines, 500 at most')]);
  });

  test('is listed only as long as it is long', () => {
    write('src/room/one.ts', SPREAD.replace('...{ b: 2, c: 3 }', 'b: 2'));
    expect(judge([], [{ file: 'src/room/one.ts', reason: '' }]).problems).toEqual([
      'src/room/one.ts: needs no more than 400 lines: remove it from scripts/code-exceptions.ts',
    ]);
  });
});

describe('an exception', () => {
  const exception = (folder: string, rule: CodeRule) => ({
    folder,
    rule,
    until: '2001-01-01',
    reason: 'is written anew',
  });

  test('excuses one rule in one folder, whatever the date is', () => {
    write('src/room/one.ts', SPREAD + COMMENT);
    write('src/roomy/two.ts', SPREAD);
    const verdict = judge([exception('src/room', 'spread-of-a-literal')]);
    expect(verdict.excused).toBe(1);
    expect(verdict.problems).toEqual([
      expect.stringMatching(/^src\/room\/one\.ts:2 .*\(comment-without-subject\)$/),
      expect.stringMatching(/^src\/roomy\/two\.ts:1 .*\(spread-of-a-literal\)$/),
    ]);
  });

  test('that excuses nothing is refused', () => {
    write('src/room/one.ts', SPREAD);
    const exceptions = [
      exception('src/room', 'spread-of-a-literal'),
      exception('src/room', 'comment-without-subject'),
      exception('src/gone', 'long-file'),
    ];
    expect(judge(exceptions).problems).toEqual([
      'src/room: comment-without-subject excuses nothing: remove it from scripts/code-exceptions.ts',
      'src/gone: long-file excuses nothing: remove it from scripts/code-exceptions.ts',
    ]);
  });
});

test('a folder without sources is no success', () => {
  expect(judge()).toEqual({
    files: 0,
    excused: 0,
    problems: ['src: has no source file: is this the checkout?'],
  });
  write('src/notes.md', 'no source');
  expect(judge().problems).toHaveLength(1);
});
