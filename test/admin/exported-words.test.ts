import { describe, expect, test } from 'vitest';
import { LOG_STATUSES, OUTCOME_NAMES, SCAN_STATUSES } from '../../src/core/outcome-names.ts';
import { TICKET_KINDS } from '../../src/core/ticket.ts';
import { sheetWords } from '../../src/features/sheet-words.ts';
import { STATISTICS_BY } from '../../src/features/statistics/figures.ts';
import {
  type ScanStatistics,
  type StatisticsRow,
  statisticsCsv,
} from '../../src/features/statistics/scan-statistics.ts';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();

const FIGURES = { admitted: 1, denied: 2, validations: 3, undone: 4, exits: 5 };

/** A row about as little as there can be, for each kind of statistics, and the column that says to a person what it is about. */
const LEAST = {
  day: [{ day: '2026-11-29' }, 0, '29.11.2026'],
  hour: [{ hour: '2026-11-29T06:00:00+01:00' }, 0, '29.11.2026 06:00'],
  event: [{ event: null, eventName: null }, 1, '(keine oder unbekannte Veranstaltung)'],
  gate: [{ gate: 'Gate 1', keyId: '', serial: null }, 0, 'Gate 1'],
  type: [{ type: null }, 0, '(kein Ticket)'],
} as const satisfies Record<
  (typeof STATISTICS_BY)[number],
  readonly [Partial<StatisticsRow>, number, string]
>;

const German = sheetWords({ language: 'de', timeZone: 'Europe/Berlin' });
const English = sheetWords({ language: 'en', timeZone: 'Europe/Berlin' });

/** The cells of the only row. */
function cellsOf(by: ScanStatistics['by'], label: Partial<StatisticsRow>, words: typeof German) {
  const rows = [{ ...label, ...FIGURES }];
  const counted = { by, rows, from: '', to: '', timeZone: '', totals: FIGURES, byReason: [] };
  const [, line = ''] = [...statisticsCsv(counted, words)];
  return line.trimEnd().split(';');
}

test.each(STATISTICS_BY)(
  'a row of the statistics by %s says in a spreadsheet what it is about',
  (by) => {
    const [label, column, expected] = LEAST[by];
    expect(cellsOf(by, label, German)[column]).toBe(expected);
    expect(cellsOf(by, label, English)[column]).toMatch(/./u);
  },
);

test('an event without a name is named by its id', () => {
  expect(cellsOf('event', { event: 'zy12qm', eventName: null }, German)).toContain('zy12qm');
  const [id, name] = cellsOf('event', { event: 'zy12qm', eventName: null }, English);
  expect([id, name]).toEqual(['zy12qm', 'zy12qm']);
});

describe('in German', () => {
  test.each([
    ...[...LOG_STATUSES, ...SCAN_STATUSES].map((value) => ['outcome', value]),
    ...OUTCOME_NAMES.map((value) => ['reason', value]),
    ...TICKET_KINDS.flatMap((value) => [
      ['type', value],
      ['ticketType', value],
    ]),
    ...['valid', 'not_yet_valid', 'exhausted', 'expired', 'cancelled'].map((value) => [
      'state',
      value,
    ]),
    ...['validate', 'consume', 'open', 'undo'].map((value) => ['operation', value]),
    ...['in', 'out'].map((value) => ['direction', value]),
    ...['true', 'false'].map((value) => ['replayed', value]),
  ])('the column %s has a word for %s', (column = '', value = '') => {
    expect(German.cell(column, value)).not.toBe(value);
  });

  test('every column of every table that is exported has a heading of its own', async () => {
    const { owner } = at;
    for (const path of [
      '/tickets/export?',
      '/log/export?',
      ...[...STATISTICS_BY, 'day,gate'].map((by) => `/statistics/scans/export?by=${by}&`),
      '/statistics/closing/export?',
      '/statistics/closing/export?otherFrom=2026-11-01&',
    ]) {
      const plain = await owner.get(`${path}format=csv`);
      const german = await owner.get(`${path}format=excel&language=de&timeZone=Europe/Berlin`);
      const columns = plain.text.split('\n', 1)[0]?.split(',') ?? [];
      const headings = german.text.replace('\ufeff', '').split('\n', 1)[0]?.split(';') ?? [];
      expect(columns.length).toBeGreaterThan(5);
      const same = columns.filter((name, index) => headings[index] === name);
      expect([path, same]).toEqual([path, []]);
    }
  });
});

test('the scans of an account are those of its name, not of its id', async () => {
  const { owner } = at;
  const event = (await owner.post('/events', { name: 'Sauna' })).json.id;
  const [made] = (await owner.post('/tickets', { event, type: 'single', count: 1 })).json.items;
  const requestId = 'exported-words-1';
  await owner.post('/scans', { operation: 'consume', ticketCode: made.code, requestId });
  const { text } = await owner.get(`/statistics/scans/export?format=excel&by=gate&event=${event}`);
  const [, row = ''] = text.split('\n');
  expect(row).toMatch(/^[^;]+;acc_/u);
  expect(row).not.toMatch(/^acc_/u);
});
