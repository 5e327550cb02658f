import { csvLine, EXCEL_CSV, SHEET_CSV } from '../../kit/csv/text.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import type { SheetWords } from '../sheet-words.ts';
import type {
  ScanFigures,
  ScanStatistics,
  StatisticsBy,
  StatisticsRow,
} from './scan-statistics.ts';

const LABELS: Readonly<Record<StatisticsBy, readonly (keyof StatisticsRow)[]>> = {
  day: ['day'],
  hour: ['hour'],
  event: ['event', 'eventName'],
  gate: ['gate', 'keyId', 'serial'],
  type: ['type'],
};
const FIGURES = [
  'admitted',
  'denied',
  'validations',
  'undone',
  'exits',
] as const satisfies readonly (keyof ScanFigures)[];

/**
 * The rows as lines of CSV, with headings; without a sum, which a spreadsheet makes itself.
 * @param words writes them for Excel
 */
export function* statisticsCsv(
  { by, rows }: ScanStatistics,
  words?: SheetWords,
): Generator<string> {
  const columns = [...LABELS[by], ...FIGURES];
  const dialect = words ? EXCEL_CSV : SHEET_CSV;
  const { heading = String, cell = <Cell>(_: string, value: Cell) => value } = words ?? {};
  yield (dialect.mark ? '\ufeff' : '') + csvLine(columns.map(heading), dialect);
  for (const row of rows)
    yield csvLine(
      columns.map((name) => cell(name, cellOf(row[name]))),
      dialect,
    );
}

/** A serial comes from anybody. */
function cellOf(value: string | number | null | undefined): string | number | null {
  return typeof value === 'string' ? sanitizeForTerminal(value) : (value ?? null);
}
