import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { ExportLinks } from '../../components/export-links.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { LiveLog } from './live-log.tsx';
import { conditionsOf, EVERYTHING, LogFilterFields } from './log-filter.tsx';
import { LogHistory } from './log-history.tsx';

/** The scan log: as it happens, or back through time; with filters and export. */
export function LogPage() {
  const { log } = useTexts();
  const [live, setLive] = useState(true);
  const [filter, setFilter] = useState(EVERYTHING);
  const conditions = conditionsOf(live ? { ...filter, from: '', until: '' } : filter);
  return (
    <>
      <PageHead title={log.title}>
        <SegmentedControl
          aria-label={log.title}
          value={live ? 'live' : 'history'}
          onChange={(value) => setLive(value === 'live')}
          data={[
            { value: 'live', label: log.live },
            { value: 'history', label: log.history },
          ]}
        />
        <ExportLinks path="/log/export" filter={conditions} texts={log} />
      </PageHead>
      <LogFilterFields filter={filter} onChange={setFilter} withTimes={!live} />
      {live ? (
        <LiveLog conditions={conditions} />
      ) : (
        <LogHistory conditions={conditions} label={log.title} empty={log.empty} withTicket />
      )}
    </>
  );
}
