import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { type CheckResult, check, REPORT_FORMATS, renderReport } from '../../../src/check/index.ts';
import { startServer } from '../../mutants/reference/server.ts';
import { hostileResult } from '../support/results.ts';

const schema = readFileSync(new URL('../fixtures/junit.xsd', import.meta.url), 'utf8');

async function junitErrors(xml: string) {
  const { errors } = await validateXML({
    xml: { fileName: 'report.xml', contents: xml },
    schema: { fileName: 'junit.xsd', contents: schema },
  });
  return errors.map(({ message }) => message);
}

/** Of a run on a right server that may consume nothing and has no key of a device. */
let real: CheckResult;

beforeAll(async () => {
  const server = await startServer();
  const { keys, tickets } = server.target;
  const target = { keys: { rest: keys.rest }, tickets };
  real = await check({ baseUrl: server.baseUrl, target, maxRate: 5000 });
  await server.close();
});

/** What a report says and how it escapes it stands in one file for each format. */
test.each([
  ['pretty', 'txt'],
  ['junit', 'xml'],
  ['markdown', 'md'],
  ['github', 'txt'],
] as const)('the report as %s is the one in fixtures', async (format, ending) => {
  const file = `../fixtures/report-${format}.${ending}`;
  await expect(renderReport(format, hostileResult())).toMatchFileSnapshot(file);
});

describe('JUnit', () => {
  test('the report of a real run is valid', async () => {
    expect(await junitErrors(renderReport('junit', real))).toEqual([]);
  });

  test('hostile text leaves it valid', async () => {
    expect(await junitErrors(renderReport('junit', hostileResult()))).toEqual([]);
  });

  test('the schema is strict: a report without hostname is not valid', async () => {
    const xml = renderReport('junit', hostileResult()).replace(/ hostname="[^"]*"/, '');
    expect(await junitErrors(xml)).not.toEqual([]);
  });
});

test('SARIF names a rule for every case and a result for every finding', () => {
  const log = JSON.parse(renderReport('sarif', hostileResult()));
  expect(log.version).toBe('2.1.0');
  const [run] = log.runs;
  expect(run.tool.driver.rules).toHaveLength(8);
  expect(run.results.map((one: { level: string }) => one.level)).toEqual([
    'error',
    'error',
    'warning',
  ]);
  for (const { ruleId, ruleIndex } of run.results) {
    expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
  }
  expect(run.results[1].suppressions).toHaveLength(1);
});

/**
 * What GitHub requires of a file for code scanning: "Supported SARIF output file properties", and the rules that the validator of
 * SARIF's makers has for GitHub (GH1001 to GH2012, SARIF2005). By the place in the file, the members that must have a text.
 */
const REQUIRED_BY_GITHUB = {
  driver: ['name', 'version', 'semanticVersion', 'informationUri'],
  rule: ['id', 'shortDescription.text', 'fullDescription.text', 'help.text'],
  result: ['ruleId', 'level', 'message.text', 'partialFingerprints.caseId'],
  location: ['physicalLocation.artifactLocation.uri'],
} as const;

test('SARIF has every member that GitHub requires, of the tool, each rule, each result and each place', () => {
  const log = JSON.parse(renderReport('sarif', hostileResult()));
  expect(log.$schema).toMatch(/^https:.*sarif-2\.1\.0/);
  const [run] = log.runs;
  const { driver } = run.tool;
  const parts: Readonly<Record<keyof typeof REQUIRED_BY_GITHUB, readonly object[]>> = {
    driver: [driver],
    rule: driver.rules,
    result: run.results,
    location: run.results.flatMap(({ locations }: { locations: object[] }) => locations),
  };
  for (const [part, members] of Object.entries(REQUIRED_BY_GITHUB)) {
    const objects = parts[part as keyof typeof parts];
    expect(objects.length, part).toBeGreaterThan(0);
    for (const [index, one] of objects.entries())
      for (const member of members)
        expect(textAt(one, member), `${part} ${index}: ${member}`).toMatch(/\S/);
  }
  expect(driver.version).toMatch(/^\d+\.\d+\.\d+/);
  // 1,000 rules and results each are taken, and a description of 1,024 characters
  for (const { fullDescription, shortDescription } of driver.rules) {
    expect(fullDescription.text.length).toBeLessThanOrEqual(1024);
    expect(fullDescription.text).not.toBe(shortDescription.text);
  }
});

