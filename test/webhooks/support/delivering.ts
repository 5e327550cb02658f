import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/config/system-clock.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { COMMAND_LINE } from '../../../src/features/actor.ts';
import { Deliverer, type DelivererOptions } from '../../../src/features/webhooks/deliverer.ts';
import { networkPolicy } from '../../../src/features/webhooks/network.ts';
import { type NewWebhook, Webhooks } from '../../../src/features/webhooks/rules.ts';
import type { Store } from '../../../src/stores/store.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { type Engine, TestStore } from '../../support/stores.ts';
import { Receiver } from './receiver.ts';

/** Another process takes over after this long on the clock of the test. */
export const LEASE_MS = 6000;
const QUICK = {
  pollMs: 10,
  idleMs: 10,
  firstRetryMs: 5,
  leaseMs: LEASE_MS,
  watchMs: 10,
  graceMs: 0,
};

/** A store, a receiver, and deliverers between them. */
export async function delivering(engine: Engine = 'memory', clock: Clock = systemClock) {
  const test = await TestStore.open(engine);
  onTestFinished(() => test[Symbol.asyncDispose]());
  const receiver = await Receiver.start();
  const isAllowed = networkPolicy((address) => address === '127.0.0.1');
  const webhooksOn = (store: Store) =>
    new Webhooks({ store, clock, random: randomBytes, isAllowed }, COMMAND_LINE);
  const [organisation] = await test.store.list('organisation');
  const organisationId = organisation?.id ?? '';
  const told: string[] = [];
  const start = (store: Store = test.store, options: Partial<DelivererOptions> = {}) => {
    const { send } = receiver.network();
    const deliverer = new Deliverer({
      store,
      clock,
      send,
      holder: randomBytes(4).toString('hex'),
      warn: (facts, message) => told.push(`${message} ${JSON.stringify(facts)}`),
      ...options,
      timing: { ...QUICK, ...options.timing },
    });
    deliverer.start();
    onTestFinished(() => deliverer.close());
    return deliverer;
  };
  const create = (options: Partial<NewWebhook> = {}) =>
    webhooksOn(test.store).create(organisationId, { name: 'ERP', url: receiver.url, ...options });
  /** Scans tickets of their own, one after another; every third is scanned twice, and denied then. */
  const scan = async (count: number, now?: number) => {
    for (let index = 0; index < count; index += 1) {
      const ticket = await test.mint({ firstName: 'Ada', lastName: 'Lovelace' });
      const changes = { serial: 'GATE-1', reader: '0', ...(now !== undefined && { now }) };
      await test.scan(test.request(ticket.id, changes));
      if (index % 3 === 2) await test.scan(test.request(ticket.id, changes));
    }
  };
  const webhooks = webhooksOn(test.store);
  return { test, receiver, webhooks, organisationId, told, start, create, scan };
}

/** Waits until `isSo`, and fails after a while. */
export async function eventually(isSo: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(isSo, { ...PATIENTLY, interval: 10 }).toBe(true);
}
