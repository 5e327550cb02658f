import { Button } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '../../components/data-table.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { LiveState } from '../../live/live-state.tsx';
import { useLiveFeed } from '../../live/use-live-feed.ts';
import { useLogColumns } from './log-columns.tsx';

/** Scans as they happen, newest first; however many come, the list stays short. */
export function LiveLog({ conditions }: { conditions: Record<string, string> }) {
  const { log, live } = useTexts();
  const columns = useLogColumns({ withTicket: true });
  const feed = useLiveFeed(conditions);
  const [held, setHeld] = useState<typeof feed.entries>();
  const rows = held ?? feed.entries;
  return (
    <>
      <div className="live-bar">
        <LiveState feed={feed} paused={held !== undefined} />
        <Button
          size="xs"
          variant="default"
          onClick={() => setHeld(held ? undefined : feed.entries)}
        >
          {held ? live.resume : live.pause}
        </Button>
        {feed.skipped && <span className="dimmed">{live.skipped}</span>}
      </div>
      <DataTable
        empty={feed.state === 'open' ? log.emptyLive : live[feed.state]}
        label={log.title}
        columns={columns}
        rows={rows}
        keyOf={({ sequence }) => sequence}
      />
    </>
  );
}
