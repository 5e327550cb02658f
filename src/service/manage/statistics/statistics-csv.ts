import { csvLine, SHEET_CSV } from '../../../kit/csv/text.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
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

/** The rows as lines of CSV, with headings; without a sum, which a spreadsheet makes itself. */
export function* statisticsCsv({ by, rows }: ScanStatistics): Generator<string> {
  const columns = [...LABELS[by], ...FIGURES];
  yield csvLine(columns, SHEET_CSV);
  for (const row of rows)
    yield csvLine(
      columns.map((name) => cellOf(row[name])),
      SHEET_CSV,
    );
}

/** A serial comes from anybody. */
function cellOf(value: string | number | null | undefined): string | number | null {
  return typeof value === 'string' ? sanitizeForTerminal(value) : (value ?? null);
}
