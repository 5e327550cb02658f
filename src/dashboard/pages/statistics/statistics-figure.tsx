import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ScanStatistics } from '../../api/types.ts';
import { busiestOf, CountChart, scansOf } from '../../components/count-chart.tsx';
import { CountList } from '../../components/count-list.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

type Row = ScanStatistics['rows'][number];

const LABELS = 6;
const LISTED_MAX = 50;

/** The rows as bars, and as a table with all numbers. */
export function StatisticsFigure({ counted }: { counted: ScanStatistics }) {
  const { overview, statistics } = useTexts();
  const [asTable, setAsTable] = useState(false);
  return (
    <section className="panel wide">
      <div className="card-head">
        <h2>{statistics.heading(statistics.rows[counted.by])}</h2>
        <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
          {asTable ? overview.asChart : overview.asTable}
        </Button>
      </div>
      {asTable ? <StatisticsTable counted={counted} /> : <StatisticsChart counted={counted} />}
    </section>
  );
}

function StatisticsChart({ counted }: { counted: ScanStatistics }) {
  const { overview, statistics } = useTexts();
  const nameOf = useNameOfRow();
  const { by, rows, totals } = counted;
  const bars = rows.map((row) => ({ ...row, key: keyOf(row), label: nameOf(row) }));
  if (by !== 'day' && by !== 'hour') {
    const list = bars.map((bar) => ({ ...bar, name: <Name>{bar.label}</Name> }));
    return <CountList rows={list.slice(0, LISTED_MAX)} />;
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
  const { overview, statistics } = useTexts();
  const formats = useFormats();
  const nameOf = useNameOfRow();
  const { by, rows, totals } = counted;
  const column = (title: string, name: 'admitted' | 'denied' | 'validations' | 'undone') => ({
    title,
    end: true,
    cell: (row: Row) => formats.number(row[name]),
  });
  return (
    <DataTable
      label={statistics.heading(statistics.rows[by])}
      // Most hours of a week have no scans; a day without scans says something.
      rows={by === 'hour' ? rows.filter((row) => scansOf(row) + row.validations > 0) : rows}
      keyOf={keyOf}
      columns={[
        { title: statistics.rows[by], cell: (row) => <Name>{nameOf(row)}</Name> },
        column(overview.admitted, 'admitted'),
        column(overview.denied, 'denied'),
        column(statistics.validations, 'validations'),
        ...(totals.undone > 0 ? [column(statistics.undone, 'undone')] : []),
      ]}
    />
  );
}

function keyOf({ day, hour, event, keyId, serial, type }: Row): string {
  return day ?? hour ?? JSON.stringify([event, keyId, serial, type]);
}

/** What a row is about, in words. */
function useNameOfRow(): (row: Row) => string {
  const { statistics, tickets } = useTexts();
  const formats = useFormats();
  return ({ day, hour, event, eventName, gate, type }) => {
    if (day !== undefined) return formats.day(day);
    if (hour !== undefined) return formats.hour(hour);
    if (event !== undefined) return eventName ?? event ?? statistics.noEvent;
    if (gate !== undefined) return gate;
    return type ? tickets[type] : statistics.noTicket;
  };
}
