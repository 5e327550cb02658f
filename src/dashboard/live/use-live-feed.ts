import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { ADMIN_PATH } from '../api/base-path.ts';
import { keyOf, SESSION_PATH } from '../api/query-client.ts';
import { LiveFeed, type LiveView } from './live-feed.ts';

const LIVE_LOG = `${ADMIN_PATH}/log/live`;

/** Scans as they happen, as long as the component is there. @param conditions as the admin API takes them */
export function useLiveFeed(conditions: Record<string, string> = {}): LiveView {
  const client = useQueryClient();
  const [feed, setFeed] = useState(() => new LiveFeed());
  const wanted = JSON.stringify(conditions);
  useEffect(() => {
    const fresh = new LiveFeed();
    setFeed(fresh);
    return fresh.connect({
      url: LIVE_LOG,
      conditions: JSON.parse(wanted) as Record<string, string>,
      // Asks whether the session has ended; then the page goes to the sign-in.
      onRefused: () => void client.invalidateQueries({ queryKey: keyOf(SESSION_PATH) }),
    });
  }, [wanted, client]);
  return useSyncExternalStore(feed.subscribe, feed.current);
}
