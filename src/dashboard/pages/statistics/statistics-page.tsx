import { useState } from 'react';
import { queryOf } from '../../api/http.ts';
import type { ScanStatistics } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { ExportLinks } from '../../components/export-links.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { pageZone, useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { ReasonList } from '../overview/reason-list.tsx';
import { daysOf, type StatisticsFilter } from './period.ts';
import { StatisticsFigure } from './statistics-figure.tsx';
import { StatisticsFilterFields } from './statistics-filter.tsx';

const REFRESH_MS = 30_000;

/** How many came, over days and seasons: by day, hour, event, gate and type of ticket. */
export function StatisticsPage() {
  const { statistics } = useTexts();
  const [filter, setFilter] = useState<StatisticsFilter>({
    ...{ period: 'week', by: 'day', event: '' },
    ...daysOf('week'),
  });
  const { from, to, by, event } = filter;
  const query = queryOf({ from, to, by, event, timeZone: pageZone() });
  const counted = useRead<ScanStatistics>(`/statistics/scans${query}`, { everyMs: REFRESH_MS });
  return (
    <>
      <PageHead title={statistics.title}>
        <ExportLinks
          path="/statistics/scans/export"
          filter={{ from, to, by, event }}
          texts={statistics}
        />
      </PageHead>
      <StatisticsFilterFields filter={filter} onChange={setFilter} />
      <Answered asked={counted}>{(answer) => <Counted counted={answer} />}</Answered>
      <p className="dimmed">{statistics.timeZone(pageZone())}</p>
    </>
  );
}

function Counted({ counted }: { counted: ScanStatistics }) {
  const { statistics, overview } = useTexts();
  const formats = useFormats();
  const { admitted, denied, validations, undone } = counted.totals;
  if (admitted + denied + validations + undone === 0) return <Empty text={statistics.empty} />;
  const figures = [
    [overview.admitted, admitted, 'good'],
    [overview.denied, denied, 'bad'],
    [statistics.validations, validations, ''],
    ...(undone > 0 ? [[statistics.undone, undone, ''] as const] : []),
  ] as const;
  return (
    <div className="overview">
      <dl className="totals">
        {figures.map(([title, value, tone]) => (
          <div key={title} className={`panel total ${tone}`}>
            <dt>{title}</dt>
            <dd>{formats.number(value)}</dd>
          </div>
        ))}
      </dl>
      <StatisticsFigure counted={counted} />
      <ReasonList reasons={counted.byReason} />
    </div>
  );
}
