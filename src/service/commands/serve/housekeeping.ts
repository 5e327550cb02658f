import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import { expiryWatch } from '../../manage/expiry-watch.ts';
import { monthWatch } from '../../manage/month-watch.ts';
import type { Retention } from '../../manage/retention.ts';
import type { Store } from '../../stores/store.ts';
import { Deliverer } from '../../webhooks/deliverer.ts';
import type { WebhookNetwork } from '../../webhooks/https-sender.ts';
import { retainDaily } from './daily-retention.ts';

const KEY_WATCH_MS = 60_000;

/** What a server does by itself, beside requests. @returns stops it */
export function keepHouse(
  store: Store,
  settings: Retention & { readonly store: string },
  clock: Clock,
  log: Logger,
  webhookNetwork: WebhookNetwork,
): () => Promise<void> {
  const keys = watchKeys(store, clock, log);
  const stopRetaining = retainDaily(store, settings.store, settings, log);
  const deliverer = startDeliverer(store, clock, log, webhookNetwork);
  return async () => {
    clearInterval(keys);
    stopRetaining();
    await deliverer.close();
  };
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

/** Warns in the log of keys whose month comes to its end, and of those that expire soon. */
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
