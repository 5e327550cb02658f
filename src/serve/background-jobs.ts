import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { dropEnded } from '../features/accounts/access.ts';
import { tokenExpiryWatch } from '../features/accounts/access-tokens.ts';
import { finishDeletions } from '../features/events/deletions.ts';
import { expiryWatch, monthWatch } from '../features/keys/key-watches.ts';
import { applyRetention, type Retention } from '../features/privacy/rules.ts';
import { Deliverer } from '../features/webhooks/deliverer.ts';
import type { WebhookNetwork } from '../features/webhooks/network.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/durations.ts';
import { openStore, parseStoreUrl } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

type JobSettings = Retention & { readonly store: string };

/** Starts the jobs of a server besides answering requests. @returns a function that stops them */
export function startBackgroundJobs(
  deps: Deps,
  settings: JobSettings,
  { send, close }: WebhookNetwork,
): () => Promise<void> {
  const timers = [
    watchKeys(deps),
    finishDeletionsAgain(deps),
    dropEndedHourly(deps),
    ...retainDaily(deps, settings),
  ];
  const warn = deps.log.warn.bind(deps.log);
  const deliverer = new Deliverer({ ...deps, send, holder: randomBytes(8).toString('hex'), warn });
  deliverer.start();
  return async () => {
    // `clearInterval` clears timeouts too.
    for (const timer of timers) clearInterval(timer);
    await deliverer.close();
    close();
  };
}

/** Continues deletions that another program began and did not finish, now and every minute. */
function finishDeletionsAgain({ store, clock, log }: Deps): NodeJS.Timeout {
  const look = oneAtATime(log, 'what is left of deleted events stays for now', async () => {
    const ended = await finishDeletions(store, clock);
    if (ended > 0) log.info({ ended }, 'what was left of deleted events was removed');
  });
  void look();
  return setInterval(look, MINUTE_MS).unref();
}

/** Removes ended sessions and pairings of accounts with which nobody signs in any more, now and every hour. */
function dropEndedHourly({ store, clock, log }: Deps): NodeJS.Timeout {
  const drop = oneAtATime(log, 'ended sessions and pairings stay for now', () =>
    dropEnded(store, clock),
  );
  void drop();
  return setInterval(drop, HOUR_MS).unref();
}

/** Warns in the log of keys that are about to use up their monthly quota, and of keys and access tokens that expire soon. */
function watchKeys({ store, clock, log }: Deps): NodeJS.Timeout {
  const warn = log.warn.bind(log);
  const watches = [monthWatch, expiryWatch, tokenExpiryWatch].map((watch) =>
    watch(store, clock, warn),
  );
  const look = oneAtATime(log, 'the quotas and expiries of the keys cannot be read', async () => {
    await Promise.all(watches.map((watch) => watch()));
  });
  return setInterval(look, MINUTE_MS).unref();
}

/** A job that is not begun again while it runs: a slow store may take longer than a minute. @param failure what the log says when it fails */
function oneAtATime(log: Logger, failure: string, job: () => Promise<void>): () => Promise<void> {
  let isBusy = false;
  return async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await job();
    } catch (error) {
      log.warn({ error: messageOf(error) }, failure);
    } finally {
      isBusy = false;
    }
  };
}

/** Applies the retention a minute after the start and then once a day, and logs what it removed. */
function retainDaily(deps: Deps, settings: JobSettings): NodeJS.Timeout[] {
  if (settings.keepLogDays === undefined && settings.keepHoldersDays === undefined) return [];
  const { log } = deps;
  const run = () => {
    retain(deps, settings)
      .then((done) => log.info(done, 'data that is kept no longer was removed'))
      .catch((error: unknown) => {
        log.error({ error: messageOf(error) }, 'the retention was not applied');
      });
  };
  return [setTimeout(run, MINUTE_MS).unref(), setInterval(run, DAY_MS).unref()];
}

/** Applies the retention. The audit of a large SQLite store takes long, so it runs on a separate thread and no scan waits for it. */
async function retain({ store, clock }: Deps, settings: JobSettings) {
  const isSqlite = parseStoreUrl(settings.store).engine === 'sqlite';
  const own = isSqlite ? await openStore(settings.store) : undefined;
  try {
    return await applyRetention(own ?? store, clock, settings, false);
  } finally {
    await own?.close();
  }
}
