import { NativeSelect, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { localTimeIn } from '../../core/time-zone.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { queryOf, type ScanStatistics } from '../api/http.ts';
import { useEvents } from '../api/lists.ts';
import { useRead } from '../api/use-api.tsx';
import {
  busiestOf,
  CountChart,
  CountFigure,
  CountList,
  ReasonList,
  scansOf,
  Tile,
  useCountColumn,
} from '../components/counts.tsx';
import { DataTable } from '../components/data-table.tsx';
import { choicesOf, type UsedChoices, useChoices } from '../components/fields.tsx';
import { Answered, ExportLinks } from '../components/page.tsx';
import { Empty, PageHead } from '../components/page-head.tsx';
import { Name } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { pageZone } from '../i18n/formats.ts';
import { useFormats } from '../i18n/language.tsx';

const REFRESH_MS = 30_000;

/** How many came, over days and seasons: by day, hour, event, gate and type of ticket. */
export function StatisticsPage() {
  const { navigation, statistics } = useDeskTexts();
  const { chosen, choose } = useChoices(CHOICES);
  const filter = filterOf(chosen);
  const { from, to, by, event } = filter;
  const input = { from, to, by, event } as const;
  const counted = useRead(
    'GET /statistics/scans',
    { ...input, timeZone: pageZone() },
    { everyMs: REFRESH_MS },
  );
  return (
    <>
      <PageHead title={navigation.statistics}>
        <ExportLinks route="GET /statistics/scans/export" filter={input} />
      </PageHead>
      <StatisticsFilterFields filter={filter} choose={choose} />
      <Answered asked={counted}>
        {(answer) => <Counted counted={answer} filter={filter} />}
      </Answered>
      <p className="dimmed">{statistics.timeZone(pageZone())}</p>
    </>
  );
}

function Counted({ counted, filter }: { counted: ScanStatistics; filter: StatisticsFilter }) {
  const { statistics, overview } = useDeskTexts();
  const formats = useFormats();
  const { admitted, denied, validations, undone } = counted.totals;
  if (admitted + denied + validations + undone === 0) return <Empty text={statistics.empty} />;
  const { from, to, event } = filter;
  const among = { from: `${from}T00:00`, until: `${to}T23:59`, event };
  const figures = [
    [overview.admitted, admitted, 'consumed', 'good'],
    [overview.denied, denied, 'denied'],
    [statistics.validations, validations, 'validated'],
    ...(undone > 0 ? [[statistics.undone, undone, 'undone'] as const] : []),
  ] as const;
  return (
    <div className="overview">
      <dl className="totals">
        {figures.map(([title, count, outcome, tone]) => (
          <Tile
            key={title}
            title={title}
            tone={tone}
            href={`/log/history${queryOf({ outcome, ...among })}`}
            value={formats.number(count)}
          />
        ))}
      </dl>
      <CountFigure
        title={statistics.heading(subjectsText(counted.by, statistics.rows))}
        chart={<StatisticsChart counted={counted} />}
        table={<StatisticsTable counted={counted} />}
      />
      <ReasonList title={statistics.byReason} reasons={counted.byReason} among={among} />
    </div>
  );
}

interface FilterProps {
  readonly filter: StatisticsFilter;
  readonly choose: UsedChoices<(typeof CHOICES)[number]>['choose'];
}

/** Which days are wanted, of which event, and what each row is. */
function StatisticsFilterFields({ filter, choose }: FilterProps) {
  const { statistics, general, log } = useDeskTexts();
  const events = useEvents().data?.items ?? [];
  const { from, to } = filter;
  const day = (name: 'from' | 'to') => ({
    label: statistics[name],
    type: 'date',
    value: filter[name],
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) =>
      value !== '' && choose({ period: '', from, to, [name]: value }),
  });
  const all = { value: '', label: general.all };
  const [first = 'day', second = ''] = subjectsOf(filter.by);
  return (
    <search className="filters">
      <NativeSelect
        label={statistics.period}
        value={filter.period}
        onChange={({ currentTarget: { value } }) =>
          choose(value === 'own' ? { period: '', from, to } : { period: value, from: '', to: '' })
        }
        data={choicesOf([...PERIODS, 'own'], statistics.periods)}
      />
      <TextInput {...day('from')} max={to} />
      <TextInput {...day('to')} min={from} />
      <NativeSelect
        label={statistics.by}
        data={choicesOf(ROWS, statistics.rows)}
        value={first}
        onChange={({ currentTarget: { value } }) => choose({ by: value })}
      />
      <NativeSelect
        label={statistics.and}
        data={[
          { value: '', label: general.none },
          ...choicesOf(partnersOf(first), statistics.rows),
        ]}
        value={second}
        onChange={({ currentTarget: { value } }) => choose({ and: value })}
      />
      <NativeSelect
        label={log.event}
        value={filter.event}
        onChange={({ currentTarget: { value } }) => choose({ event: value })}
        data={[all, ...events.map(({ id, name }) => ({ value: id, label: name }))]}
      />
    </search>
  );
}

type Row = ScanStatistics['rows'][number];

const LABELS = 6;
const LISTED_MAX = 50;

