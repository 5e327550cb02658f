import { escapeMarkup } from './text.ts';

export interface JunitCase {
  readonly name: string;
  readonly className: string;
  readonly durationMs: number;
  /** True, or why. */
  readonly skipped?: string | true | undefined;
  readonly failure?: JunitFailure | undefined;
}

interface JunitFailure {
  readonly type?: string;
  /** One line. */
  readonly message: string;
  readonly text: string;
}

export interface JunitSuite {
  readonly name: string;
  /** Besides the name, the counts and the time. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly properties?: Readonly<Record<string, string>>;
  readonly cases: readonly JunitCase[];
  readonly systemOut?: string;
}

/** Test results as JUnit XML: valid for the Ant schema and for Jenkins. */
export function junitReport(suites: readonly JunitSuite[], name?: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${name === undefined ? '' : attributesText({ name, ...totals(suites.flatMap(({ cases }) => cases)) })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function totals(cases: readonly JunitCase[]): Record<string, string> {
  const durationMs = cases.reduce((sum, one) => sum + one.durationMs, 0);
  return {
    tests: String(cases.length),
    failures: String(cases.filter(({ failure }) => failure).length),
    errors: '0',
    skipped: String(cases.filter(({ skipped }) => skipped !== undefined).length),
    time: (durationMs / 1000).toFixed(3),
  };
}

function suiteLines({ name, attributes, properties, cases, systemOut }: JunitSuite): string[] {
  const named = Object.entries(properties ?? {});
  return [
    `  <testsuite${attributesText({ name, ...attributes, ...totals(cases) })}>`,
    ...(properties ? ['    <properties>'] : []),
    ...named.map(([key, value]) => `      <property${attributesText({ name: key, value })}/>`),
    ...(properties ? ['    </properties>'] : []),
    ...cases.flatMap(caseLines),
    ...(systemOut === undefined
      ? []
      : [
          `    <system-out>${escapeMarkup(systemOut)}</system-out>`,
          '    <system-err></system-err>',
        ]),
    '  </testsuite>',
  ];
}

function caseLines({ name, className, durationMs, skipped, failure }: JunitCase): string[] {
  const time = (durationMs / 1000).toFixed(4);
  const head = `    <testcase${attributesText({ name, classname: className, time })}`;
  if (skipped !== undefined) {
    const why = skipped === true ? '' : attributesText({ message: skipped });
    return [`${head}>`, `      <skipped${why}/>`, '    </testcase>'];
  }
  if (!failure) return [`${head}/>`];
  const { text, ...attributes } = failure;
  return [
    `${head}>`,
    `      <failure${attributesText(attributes)}>${escapeMarkup(text)}</failure>`,
    '    </testcase>',
  ];
}

function attributesText(attributes: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(attributes);
  return pairs.map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`).join('');
}
