import { table } from '../../src/terminal/results.ts';
import { lastRatio, type Run } from './kept-runs.ts';
import { canBeJudged, goalText, type Line, type Section, verdictOf, wasBusy } from './line.ts';

const HEADS = ['what', 'measured', 'against', 'ratio', 'goal', 'result', 'last run'];
/** Less is what two runs on one quiet machine differ by. */
const CHANGE_MIN = 0.05;

/** The page as lines of text. @param earlier the runs to compare with */
export function renderPage(run: Run, earlier: readonly Run[], columnsMax?: number): string[] {
  return [
    `ticketscan benchmark, ${run.at.slice(0, 16).replace('T', ' ')} UTC, commit ${run.commit}${run.quick ? ', short run: for trying it out only' : ''}`,
    run.machine,
    '',
    'A ratio is what was measured divided by what it is measured against, both in this run and in turns. The load comes from the',
    'same processors, so single figures mean little. Processor time can be judged on a busy machine; the rest cannot.',
    ...run.sections.flatMap((section) => ['', ...sectionText(section, run, earlier, columnsMax)]),
    '',
    summary(run, earlier),
  ];
}

function sectionText(section: Section, run: Run, earlier: readonly Run[], columnsMax?: number) {
  const rows = section.lines.map((line) => [
    line.what,
    line.figure,
    `${line.against}: ${line.reference}`,
    line.ratio.toFixed(2),
    goalText(line.goal),
    verdictOf(line, section),
    comparison(line, section, lastRatio(line.id, run, earlier)),
  ]);
  return [
    section.title,
    ...section.notes.map((note) => `  ${note}`),
    ...(wasBusy(section) ? [`  ${busyText(section)}`] : []),
    ...table(HEADS, rows, columnsMax).map((text) => `  ${text}`),
  ];
}

function busyText({ taken: { byPrograms, byHost } }: Section): string {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  return `Other programs took ${percent(byPrograms)} of the processors meanwhile, and other guests of the host ${percent(byHost)}: too busy for wall-clock times.`;
}

/** @param last the ratio of an earlier run */
function comparison(line: Line, section: Section, last: number | undefined): string {
  if (last === undefined) return '';
  const change = line.ratio / last - 1;
  const percent = `${change > 0 ? '+' : '−'}${(Math.abs(change) * 100).toFixed(0)} %`;
  const isAlike = Math.abs(change) < CHANGE_MIN || !canBeJudged(line, section);
  return isAlike ? last.toFixed(2) : `${last.toFixed(2)} (${percent})`;
}

function summary(run: Run, earlier: readonly Run[]): string {
  const verdicts = run.sections.flatMap((section) =>
    section.lines.map((line) => verdictOf(line, section)),
  );
  const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
  const last = earlier.at(-1);
  const before = last
    ? ` The newest earlier run is of ${last.at.slice(0, 16).replace('T', ' ')} UTC, commit ${last.commit}.`
    : ' There is no earlier run to compare with.';
  return `${count('hit')} goals hit, ${count('miss')} missed, ${count('too busy to judge')} that could not be judged because the machine was busy.${before}`;
}