function textAt(value: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);
}

test('HTML contains the sections themselves, and each finding leads to its own', () => {
  const html = renderReport('html', hostileResult());
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(html).toContain('one use is taken.');
  for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id);
  expect(html.match(/href="#4\.2"/g)).toHaveLength(2);
});

test('SARIF refers to nothing outside: GitHub rejects a report with locations on the web', () => {
  const [run] = JSON.parse(renderReport('sarif', hostileResult())).runs;
  for (const { locations } of run.results) {
    const { uri } = locations[0].physicalLocation.artifactLocation;
    expect(uri).toMatch(/^[\w.-]+(?:\/[^:]*)?$/);
  }
  expect(run.properties.target).toBe(hostileResult().target);
});

test('HTML holds hostile text as text', () => {
  const html = renderReport('html', hostileResult());
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;script&gt;');
  expect(html.match(/<article /g)).toHaveLength(3);
  expect(html).toContain('<li><code>4.2/follows</code></li>');
});

test.each(REPORT_FORMATS.filter((format) => format !== 'json'))(
  '%s holds no control character that a terminal would obey',
  (format) => {
    const text = renderReport(format, hostileResult());
    const obeyed = [...'\0\u0001\u001b\u202e'].filter((sign) => text.includes(sign));
    expect(obeyed).toEqual([]);
    expect(text.isWellFormed()).toBe(true);
    expect(text.endsWith('\n')).toBe(true);
  },
);

test('JSON is the result itself', () => {
  const result = hostileResult();
  expect(JSON.parse(renderReport('json', result))).toEqual(JSON.parse(JSON.stringify(result)));
});

test.each(REPORT_FORMATS.filter((format) => format !== 'pretty' && format !== 'github'))(
  '%s says where each requirement was asked, where not, and why',
  (format) => {
    const text = renderReport(format, real).replaceAll('&quot;', '"').replaceAll('\\"', '"');
    const ids = [...real.cases, ...real.leftOut].map(({ id }) => id);
    expect(ids.filter((id) => !text.includes(id))).toEqual([]);
    expect(text).toContain('the target has no key "hardware"');
    expect(text).toContain('add --rate-limits');
    if (format !== 'json' && format !== 'sarif') {
      expect(text).toMatch(
        /asked on validate; not on consume: it sends tickets to a consume endpoint/,
      );
    }
  },
);

test.each([
  ['deviates', {}, 'The deployment deviates: 2 findings (14 followers); rate limits not asked.'],
  ['conforms', { failed: 0, follows: 0, warned: 3 }, 'conforms, with 3 warnings; rate limits not'],
  ['deviates', { failed: 0, follows: 0, known: 2 }, 'deviates only in 2 ways that the baseline'],
  [
    'incomplete',
    { failed: 0, follows: 0, unanswered: 1 },
    'incomplete: nothing failed; 1 case got',
  ],
] as const)('the last line of what %s with %o says everything', (verdict, more, line) => {
  const base = { passed: 1, failed: 2, warned: 0, skipped: 0, observed: 0, known: 0 };
  const totals = { ...base, follows: 14, unanswered: 0, ...more };
  const { brokenOff: _, ...result } = { ...hostileResult(), verdict, totals, stale: [], notes: [] };
  for (const brief of [true, false])
    expect(renderReport('pretty', result, { brief }).trimEnd().split('\n').at(-1)).toContain(line);
});

test('a wrong address is one sentence with what to try', () => {
  const preflight = {
    observed: 'Every path answers 404.',
    advice: 'Is there a base path?',
    reproduce: 'curl http://127.0.0.1/scan/validate',
  };
  const text = renderReport('pretty', { ...hostileResult(), cases: [], findings: [], preflight });
  expect(text).toContain('Every path answers 404. Is there a base path?');
  expect(text).toContain('Reproduce: curl http://127.0.0.1/scan/validate');
  expect(text.trimEnd().split('\n').at(-1)).toBe(
    'No case was run: the address, the target file or the whole service is wrong.',
  );
});
