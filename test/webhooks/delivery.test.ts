import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openStore } from '../../src/service/stores/open-store.ts';
import { TestClock } from '../support/clock.ts';
import { ENGINES, SHARED_ENGINES } from '../support/stores.ts';
import { delivering, eventually } from './support/delivering.ts';
import { Receiver } from './support/receiver.ts';

const HOUR_MS = 60 * 60_000;

test.each(ENGINES)(
  '%s: scans arrive in order, each once, signed, with ids and names alone',
  async (engine) => {
    const { test: at, receiver, start, create, scan } = await delivering(engine);
    await scan(2);
    const { webhook, secret } = await create();
    start();
    await scan(6);
    await receiver.until(8);

    const accepted = receiver.accepted(secret);

    expect(accepted.map(({ body }) => body.type)).toEqual(
      ['granted', 'granted', 'granted', 'denied', 'granted', 'granted', 'granted', 'denied'].map(
        (one) => `scan.${one}`,
      ),
    );
    const sequences = accepted.map(({ body }) => body.data.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(accepted[3]?.body.data).toEqual({
      sequence: sequences[3],
      operation: 'consume',
      direction: null,
      outcome: 'exhausted',
      ticketId: expect.stringMatching(/^tkt_/),
      usesConsumed: 1,
      event: { id: at.eventId, name: 'Pool' },
      key: { id: at.keyId, name: 'gate' },
      gate: { serial: 'GATE-1', reader: '0' },
    });
    expect(accepted[0]?.id).toBe(`msg_${webhook.id}_scan_${sequences[0]}`);
    expect(receiver.received.map(({ text }) => text).join()).not.toMatch(/Ada|Lovelace|tscn|TS1/);
  },
);

test('a receiver that fails, breaks connections and is away gets everything, in order, once it is back', async () => {
  const { receiver, webhooks, organisationId, start, create, scan, told } = await delivering();
  const { webhook, secret } = await create();
  receiver.behaviour = { status: 500 };
  start();
  await scan(5);
  const failing = async () => (await webhooks.find(organisationId, webhook.id)).progress?.failing;
  await eventually(async () => ((await failing())?.attempts ?? 0) >= 2);
  receiver.behaviour = { breaks: true };
  await eventually(async () => ((await failing())?.attempts ?? 0) >= 4);
  expect(receiver.received).toEqual([]);
  receiver.behaviour = {};
  await receiver.until(6);
  const sequences = receiver.accepted(secret).map(({ body }) => body.data.sequence);
  expect(sequences).toHaveLength(6);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  await eventually(async () => (await failing()) === null);
  expect(told.map((one) => one.split(' {')[0])).toEqual([
    'a webhook cannot be delivered; it is tried again',
    'a webhook is delivered again',
  ]);
  expect(told.join()).not.toContain('t0p');
  const { progress } = await webhooks.find(organisationId, webhook.id);
  const [first, ...rest] = [...(progress?.deliveries ?? [])].reverse();
  expect(first).toMatchObject({ attempt: 1, status: 500, error: 'HTTP 500' });
  expect(rest.filter(({ status }) => status === null).length).toBeGreaterThan(0);
});

test('an answer that does not come in time is a failure', async () => {
  const receiver = await Receiver.start();
  receiver.behaviour = { waitMs: 1000 };
  const sent = await receiver
    .network(100)
    .send({ url: receiver.url, headers: {}, body: '{}' }, new AbortController().signal);
  expect(sent.status).toBeNull();
  expect(sent.error).toContain('gives no answer in time');
  expect(sent.ms).toBeLessThan(900);
});

test('redirects are not followed', async () => {
  const [receiver, other] = [await Receiver.start(), await Receiver.start()];
  receiver.behaviour = { status: 307, headers: { location: other.url } };
  const sent = await receiver
    .network()
    .send({ url: receiver.url, headers: {}, body: '{}' }, new AbortController().signal);
  expect(sent).toMatchObject({ status: 307, error: expect.stringContaining('not followed') });
  expect(other.received).toEqual([]);
});

test('after 72 hours of failures it is switched off, which shows; enabled again it continues where it stopped', async () => {
  const clock = new TestClock();
  const { receiver, webhooks, organisationId, start, create, scan, told } = await delivering(
    'memory',
    clock,
  );
  const { webhook } = await create();
  receiver.behaviour = { status: 503 };
  start();
  await scan(2);
  const progress = async () => (await webhooks.find(organisationId, webhook.id)).progress;
  const attempts = async () => (await progress())?.failing?.attempts ?? 0;
  await eventually(async () => (await attempts()) === 1);
  clock.advance(71 * HOUR_MS);
  await eventually(async () => (await attempts()) === 2);
  expect((await progress())?.switchedOff).toBeNull();
  clock.advance(HOUR_MS);
  await eventually(async () => (await progress())?.switchedOff !== null);
  expect((await progress())?.switchedOff?.reason).toBe('failed_too_long');
  expect(told.join()).toContain('a webhook was switched off');
  receiver.behaviour = {};
  clock.advance(HOUR_MS);
  await scan(1);
  await wait(100);
  expect(receiver.received).toEqual([]);
  await webhooks.edit(organisationId, webhook.id, { active: true });
  await receiver.until(3);
  const sequences = receiver.received.map(({ body }) => body.data.sequence);
  expect(sequences).toEqual([1, 2, 3]);
});

test('an endpoint that answers 410 is switched off at once', async () => {
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering();
  const { webhook } = await create();
  receiver.behaviour = { status: 410 };
  start();
  await scan(1);
  const switchedOff = async () =>
    (await webhooks.find(organisationId, webhook.id)).progress?.switchedOff;
  await eventually(async () => (await switchedOff())?.reason === 'gone');
});

test('paused, it gets later what happens meanwhile; with fewer events only those', async () => {
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering();
  const { webhook } = await create();
  start();
  await scan(1);
  await receiver.until(1);
  await webhooks.edit(organisationId, webhook.id, { active: false });
  await wait(50);
  await scan(3);
  await wait(100);
  expect(receiver.received).toHaveLength(1);
  await webhooks.edit(organisationId, webhook.id, { active: true, events: ['scan.denied'] });
  await receiver.until(2);
  await wait(50);
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['scan.granted', 'scan.denied']);
});

