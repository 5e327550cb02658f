import { expect, test } from 'vitest';
import { NO_DEVICE_NAMES } from '../../src/core/gate-name.ts';
import { findingsOf, MANY_DENIALS, type Observed } from '../../src/features/webhooks/notices.ts';
import { HOUR_MS } from '../../src/kit/durations.ts';
import { delivering, eventually } from './support/delivering.ts';

const now = Date.UTC(2026, 6, 1, 12);
const key = {
  id: 'key_1',
  name: 'Gate',
  organisationId: 'org_1',
  type: 'hardware',
  events: 'all',
  active: true,
  relay: 'auto',
  openSeconds: 5,
  createdAt: 0,
} as const;

function seen(changes: Partial<Observed> = {}): Observed {
  return {
    now,
    devices: [],
    months: [],
    gates: [],
    keys: new Map([[key.id, key]]),
    names: NO_DEVICE_NAMES,
    ...changes,
  };
}

function device(silentMs: number) {
  const texts = { keyId: key.id, serial: 'S-1', model: 'M', address: '', firmware: '' };
  return { ...texts, clock: null, lastContactAt: now - silentMs, lastScanAt: null, firstAt: null };
}

function month(requestsInMonth: number) {
  return { key, requestsInMonth, quotaPerMonth: 100, usedUpAt: null };
}

const NOTHING = findingsOf(seen(), undefined).state;
const types = (found: ReturnType<typeof findingsOf>) => found.notices.map(({ type }) => type);

test('a device that falls silent is told once, and once when it is back', () => {
  const online = findingsOf(seen({ devices: [device(1000)] }), NOTHING);
  expect(types(online)).toEqual([]);
  const offline = findingsOf(seen({ devices: [device(31_000)] }), online.state);
  expect(types(offline)).toEqual(['device.offline']);
  expect(offline.notices[0]?.data).toMatchObject({ key: { id: 'key_1', name: 'Gate' } });
  const still = findingsOf(seen({ devices: [device(60_000)] }), offline.state);
  expect(types(still)).toEqual([]);
  expect(types(findingsOf(seen({ devices: [device(0)] }), still.state))).toEqual(['device.online']);
});

test('80 and 95 percent of a quota are told once each', () => {
  let { state } = findingsOf(seen({ months: [month(79)] }), NOTHING);
  const told = [80, 85, 95, 99].map((requests) => {
    const found = findingsOf(seen({ months: [month(requests)] }), state);
    state = found.state;
    return found.notices.map(({ data }) => data['percent']);
  });
  expect(told).toEqual([[80], [], [95], []]);
});

test('many denials at a gate are told once in half an hour', () => {
  const gates = [{ keyId: key.id, serial: 'S-1', admitted: 3, denied: MANY_DENIALS.count }];
  const few = [{ ...gates[0], denied: MANY_DENIALS.count - 1 } as (typeof gates)[0]];
  expect(types(findingsOf(seen({ gates: few }), NOTHING))).toEqual([]);
  const many = findingsOf(seen({ gates }), NOTHING);
  expect(types(many)).toEqual(['denials.many']);
  expect(types(findingsOf(seen({ gates }), many.state))).toEqual([]);
  const later = findingsOf(seen({ gates, now: now + 31 * 60_000 }), many.state);
  expect(types(later)).toEqual(['denials.many']);
});

test('the first look tells nothing: what was so before is no news', () => {
  const first = findingsOf(seen({ devices: [device(99_000)], months: [month(99)] }), undefined);
  expect(first.notices).toEqual([]);
  expect(types(findingsOf(seen({ devices: [device(99_000)] }), first.state))).toEqual([]);
});

test('a notice comes after the scans before it, also when the process that found it is gone', async () => {
  const {
    test: at,
    receiver,
    webhooks,
    organisationId,
    start,
    create,
    scan,
  } = await delivering('sqlite');
  const { webhook } = await create();
  const first = start();
  const stored = () => at.store.read('webhook-notices', organisationId);
  await eventually(async () => (await stored()) !== undefined);
  await webhooks.edit(organisationId, webhook.id, { active: false });
  await at.administration.organisations.edit(undefined, { limits: { quotaPerMonth: 4 } });
  await scan(3, Date.now());
  await eventually(async () => JSON.stringify((await stored())?.value).includes('quota.warning'));
  await first.close();
  await webhooks.edit(organisationId, webhook.id, { active: true });
  start();
  await receiver.until(5);
  const told = receiver.received.map(({ body }) => body.type);
  expect(told.filter((type) => type.startsWith('scan.'))).toHaveLength(4);
  const warning = receiver.received.find(({ body }) => body.type === 'quota.warning');
  expect(warning?.body.data).toMatchObject({
    key: { id: at.keyId, name: 'gate' },
    quotaPerMonth: 4,
  });
});

test('a process that delivers again after another one did knows the notices of that one', async () => {
  const { test: at, receiver, organisationId, start, create, scan } = await delivering('sqlite');
  await create();
  const away = { isSo: false, isForNotices: false };
  const list: typeof at.store.list = async (kind) => {
    const fails = away.isSo || (away.isForNotices && kind === 'webhook-notices');
    if (kind === 'webhook-notices') away.isForNotices = false;
    if (fails) throw new Error('the store does not answer');
    return at.store.list(kind);
  };
  const store: typeof at.store = Object.create(at.store, { list: { value: list } });
  start(store, { timing: { graceMs: HOUR_MS } });
  await scan(1, Date.now());
  await receiver.until(1);
  away.isSo = true;
  const second = start(await at.another());
  await eventually(
    async () => (await at.store.read('webhook-notices', organisationId)) !== undefined,
  );
  await at.administration.organisations.edit(undefined, { limits: { quotaPerMonth: 5 } });
  await scan(2, Date.now());
  await scan(1, Date.now());
  await receiver.until(5);
  await second.close();
  Object.assign(away, { isSo: false, isForNotices: true });
  await scan(1, Date.now());
  const told = () => receiver.received.map(({ body }) => body.data.sequence ?? body.type);
  await eventually(() => told().includes(5) || told().includes('webhook.gap'));

  expect(told()).toContain('quota.warning');
  expect(told().filter((one) => one !== 'quota.warning')).toEqual([1, 2, 3, 4, 5]);
});
