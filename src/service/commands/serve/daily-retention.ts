import type { Logger } from 'pino';
import { systemClock } from '../../../config/system-clock.ts';
import { messageOf } from '../../../core/errors.ts';
import { applyRetention, type Retention } from '../../../features/privacy/retention.ts';
import { DAY_MS, MINUTE_MS } from '../../../kit/durations.ts';
import { openStore, parseStoreUrl } from '../../stores/open-store.ts';
import type { Store } from '../../stores/store.ts';

const FIRST_MS = MINUTE_MS;

/**
 * Applies the retention a minute after the start and then once a day, and says in the log what it removed.
 * @returns stops it
 */
export function retainDaily(
  store: Store,
  url: string,
  retention: Retention,
  log: Logger,
): () => void {
  if (retention.keepLogDays === undefined && retention.keepHoldersDays === undefined)
    return () => {};
  const run = () => {
    retain(store, url, retention)
      .then((done) => log.info(done, 'data that is kept no longer was removed'))
      .catch((error: unknown) => {
        log.error({ error: messageOf(error) }, 'the retention was not applied');
      });
  };
  const first = setTimeout(run, FIRST_MS).unref();
  const daily = setInterval(run, DAY_MS).unref();
  return () => {
    clearTimeout(first);
    clearInterval(daily);
  };
}

/** The audit of a large SQLite store takes long: on a thread of its own, so that no scan waits for it. */
async function retain(store: Store, url: string, retention: Retention) {
  if (parseStoreUrl(url).engine !== 'sqlite')
    return applyRetention(store, systemClock, retention, false);
  const own = await openStore(url);
  try {
    return await applyRetention(own, systemClock, retention, false);
  } finally {
    await own.close();
  }
}