test('pruning does not wait: the gap is told, and what is left is delivered', async () => {
  const clock = new TestClock();
  const { test: at, receiver, start, create, scan } = await delivering('sqlite', clock);
  await create();
  await scan(3, clock.now());
  await scan(2, clock.now() + HOUR_MS);
  expect(await at.store.pruneLog(clock.now() + HOUR_MS, 100)).toBe(4);
  start();
  await receiver.until(3);
  expect(receiver.received.map(({ body }) => [body.type, body.data.sequence])).toEqual([
    ['webhook.gap', undefined],
    ['scan.granted', 5],
    ['scan.granted', 6],
  ]);
  expect(receiver.received[0]?.body.data).toEqual({
    fromSequence: 1,
    toSequence: 4,
    notices: 0,
    reason: 'pruned',
  });
});

test('a new secret signs beside the earlier one, so that a receiver can change over', async () => {
  const { receiver, webhooks, organisationId, start, create, scan } = await delivering();
  const { webhook, secret: earlier } = await create();
  const { secret } = await webhooks.edit(organisationId, webhook.id, { newSecret: true });
  start();
  await scan(1);
  await receiver.until(1);
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(earlier);
  for (const one of [earlier, secret ?? '']) expect(receiver.accepted(one)).toHaveLength(1);
});

test.each(SHARED_ENGINES)(
  '%s: one of two processes delivers; the other goes on when it is gone',
  async (engine) => {
    const { test: at, receiver, start, create, scan } = await delivering(engine);
    const { secret } = await create();
    const gone = await openStore(at.url);
    const first = start(gone);
    await scan(3);
    await receiver.until(4);
    start(await at.another());
    await scan(3);
    await receiver.until(8);
    expect(receiver.received).toHaveLength(8);
    // As a kill does: nothing is given back, and the store answers it no more.
    await gone.close();
    await scan(3);
    await receiver.until(12);
    await first.close();
    const sequences = receiver.accepted(secret).map(({ body }) => body.data.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  },
);
