import { stripControls } from '../../kit/text.ts';
import type { CaseResult, CheckResult } from '../results/result.ts';
import { detailLines, specificationLine } from './texts.ts';

/** SARIF 2.1.0: every case as a rule, every finding as a result. */
export function sarifReport(result: CheckResult): string {
  const rules = result.cases.map((one) => ({
    id: one.id,
    shortDescription: { text: one.requirement },
    help: { text: specificationLine(one) },
    properties: {
      section: one.section,
      level: one.level,
      outcome: one.outcome,
      endpoints: one.endpoints,
      notAsked: one.notAsked.map((open) => ({ ...open, reason: stripControls(open.reason) })),
    },
  }));
  const results = result.cases.flatMap((one, ruleIndex) => resultOf(one, ruleIndex, result.target));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'ticketscan check',
            rules,
          },
        },
        invocations: [
          {
            executionSuccessful: result.brokenOff === undefined,
            startTimeUtc: result.startedAt,
            ...(result.brokenOff === undefined
              ? {}
              : {
                  toolExecutionNotifications: [
                    { level: 'error', message: { text: stripControls(result.brokenOff) } },
                  ],
                }),
          },
        ],
        columnKind: 'utf16CodeUnits',
        results,
        properties: {
          target: result.target,
          verdict: result.verdict,
          requirements: result.requirements,
          totals: result.totals,
          leftOut: result.leftOut.map((left) => ({ ...left, reason: stripControls(left.reason) })),
        },
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf(one: CaseResult, ruleIndex: number, target: string): object[] {
  if (one.outcome !== 'failed' && one.outcome !== 'warned') return [];
  const text = [
    one.requirement,
    ...detailLines(one),
    ...(one.reproduce ? [`Reproduce: ${one.reproduce}`] : []),
  ].join('\n');
  return [
    {
      ruleId: one.id,
      ruleIndex,
      level: one.outcome === 'failed' ? 'error' : 'warning',
      message: { text: stripControls(text) },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: placeOf(target) },
            region: { startLine: 1 },
          },
          logicalLocations: [{ name: `section ${one.section}`, kind: 'resource' }],
        },
      ],
      partialFingerprints: { caseId: one.id },
      ...(one.known
        ? {
            suppressions: [
              { kind: 'external', justification: stripControls(one.reason ?? 'in the baseline') },
            ],
          }
        : {}),
    },
  ];
}

/**
 * The target as a relative reference. GitHub takes locations for files of the repository, and rejects a whole report in which one is an
 * `https:` address.
 */
function placeOf(target: string): string {
  const { hostname, pathname } = new URL(target);
  return `${hostname}${pathname}`.replace(/\/$/, '');
}
