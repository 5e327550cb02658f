import { useTexts } from '../i18n/language.tsx';
import type { LiveView } from './live-feed.ts';

/** Whether the live view is connected, and how fast scans come. */
export function LiveState({ feed, paused = false }: { feed: LiveView; paused?: boolean }) {
  const { live } = useTexts();
  const state = paused ? 'paused' : feed.state;
  return (
    <span className={`live-state ${state}`}>
      <span className="dot" aria-hidden />
      <span role="status">{live[state]}</span>
      {state === 'open' && <span className="dimmed">{live.rate(feed.perSecond)}</span>}
    </span>
  );
}