function StatisticsChart({ counted }: { counted: ScanStatistics }) {
  const { overview, statistics } = useDeskTexts();
  const nameOf = useNameOfRow();
  const { by, rows, totals } = counted;
  const subjects = subjectsOf(by);
  const bars = rows.map((row) => ({
    ...row,
    key: keyOf(row),
    label: subjects.map((subject) => nameOf(row, subject)).join(' · '),
  }));
  if (by !== 'day' && by !== 'hour') {
    const list = bars.map((bar) => ({ ...bar, name: <Name>{bar.label}</Name> }));
    return <CountList rows={list} shownMax={LISTED_MAX} />;
  }
  const busiest = busiestOf(bars);
  const most = busiest ? statistics.busiest(busiest.label, scansOf(busiest)) : '';
  return (
    <CountChart
      bars={bars}
      summary={`${overview.admitted}: ${totals.admitted}. ${overview.denied}: ${totals.denied}. ${most}`}
      labelEvery={Math.ceil(bars.length / LABELS)}
    />
  );
}

function StatisticsTable({ counted }: { counted: ScanStatistics }) {
  const { overview, statistics } = useDeskTexts();
  const nameOf = useNameOfRow();
  const { by, rows, totals } = counted;
  const column = useCountColumn();
  return (
    <DataTable
      label={statistics.heading(subjectsText(by, statistics.rows))}
      // Most hours of a week have no scans; a day without scans says something.
      rows={by === 'hour' ? rows.filter((row) => scansOf(row) + row.validations > 0) : rows}
      keyOf={keyOf}
      columns={[
        ...subjectsOf(by).map((subject) => ({
          title: statistics.rows[subject],
          cell: (row: Row) => <Name>{nameOf(row, subject)}</Name>,
        })),
        column(overview.admitted, 'admitted'),
        column(overview.denied, 'denied'),
        column(statistics.validations, 'validations'),
        ...(totals.undone > 0 ? [column(statistics.undone, 'undone')] : []),
      ]}
    />
  );
}

function keyOf({ day, hour, event, keyId, serial, type }: Row): string {
  return JSON.stringify([day, hour, event, keyId, serial, type]);
}

/** What of a row is about a subject, in words. */
function useNameOfRow(): (row: Row, subject: Subject) => string {
  const { statistics, tickets } = useDeskTexts();
  const formats = useFormats();
  return ({ day, hour, event, eventName, gate, type }, subject) => {
    const names: Record<Subject, () => string> = {
      day: () => (day === undefined ? '' : formats.day(day)),
      hour: () => (hour === undefined ? '' : formats.hour(hour)),
      event: () => eventName ?? event ?? statistics.noEvent,
      gate: () => gate ?? '',
      type: () => (type ? tickets[type] : statistics.noTicket),
    };
    return names[subject]();
  };
}

/** What the statistics are asked for. */
interface StatisticsFilter {
  readonly period: PeriodName | 'own';
  /** Days of the zone of the page, such as `2026-11-22`. */
  readonly from: string;
  readonly to: string;
  readonly by: ScanStatistics['by'];
  /** Its id; empty for all events. */
  readonly event: string;
}

/** How many days, today included. */
const PERIOD_DAYS = { today: 1, week: 7, month: 30, year: 365 } as const;
type PeriodName = keyof typeof PERIOD_DAYS;
const PERIODS = Object.keys(PERIOD_DAYS) as PeriodName[];
const ROWS = ['day', 'hour', 'event', 'gate', 'type'] as const;
type Subject = (typeof ROWS)[number];
const IN_TIME: readonly Subject[] = ['day', 'hour'];

/** What a subject may stand beside in one table: an hour has its day already. */
function partnersOf(first: Subject): Subject[] {
  return ROWS.filter(
    (other) => other !== first && !(IN_TIME.includes(first) && IN_TIME.includes(other)),
  );
}

function subjectsOf(by: ScanStatistics['by']): readonly Subject[] {
  return by.split(',') as Subject[];
}

function subjectsText(by: ScanStatistics['by'], names: Readonly<Record<Subject, string>>): string {
  return subjectsOf(by)
    .map((subject) => names[subject])
    .join(' · ');
}

/** How the address of the page says it: a period that ends today moves on with the days. */
export const CHOICES = ['period', 'from', 'to', 'by', 'and', 'event'] as const;

/** The days of a period that ends today. */
export function daysOf(period: PeriodName): Pick<StatisticsFilter, 'from' | 'to'> {
  const { date: to } = localTimeIn(Date.now(), pageZone());
  const first = Date.parse(to) - (PERIOD_DAYS[period] - 1) * DAY_MS;
  return { from: new Date(first).toISOString().slice(0, 10), to };
}

/** What an address asks for; a week, day by day, where it says nothing. */
function filterOf(chosen: Readonly<Record<(typeof CHOICES)[number], string>>): StatisticsFilter {
  const { from, to, event } = chosen;
  const first = ROWS.find((name) => name === chosen.by) ?? 'day';
  const second = partnersOf(first).find((name) => name === chosen.and);
  const by: ScanStatistics['by'] = second === undefined ? first : `${first},${second}`;
  if (from !== '' && to !== '') return { period: 'own', from, to, by, event };
  const period = PERIODS.find((name) => name === chosen.period) ?? 'week';
  return { period, ...daysOf(period), by, event };
}
