import { useEffect, useState, useSyncExternalStore } from 'react';
import { ADMIN_API } from '../api/http.ts';
import { LiveFeed, type LiveView } from './live-feed.ts';

/** Scans as they happen, as long as the component is there. @param query conditions, with their question mark */
export function useLiveFeed(query = ''): LiveView {
  const [feed, setFeed] = useState(() => new LiveFeed());
  useEffect(() => {
    const fresh = new LiveFeed();
    setFeed(fresh);
    return fresh.connect(`${ADMIN_API}/log/live${query}`);
  }, [query]);
  return useSyncExternalStore(feed.subscribe, feed.current);
}
