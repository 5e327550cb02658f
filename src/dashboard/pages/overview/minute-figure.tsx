import { Button } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '../../components/data-table.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { type Minute, MinuteChart } from './minute-chart.tsx';

/** Scans per minute as bars, and as a table for screen readers. */
export function MinuteFigure({ minutes }: { minutes: readonly Minute[] }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const [asTable, setAsTable] = useState(false);
  return (
    <section className="panel wide">
      <div className="card-head">
        <h2>{overview.lastHour}</h2>
        <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
          {asTable ? overview.asChart : overview.asTable}
        </Button>
      </div>
      {asTable ? (
        <DataTable
          label={overview.perMinute}
          rows={minutes.toReversed()}
          keyOf={({ at }) => at}
          columns={[
            { title: overview.minute, cell: ({ at }) => formats.minute(at) },
            { title: overview.admitted, end: true, cell: (row) => formats.number(row.admitted) },
            { title: overview.denied, end: true, cell: (row) => formats.number(row.denied) },
          ]}
        />
      ) : (
        <MinuteChart minutes={minutes} />
      )}
    </section>
  );
}
