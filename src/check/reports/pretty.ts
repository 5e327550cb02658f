import { Chalk, type ChalkInstance } from 'chalk';
import { counted, stripControls } from '../../kit/text.ts';
import { type CaseResult, type CheckResult, isOpen, type Outcome } from '../results/result.ts';
import type { ReportStyle } from './style.ts';
import {
  coverage,
  endpointsLine,
  findingsOf,
  furtherDeviations,
  oneLine,
  skipReasons,
  specificationLine,
  subjectOf,
  totalsLine,
  verdictLine,
} from './texts.ts';

const MARKS: Readonly<Record<Outcome, string>> = {
  passed: '✓',
  failed: '✗',
  warned: '!',
  skipped: '-',
  observed: '·',
  follows: '↳',
  unanswered: '?',
};

/** For a person at a terminal: sections with their counts, then each finding in full, then the verdict. */
export function prettyReport(result: CheckResult, style: ReportStyle): string {
  const paint = new Chalk({ level: style.color ? 1 : 0 });
  const what = result.subject === undefined ? '' : `a ${result.subject} at `;
  const lines = [paint.bold(`Checked ${what}${oneLine(result.target)}`), ''];
  lines.push(...sectionLines(result, paint));
  lines.push('', paint.bold('Where each requirement was asked'));
  for (const { text, ids } of coverage(result))
    lines.push(`  ${text}`, `    ${paint.dim(ids.join(', '))}`);
  lines.push(...observedLines(result, paint));
  lines.push(...skipLines(result, paint));
  for (const one of findingsOf(result)) lines.push('', ...findingLines(one, paint));
  for (const id of result.stale) {
    lines.push(
      '',
      paint.red(
        `${MARKS.failed} ${id} is in the baseline, but the ${subjectOf(result)} now meets it: remove it from the baseline.`,
      ),
    );
  }
  for (const fault of result.ownFaults ?? []) {
    lines.push('', paint.red(`An error of the checker, not of the service: ${oneLine(fault)}`));
  }
  for (const note of result.notes) lines.push('', paint.yellow(`Note: ${oneLine(note)}`));
  if (result.brokenOff) lines.push('', paint.red(`Stopped early: ${oneLine(result.brokenOff)}`));
  return `${[...lines, '', ...closingLines(result, paint)].join('\n')}\n`;
}

/** What was only looked at: cases after the requirement set, and where the specification is silent. */
function observedLines(result: CheckResult, paint: ChalkInstance): string[] {
  const line = (one: CaseResult) =>
    `  ${MARKS[one.outcome]} ${one.id}  ${paint.dim(oneLine(one.observed ?? ''))}`;
  const part = (heading: string, cases: readonly CaseResult[]) =>
    cases.length === 0 ? [] : ['', paint.bold(heading), ...cases.map(line)];
  const later = result.cases.filter((one) => one.later);
  const silent = result.cases.filter((one) => one.outcome === 'observed' && !one.later);
  return [
    ...part(`Came after the requirement set ${result.requirements}: reported only`, later),
    ...part('Observed, where the specification is silent', silent),
  ];
}

function skipLines(result: CheckResult, paint: ChalkInstance): string[] {
  return skipReasons(result).flatMap(({ reason, ids, optional }) => {
    const mark = optional
      ? paint.dim(`${MARKS.skipped} ${ids.length} skipped, which a check may leave out`)
      : paint.yellow(`${MARKS.skipped} ${ids.length} skipped`);
    return ['', `${mark}: ${oneLine(reason)}`, `  ${paint.dim(ids.join(', '))}`];
  });
}

function sectionLines(result: CheckResult, paint: ChalkInstance): string[] {
  const sections = Map.groupBy(result.cases, ({ section }) => section);
  return [...sections].map(([section, cases]) => {
    const bad = cases.filter(({ outcome, known }) => outcome === 'failed' && !known).length;
    const open = cases.filter(isOpen).length;
    const mark =
      bad > 0
        ? paint.red(MARKS.failed)
        : open > 0
          ? paint.yellow(MARKS.skipped)
          : paint.green(MARKS.passed);
    const good = cases.filter(
      ({ outcome }) => outcome === 'passed' || outcome === 'observed',
    ).length;
    return `  ${mark} ${`section ${section}`.padEnd(12)} ${good} of ${cases.length}`;
  });
}

function findingLines(one: CaseResult, paint: ChalkInstance): string[] {
  const color = one.outcome === 'failed' && !one.known ? paint.red : paint.yellow;
  const known = one.known ? ` (known${one.reason ? `: ${oneLine(one.reason)}` : ''})` : '';
  const place = endpointsLine(one);
  const lines = [
    color(`${MARKS[one.outcome]} ${one.id}${known}`),
    `  Requirement   ${one.requirement}`,
    ...(place === undefined ? [] : [`  Endpoints     ${color(place)}`]),
    `  Expected      ${paint.green(oneLine(one.expected ?? ''))}`,
    `  Observed      ${color(oneLine(one.observed ?? ''))}`,
    ...furtherDeviations(one).map((line) => `  Also          ${line}`),
    ...(one.cause === null ? [] : [`  Cause         ${oneLine(one.cause)}`]),
    `  Specification ${specificationLine(one)}`,
  ];
  if (one.evidence) {
    lines.push(
      ...indent(one.evidence.request, '  > ', paint),
      ...indent(one.evidence.response, '  < ', paint),
    );
  }
  if (one.reproduce) lines.push(`  Reproduce     ${stripControls(one.reproduce)}`);
  return lines;
}

function indent(text: string, prefix: string, paint: ChalkInstance): string[] {
  return text.split('\n').map((line) => paint.dim(`${prefix}${stripControls(line)}`));
}

function closingLines(result: CheckResult, paint: ChalkInstance): string[] {
  const { requests, durationMs, usesGranted } = result;
  const color =
    result.verdict === 'conforms'
      ? paint.green
      : result.verdict === 'deviates'
        ? paint.red
        : paint.yellow;
  return [
    `${totalsLine(result)} (${counted(requests, 'request')} in ${(durationMs / 1000).toFixed(1)} s${result.subject === undefined ? `, ${counted(usesGranted, 'use')} taken` : ''})`,
    color.bold(verdictLine(result)),
  ];
}
