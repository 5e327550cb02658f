import { Chalk, type ChalkInstance } from 'chalk';
import { counted } from '../../kit/text.ts';
import { cutText } from '../facts/cut.ts';
import { type CheckResult, isOpen } from '../results/result.ts';
import { type CaseRow, contentOf, cutList, type FindingRow } from './content.ts';

/** How a report is written for people. */
export interface ReportStyle {
  /** ANSI colours, for a terminal. */
  readonly color?: boolean;
  /** Only the findings, the errors of the run and the verdict. */
  readonly brief?: boolean;
}

const SEEN_CHARACTERS_MAX = 100;
const SEEN_MAX = 15;
const LABEL_WIDTH = 14;

/** For a person at a terminal: each finding in full, then what was seen and what was not asked, then the verdict. */
export function prettyReport(result: CheckResult, { color, brief }: ReportStyle): string {
  const paint = new Chalk({ level: color ? 1 : 0 });
  const verdict = { conforms: paint.green, deviates: paint.red, incomplete: paint.yellow };
  const { findings, cases, seen, skips, remarks, totals, conclusion } = contentOf(result);
  const { subject, target, requests, durationMs, usesGranted } = result;
  const used = subject === undefined ? `, ${counted(usesGranted, 'use')} taken` : '';
  const effort = `${counted(requests, 'request')} in ${(durationMs / 1000).toFixed(1)} s${used}`;
  const blocks = [
    [paint.bold(`Checked ${subject === undefined ? '' : `a ${subject} at `}${target}`)],
    ...findings.map((one) => findingLines(one, paint)),
    ...(brief ? [] : [sectionLines(cases, paint)]),
    ...(brief ? [] : seen).map(([heading, rows]) => [
      paint.bold(heading),
      ...seenLines(rows, paint),
    ]),
    (brief ? [] : skips).flatMap(({ text, isOptional, ids }) => [
      (isOptional ? paint.dim : paint.yellow)(`- ${text}`),
      `  ${paint.dim(cutList(ids))}`,
    ]),
    ...remarks.flatMap(({ text, isError }) =>
      isError ? [[paint.red(text)]] : brief ? [] : [[paint.yellow(`Note: ${text}`)]],
    ),
    [...(brief ? [] : [`${totals} (${effort})`]), verdict[result.verdict].bold(conclusion)],
  ];
  const shown = blocks.filter((block) => block.length > 0);
  return `${shown.map((block) => block.join('\n')).join('\n\n')}\n`;
}

function findingLines(one: FindingRow, paint: ChalkInstance): string[] {
  const bad = one.isFailure ? paint.red : paint.yellow;
  const paints: Record<string, ChalkInstance> = { Expected: paint.green, Observed: bad };
  const labelled = (label: string, text: string) =>
    `  ${label.padEnd(LABEL_WIDTH)}${paints[label]?.(text) ?? text}`;
  const quoted = (text: string, mark: string) =>
    text === '' ? [] : text.split('\n').map((line) => paint.dim(`  ${mark} ${line}`.trimEnd()));
  return [
    bad(`${one.isFailure ? '✗' : '!'} ${one.id}${one.known}`),
    labelled('Requirement', one.requirement),
    ...one.facts.map(([label, text]) => labelled(label, text)),
    ...quoted(one.request, '>'),
    ...quoted(one.response, '<'),
    ...(one.reproduce === '' ? [] : [labelled('Reproduce', one.reproduce)]),
  ];
}

/** The first of them; other reports have all. */
function seenLines(rows: readonly CaseRow[], paint: ChalkInstance): string[] {
  const relevant = rows.filter(({ remark }) => !remark.startsWith('not applicable'));
  const rest = relevant.length - SEEN_MAX;
  return [
    ...relevant
      .slice(0, SEEN_MAX)
      .map(({ id, remark }) => `  · ${id}  ${paint.dim(cutText(remark, SEEN_CHARACTERS_MAX))}`),
    ...(rest > 0 ? [paint.dim(`  … and ${rest} more in the other reports`)] : []),
  ];
}

/** One line for all sections that were met, and one for each of the others. */
function sectionLines(cases: readonly CaseRow[], paint: ChalkInstance): string[] {
  const isGood = (row: CaseRow) =>
    ['passed', 'observed', 'warned'].includes(row.outcome) && !isOpen(row);
  const sections = [...Map.groupBy(cases, ({ section }) => section)];
  const met = sections.filter(([, all]) => all.every(isGood)).map(([section]) => section);
  const others = sections.filter(([section]) => !met.includes(section));
  return [
    ...(met.length === 0 ? [] : [`${paint.green('✓')} sections ${met.join(', ')}: all cases`]),
    ...others.map(([section, all]) => {
      const mark = all.some(({ isFailure }) => isFailure) ? paint.red('✗') : paint.yellow('-');
      return `${mark} section ${section}: ${all.filter(isGood).length} of ${all.length} cases`;
    }),
  ];
}
