import type {
  ScanFigures,
  ScanStatistics,
  StatisticsRow,
} from '../../../features/statistics/scan-statistics.ts';
import { type Names, withName } from '../../../operations/names.ts';
import { table } from '../../../terminal/table.ts';

const number = new Intl.NumberFormat('en');

/**
 * The statistics as people read them: a table with a sum, and why consume operations were refused.
 * @param columnsMax the terminal's width
 * @param keys the names of keys: they tell gates apart whose devices have one serial
 */
export function statisticsLines(
  statistics: ScanStatistics,
  { columnsMax, keys }: { readonly columnsMax: number; readonly keys: Names },
): string[] {
  const { from, to, timeZone, by, totals, byReason } = statistics;
  const period = `${from === to ? from : `${from} to ${to}`} (${timeZone})`;
  if (!isUsed(totals)) return [`No scans: ${period}.`];
  // A day without scans says something; most hours of a week say nothing.
  const rows = by === 'hour' ? statistics.rows.filter(isUsed) : statistics.rows;
  const figures: (keyof ScanFigures)[] = ['admitted', 'denied', 'validations'];
  for (const figure of ['exits', 'undone'] as const) if (totals[figure] > 0) figures.push(figure);
  const names = distinctNames(rows, keys);
  const all = [
    ...rows.map((row, index) => [names[index] ?? '', row] as const),
    ['total', totals] as const,
  ];
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

/** A gate is a serial with a key: where several keys scan for one serial, its rows name them. */
function distinctNames(rows: readonly StatisticsRow[], keys: Names): string[] {
  const names = rows.map(nameOf);
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return rows.map(({ keyId }, index) => {
    const name = names[index] ?? '';
    return keyId !== undefined && (times.get(name) ?? 0) > 1
      ? `${name}, key ${withName(keyId, keys)}`
      : name;
  });
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
