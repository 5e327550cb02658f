import { table } from '../../../terminal/table.ts';
import type {
  ScanFigures,
  ScanStatistics,
  StatisticsRow,
} from '../../manage/statistics/scan-statistics.ts';

const number = new Intl.NumberFormat('en');

/**
 * The statistics as people read them: a table with a sum, and why consume operations were refused.
 * @param columnsMax the terminal's width
 */
export function statisticsLines(statistics: ScanStatistics, columnsMax: number): string[] {
  const { from, to, timeZone, by, totals, byReason } = statistics;
  const period = `${from === to ? from : `${from} to ${to}`} (${timeZone})`;
  if (!isUsed(totals)) return [`No scans: ${period}.`];
  // A day without scans says something; most hours of a week say nothing.
  const rows = by === 'hour' ? statistics.rows.filter(isUsed) : statistics.rows;
  const figures: (keyof ScanFigures)[] = ['admitted', 'denied', 'validations'];
  for (const figure of ['exits', 'undone'] as const) if (totals[figure] > 0) figures.push(figure);
  const all = [...rows.map((row) => [nameOf(row), row] as const), ['total', totals] as const];
  const columns = figures.map((figure) =>
    aligned(
      figure.toUpperCase(),
      all.map(([, row]) => row[figure]),
    ),
  );
  const cells = all.map(([name], index) => [
    name,
    ...columns.map(({ texts }) => texts[index] ?? ''),
  ]);
  const heads = [by.toUpperCase(), ...columns.map(({ head }) => head)];
  const reasons = byReason.map(({ reason, count }) => `${reason} ${number.format(count)}`);
  return [
    ...[period, ''],
    ...table(heads, cells, columnsMax),
    ...(reasons.length > 0 ? ['', `Denied: ${reasons.join(', ')}`] : []),
  ];
}

function isUsed({ admitted, denied, validations, undone, exits }: ScanFigures): boolean {
  return admitted + denied + validations + undone + exits > 0;
}

function nameOf({ day, hour, event, eventName, gate, type }: StatisticsRow): string {
  if (hour !== undefined) return hour.replace('T', ' ');
  if (event !== undefined) return eventName ?? event ?? '(no event)';
  return day ?? gate ?? type ?? '(no ticket)';
}

/** A column of numbers, with their ends below each other. */
function aligned(head: string, values: readonly number[]): { head: string; texts: string[] } {
  const texts = values.map((value) => number.format(value));
  const width = Math.max(head.length, ...texts.map(({ length }) => length));
  return { head: head.padStart(width), texts: texts.map((text) => text.padStart(width)) };
}
