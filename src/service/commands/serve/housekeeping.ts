import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Retention } from '../../../features/privacy/retention.ts';
import { MINUTE_MS } from '../../../kit/durations.ts';
import { finishDeletions } from '../../manage/deletions.ts';
import { expiryWatch } from '../../manage/expiry-watch.ts';
import { monthWatch } from '../../manage/month-watch.ts';
import type { Store } from '../../stores/store.ts';
import { Deliverer } from '../../webhooks/deliverer.ts';
import type { WebhookNetwork } from '../../webhooks/https-sender.ts';
import { retainDaily } from './daily-retention.ts';

const KEY_WATCH_MS = MINUTE_MS;
const DELETION_WATCH_MS = MINUTE_MS;

/** What a server does by itself, beside requests. @returns stops it */
export function keepHouse(
  store: Store,
  settings: Retention & { readonly store: string },
  clock: Clock,
  log: Logger,
  webhookNetwork: WebhookNetwork,
): () => Promise<void> {
  const keys = watchKeys(store, clock, log);
  const deletions = endDeletions(store, clock, log);
  const stopRetaining = retainDaily(store, settings.store, settings, log);
  const deliverer = startDeliverer(store, clock, log, webhookNetwork);
  return async () => {
    clearInterval(keys);
    clearInterval(deletions);
    stopRetaining();
    await deliverer.close();
  };
}

/** Goes on with what was being deleted when a program ended, and with what another program begins. */
function endDeletions(store: Store, clock: Clock, log: Logger): NodeJS.Timeout {
  let isBusy = false;
  const look = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      const ended = await finishDeletions(store, clock);
      if (ended > 0) log.info({ ended }, 'what was left of deleted events was removed');
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'what is left of deleted events stays for now');
    } finally {
      isBusy = false;
    }
  };
  void look();
  return setInterval(look, DELETION_WATCH_MS).unref();
}

function startDeliverer(
  store: Store,
  clock: Clock,
  log: Logger,
  { send, close }: WebhookNetwork,
): { close: () => Promise<void> } {
  const tell = (facts: object, message: string) => log.warn(facts, message);
  const holder = randomBytes(8).toString('hex');
  const deliverer = new Deliverer({ store, clock, send, holder, tell });
  deliverer.start();
  return {
    close: async () => {
      await deliverer.close();
      close();
    },
  };
}

/** Warns in the log of keys that are about to use up their monthly quota, and of those that expire soon. */
function watchKeys(store: Store, clock: Clock, log: Logger): NodeJS.Timeout {
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const watches = [monthWatch(store, clock, warn), expiryWatch(store, clock, warn)];
  const look = () => {
    Promise.all(watches.map((watch) => watch())).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the quotas and expiries of the keys cannot be read');
    });
  };
  return setInterval(look, KEY_WATCH_MS).unref();
}
