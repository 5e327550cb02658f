import { stripControls } from '../../kit/text.ts';
import { VERSION } from '../../kit/version.ts';
import type { CheckResult } from '../results/result.ts';
import { type CaseRow, contentOf, type FindingRow, oneLine, specificationOf } from './content.ts';

/** GitHub workflow commands: an annotation for each finding and each error of the run. */
export function githubReport(result: CheckResult): string {
  const { findings, remarks, conclusion, totals } = contentOf(result);
  const lines = [
    ...findings.map((one) =>
      command(one.isFailure ? 'error' : 'warning', `ticketscan ${one.id}`, messageOf(one)),
    ),
    ...remarks
      .filter(({ isError }) => isError)
      .map(({ text }) => command('error', 'ticketscan', text)),
    command('notice', 'ticketscan check', `${conclusion} ${totals}`),
  ];
  return `${lines.join('\n')}\n`;
}

function command(kind: string, title: string, message: string): string {
  const data = (text: string) =>
    stripControls(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = data(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${kind} title=${property}::${data(message)}`;
}

function messageOf({ requirement, facts, reproduce }: FindingRow): string {
  const lines = [requirement, ...facts.map(([label, text]) => `${label}: ${text}`)];
  return [...lines, ...(reproduce === '' ? [] : [`Reproduce: ${reproduce}`])].join('\n');
}

const DRIVER = {
  name: 'ticketscan check',
  version: VERSION,
  semanticVersion: VERSION,
  informationUri: 'https://www.npmjs.com/package/ticketscan',
};

/** SARIF 2.1.0 for code scanning: every case as a rule, every finding as a result. */
export function sarifReport(result: CheckResult): string {
  const { findings, cases, remarks } = contentOf(result);
  const { brokenOff, startedAt, target, verdict, requirements, totals, leftOut } = result;
  const errors = remarks.filter(({ isError }) => isError);
  const run = {
    tool: { driver: { ...DRIVER, rules: cases.map(ruleOf) } },
    invocations: [
      {
        executionSuccessful: brokenOff === undefined && result.preflight === undefined,
        startTimeUtc: startedAt,
        toolExecutionNotifications: errors.map(({ text }) => ({
          level: 'error',
          message: { text },
        })),
      },
    ],
    columnKind: 'utf16CodeUnits',
    results: findings.map((one) => ({
      ruleIndex: cases.findIndex(({ id }) => id === one.id),
      ...sarifResultOf(one, placeOf(target)),
    })),
    properties: {
      target,
      verdict,
      requirements,
      totals,
      leftOut: leftOut.map((left) => ({ ...left, reason: oneLine(left.reason) })),
    },
  };
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

const LEVELS: Readonly<Record<CaseRow['level'], string>> = {
  stated: 'The specification states it: a deviation fails the run.',
  observed: 'Only the samples of the specification show it: a deviation is a warning.',
  unstated: 'The specification does not mention it: what was seen is reported, and fails nothing.',
};

function ruleOf(one: CaseRow): object {
  const { id, requirement, section, level, outcome, endpoints, coverage } = one;
  return {
    id,
    shortDescription: { text: requirement },
    fullDescription: { text: `${requirement} ${LEVELS[level]}` },
    help: { text: specificationOf(section) },
    properties: { section, level, outcome, endpoints, coverage },
  };
}

function sarifResultOf(one: FindingRow, uri: string): object {
  const suppression = { kind: 'external', justification: `in the baseline${one.known}` };
  return {
    ruleId: one.id,
    level: one.outcome === 'failed' ? 'error' : 'warning',
    message: { text: messageOf(one) },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } },
        logicalLocations: [{ name: `section ${one.section}`, kind: 'resource' }],
      },
    ],
    partialFingerprints: { caseId: one.id },
    ...(one.known === '' ? {} : { suppressions: [suppression] }),
  };
}

/**
 * The target as a relative reference. GitHub takes locations for files of the repository, and rejects a whole report in which one is an
 * `https:` address.
 */
function placeOf(target: string): string {
  const { hostname, pathname } = new URL(target);
  return `${hostname}${pathname}`.replace(/\/$/, '');
}
