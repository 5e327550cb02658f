import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { REFUSAL_REASONS, type RefusalReason } from '../../src/core/outcome-names.ts';
import { refusalAdvice } from '../../src/core/refusals/advice.ts';
import { BODY_ISSUES, DENIALS, GRANTS, UNDECIDED_NOTES } from '../../src/core/refusals/scans.ts';
import { TEXTS } from '../../src/dashboard/i18n/texts.ts';
import { scanPaths } from '../../src/operations/openapi/scan-paths.ts';
import { refusalKind } from '../../src/scan/refusal-counter.ts';

const PAGE = readFileSync('docs/gate/troubleshooting.md', 'utf8').replaceAll(/\s+/g, ' ');

const missing = (texts: readonly string[]) =>
  texts.filter((text) => !PAGE.includes(text.replaceAll(/\s+/g, ' ')));

test('every text of a display is on the page', () => {
  const notes = Object.values(DENIALS).map(({ note }) => note);
  expect(missing([...notes, ...Object.values(UNDECIDED_NOTES)])).toEqual([]);
});

test('every message of an answer to own software is on the page', () => {
  const messages = Object.values({ ...GRANTS, ...DENIALS, ...BODY_ISSUES }).map(({ en }) => en);
  expect(missing(messages)).toEqual([]);
});

test('every HTTP status of the scan endpoints is on the page', () => {
  const operations = Object.values(scanPaths()).flatMap((path) => Object.values(path));
  const statuses = operations.flatMap(({ responses = {} }) => Object.keys(responses));
  expect(missing([...new Set(statuses)].map((status) => `| ${status}`))).toEqual([]);
});

test('every reason of a refusal is on the page, with what to do', () => {
  const rows = Object.entries(REFUSAL_REASONS).map(
    ([reason, what]) => `| ${what} | \`${reason}\` | ${refusalAdvice(reason as RefusalReason)} |`,
  );
  expect(missing(rows)).toEqual([]);
});

/** Buttons, labels and questions of the scan page: nothing of them is a symptom. */
const NO_SYMPTOMS: readonly string[] = [
  ...['keyTitle', 'keyLabel', 'keyHelp', 'keyUse', 'keyForget', 'mode', 'consume', 'validate'],
  ...['ready', 'readyHelp', 'code', 'send', 'startCamera', 'stopCamera', 'cameraLabel', 'options'],
  ...['camera', 'cameraNumber'],
  ...[
    'closeOptions',
    'light',
    'sound',
    'readAt',
    'before',
    'strayOpen',
    'strayClose',
    'stopWaiting',
  ],
  ...['asAccount', 'withKey', 'scansAs', 'scansWithKey', 'signInAgain', 'lastUse', 'searchTicket'],
  ...['last', 'inLine', 'usesLeft', 'usesTaken', 'waitHelp', 'waitForThem', 'endAnyway'],
  ...[
    'ask',
    'hold',
    'usesAtOnce',
    'usesOfNext',
    'letIn',
    'notNow',
    'seen',
    'takenAtOnce',
    'letSeveralIn',
  ],
  ...[
    'onlyChecked',
    'findGuest',
    'findBy',
    'found',
    'foundFirst',
    'secondLook',
    'backToSearch',
    'written',
  ],
];

test.each(['en', 'de'] as const)(
  'every text of the scan page that tells of something is on the page, %s',
  (language) => {
    const { nextSteps, stepsOut, unknownBecause, ...scanner } = TEXTS[language].scanner as Readonly<
      Record<string, unknown>
    >;
    const told = Object.entries(scanner).filter(([name]) => !NO_SYMPTOMS.includes(name));
    const steps = [nextSteps, stepsOut, unknownBecause].flatMap((one) =>
      Object.values(one as object),
    );
    const texts = [...told.map(([, text]) => text), ...steps].map((text) =>
      // A text with a number in it is on the page with another one.
      typeof text === 'function'
        ? String(text()).replace(/^undefined | undefined$/, '')
        : String(text),
    );
    // of the German page only its large words
    const shown = texts.filter((text) => language === 'en' || text === text.toUpperCase());
    expect(shown.length).toBeGreaterThan(5);
    expect(missing(shown)).toEqual([]);
  },
);

/** Calls that write a line of the log of a server, and the place of its text among their arguments. */
const LOGGING = new Set(['warn', 'error', 'oneAtATime']);

/** The texts of warnings and errors that the server logs, as they are in its source. */
function logTexts(): string[] {
  const files = globSync('src/{serve,scan,features,operations}/**/*.ts');
  return files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    const texts: string[] = [];
    const visit = (node: ts.Node) => {
      if (ts.isCallExpression(node) && LOGGING.has(calledName(node)))
        texts.push(...node.arguments.slice(1).flatMap(literalIn));
      ts.forEachChild(node, visit);
    };
    visit(source);
    return texts;
  });
}

function calledName({ expression }: ts.CallExpression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : '';
}

/** A text; of a template, what comes before its first value. */
function literalIn(node: ts.Expression): string[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (!ts.isTemplateExpression(node)) return [];
  const [first] = node.templateSpans;
  return [node.head.text, first?.literal.text ?? ''].filter((text) => text.trim().length > 3);
}

test('every warning and error of the log of a server is on the page', () => {
  const texts = logTexts();
  expect(texts.length).toBeGreaterThan(15);
  const refusals = [401, 403, 429, 503].map((status) => refusalKind(status) ?? '');
  expect(missing([...texts, ...refusals].map((text) => text.trim()))).toEqual([]);
});
