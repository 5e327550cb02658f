import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ExportLinks } from '../../components/export-links.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { LiveLog } from './live-log.tsx';
import { conditionsOf, EVERYTHING, LogFilterFields } from './log-filter.tsx';
import { LogHistory } from './log-history.tsx';
import { RefusedRequests } from './refused-requests.tsx';

/** The scan log: as it happens, or back through time; with filters and export. And what was refused before any scan. */
export function LogPage({ view }: { view: string | undefined }) {
  const { log, refusals } = useTexts();
  const [, navigate] = useLocation();
  const [live, setLive] = useState(true);
  const [filter, setFilter] = useState(EVERYTHING);
  const isRefused = view === 'refused';
  const conditions = conditionsOf(live ? { ...filter, from: '', until: '' } : filter);
  const choose = (value: string) => {
    if (value !== 'refused') setLive(value === 'live');
    navigate(value === 'refused' ? '/log/refused' : '/log');
  };
  const scans = live ? (
    <LiveLog conditions={conditions} />
  ) : (
    <LogHistory conditions={conditions} label={log.title} empty={log.empty} withTicket />
  );
  return (
    <>
      <PageHead title={log.title}>
        <SegmentedControl
          aria-label={log.title}
          value={isRefused ? 'refused' : live ? 'live' : 'history'}
          onChange={choose}
          data={[
            { value: 'live', label: log.live },
            { value: 'history', label: log.history },
            { value: 'refused', label: refusals.title },
          ]}
        />
        {!isRefused && <ExportLinks path="/log/export" filter={conditions} texts={log} />}
      </PageHead>
      {isRefused ? (
        <RefusedRequests />
      ) : (
        <>
          <LogFilterFields filter={filter} onChange={setFilter} withTimes={!live} />
          {scans}
        </>
      )}
    </>
  );
}
