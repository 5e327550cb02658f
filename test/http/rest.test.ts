import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { TestService } from '../support/service.ts';

/** A service for the tests that change no setting and read nothing that another test may have left. */
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service[Symbol.asyncDispose]());

const DAY = 24 * 60 * 60 * 1000;

test('a personalised ticket: validated, consumed, exhausted, with exactly the fields of each', async () => {
  await using service = await TestService.start();
  const validUntil = service.clock.nowMs + DAY;
  const code = await service.mint({ firstName: 'Ada', lastName: 'Lovelace', validUntil });
  const [, ticketId] = code.split('.');
  const general = { ticketId, ticketType: 'single', usesAllowed: 1 };
  const optional = {
    holder: { firstName: 'Ada', lastName: 'Lovelace' },
    validFrom: null,
    validUntil: new Date(validUntil).toISOString(),
  };

  const validated = await service.rest('validate', code);
  const consumed = await service.rest('consume', code);
  const exhausted = await service.rest('consume', code);

  expect(validated).toMatchObject({ status: 200 });
  expect(validated.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(validated.json).toEqual({
    valid: true,
    status: 'validated',
    message: expect.any(String),
    ...general,
    ...optional,
    usesConsumed: 0,
    usesRemaining: 1,
  });
  expect(consumed.json).toEqual({
    valid: true,
    status: 'consumed',
    message: expect.any(String),
    ...general,
    ...optional,
    usesConsumed: 1,
    usesRemaining: 0,
    scannedAt: new Date(service.clock.nowMs).toISOString(),
  });
  expect(exhausted.status).toBe(200);
  expect(exhausted.json).toEqual({
    valid: false,
    status: 'exhausted',
    message: expect.any(String),
    ...general,
    usesConsumed: 1,
    usesRemaining: 0,
  });
});

test('a ticket without a holder has no holder field', async () => {
  const { json } = await service.rest('validate', await service.mint());
  expect(Object.keys(json)).not.toContain('holder');
  expect(json).toMatchObject({ validFrom: null, validUntil: null });
});

test('a scoped key never learns whether a ticket outside its scope exists', async () => {
  const scoped = { 'x-api-key': service.key('restScoped') };
  const existing = await service.rest('validate', service.seeded.tickets.otherEvent[0], scoped);
  const missing = makeTicketCode(
    `tkt_${service.seeded.events.other}_${'0'.repeat(20)}`,
    service.keyring,
    'TS1',
  );
  expect((await service.rest('validate', missing, scoped)).text).toBe(existing.text);
});

describe('multi-use', () => {
  test('a ten-use card admits ten times, also at once, and is exhausted then', async () => {
    const code = await service.mint({ kind: 'multi', uses: 10 });
    const answers = [];
    for (let use = 1; use <= 11; use += 1) answers.push((await service.rest('consume', code)).json);
    expect(answers.map(({ usesConsumed }) => usesConsumed)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10,
    ]);
    expect(answers.map(({ usesRemaining }) => usesRemaining)).toEqual([
      9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0,
    ]);
    expect(answers.at(-1)).toMatchObject({ status: 'exhausted', valid: false });
  });

  test('a permanent card counts its uses, over REST and hardware alike', async () => {
    const code = await service.mint({ kind: 'permanent' });
    await service.rest('consume', code);
    expect((await service.card('consume', code)).json).toMatchObject({
      AcsRes: '1',
      Note: 'Ticket gültig (2/9999)',
    });
    expect((await service.rest('validate', code)).json).toMatchObject({
      ticketType: 'multi',
      usesRemaining: 9997,
    });
  });
});

test('scannedAt never runs backwards for a ticket when the clock does', async () => {
  await using service = await TestService.start();
  const code = await service.mint({ kind: 'multi', uses: 2 });
  const first = await service.rest('consume', code);
  service.clock.nowMs -= DAY;
  const second = await service.rest('consume', code);
  expect(second.json.scannedAt).toBe(first.json.scannedAt);
});

describe('keys', () => {
  test('disabling, enabling and deleting hold for the next request', async () => {
    await using service = await TestService.start();
    const code = await service.mint({ kind: 'permanent' });
    const statusNow = async () => (await service.rest('consume', code)).status;
    expect(await statusNow()).toBe(200);
    await service.administration.keys.edit('Box office', { active: false });
    expect(await statusNow()).toBe(401);
    await service.administration.keys.edit('Box office', { active: true });
    expect(await statusNow()).toBe(200);
    await service.administration.keys.delete('Box office');
    expect(await statusNow()).toBe(401);
    expect(
      (await service.rest('validate', code, { 'x-api-key': service.key('restScoped') })).json,
    ).toMatchObject({ usesConsumed: 2 });
  });

  test('a disabled key that is also over its rate gets 401, not 429', async () => {
    await using service = await TestService.start({ limits: { burst: 1, ratePerSecond: 0.001 } });
    const code = await service.mint();
    await service.rest('validate', code);
    expect((await service.rest('validate', code)).status).toBe(429);
    await service.administration.keys.edit('Box office', { active: false });
    expect((await service.rest('validate', code)).status).toBe(401);
  });
});

describe('limits', () => {
  test('above the burst: 429 with Retry-After, per key, and time heals it', async () => {
    await using service = await TestService.start({ limits: { ratePerSecond: 50, burst: 100 } });
    const code = await service.mint({ kind: 'permanent' });
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => service.rest('consume', code)),
    );
    const refused = answers.filter(({ status }) => status === 429);

    expect(refused).toHaveLength(30);
    expect(refused[0]?.text).toBe('{"message":"Too Many Requests"}');
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    const device = await service.card('validate', code);
    expect(device.status).toBe(200);
    service.clock.advance(1000);
    expect((await service.rest('validate', code)).json).toMatchObject({ usesConsumed: 100 });
  });

  test('the monthly quota: 429 until the month ends', async () => {
    await using service = await TestService.start({ limits: { quotaPerMonth: 5 } });
    const code = await service.mint({ kind: 'permanent' });
    const headers = { 'x-api-key': service.key('restScoped') };
    const statuses = [];
    for (let request = 0; request < 7; request += 1)
      statuses.push((await service.rest('validate', code, headers)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const { headers: answerHeaders } = await service.rest('validate', code, headers);
    const wait = Number(answerHeaders.get('retry-after'));
    expect(service.clock.nowMs + wait * 1000).toBe(Date.UTC(2026, 7, 1));
    service.clock.advance(wait * 1000);
    expect((await service.rest('validate', code, headers)).status).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  test('the same request gets the same answer and spends one use', async () => {
    await using service = await TestService.start();
    const code = await service.mint({ kind: 'multi', uses: 5 });
    const retry = { 'idempotency-key': 'order-77' };
    const first = await service.rest('consume', code, retry);
    service.clock.advance(1000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.rest('consume', code, retry)),
    );
    for (const { text, status } of answers)
      expect({ text, status }).toEqual({ text: first.text, status: 200 });
    expect((await service.rest('validate', code)).json).toMatchObject({ usesConsumed: 1 });
  });

  test('another body gets 422; another key of the API has names of its own; a day later it is new', async () => {
    await using service = await TestService.start();
    const [one, two] = [await service.mint({ kind: 'multi', uses: 5 }), await service.mint()];
    const retry = { 'idempotency-key': 'order-78' };
    await service.rest('consume', one, retry);
    expect((await service.rest('consume', two, retry)).status).toBe(422);
    const other = await service.rest('consume', two, {
      ...retry,
      'x-api-key': service.key('restScoped'),
    });
    expect(other.json).toMatchObject({ status: 'consumed' });
    service.clock.advance(DAY);
    expect((await service.rest('consume', one, retry)).json).toMatchObject({ usesConsumed: 2 });
  });

  test('validate ignores it; a name that cannot be one is refused and spends nothing', async () => {
    const code = await service.mint();
    expect((await service.rest('validate', code, { 'idempotency-key': 'x' })).json).toMatchObject({
      status: 'validated',
    });
    expect((await service.rest('consume', code, { 'idempotency-key': 'a b' })).status).toBe(422);
    expect(
      (await service.rest('consume', code, { 'idempotency-key': 'x'.repeat(256) })).status,
    ).toBe(422);
    expect((await service.rest('validate', code)).json).toMatchObject({ usesConsumed: 0 });
  });
});

test('200 parallel consumes of the last use, REST and hardware mixed: one is granted, the others are exhausted with 200', async () => {
  await using service = await TestService.start();
  const code = await service.mint();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0 ? service.rest('consume', code) : service.card('consume', code),
    ),
  );
  const granted = answers.filter(({ json }) => json.status === 'consumed' || json.AcsRes === '1');
  const denied = answers.filter(
    ({ json }) => json.status === 'exhausted' || json.Note === 'Ticket erschöpft',
  );
  expect([granted.length, denied.length]).toEqual([1, 199]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await service.store.verify()).problems).toEqual([]);
});

async function ownOrganisation({ store }: TestService): Promise<string> {
  const [first] = await store.list('organisation');
  return first?.id ?? '';
}

test('no key and no ticket code is in the logs or the scan log', async () => {
  await using service = await TestService.start();
  const code = await service.mint();
  const forged = `${code.slice(0, -1)}~`;
  await service.rest('consume', code);
  await service.rest('consume', forged);
  await service.card('consume', forged);
  await service.card('consume', forged, { Serial: code, Reader: btoa(code) });
  const beat = JSON.stringify({ Serial: code, Ver: code, IP: btoa(code), Now: code });
  await service.post(`/scan/hw/heartbeat?key=${service.key('hardware')}`, beat);
  await fetch(`${service.url}/${code}`);
  const kept = JSON.stringify([
    await service.store.readLog({ limit: 9 }),
    await service.store.listDevices(await ownOrganisation(service)),
  ]);
  await service.post(`/scan/nowhere?key=${service.key('hardware')}`, code);
  await service.store.close();
  expect((await service.rest('consume', code)).status).toBe(500);
  expect((await service.card('consume', code)).json).toMatchObject({
    AcsRes: '0',
    Note: 'Serverfehler',
  });
  expect(service.logs).toContain('the outcome of a scan is unknown');
  for (const secret of [code, forged, service.key('rest'), service.key('hardware')])
    expect(`${service.logs}${kept}`).not.toContain(secret);
  const signature = code.slice(code.lastIndexOf('.') + 1);
  expect(kept).not.toContain(signature.slice(-20));
  expect(service.logs).not.toContain(signature.slice(-20));
  expect(`${service.logs}${kept}`).not.toContain(btoa(code).slice(-30));
});

test('of a forged code the scan log keeps the beginning only', async () => {
  await using service = await TestService.start();
  const forged = `${(await service.mint()).slice(0, -1)}~`;
  await service.rest('consume', forged);
  await service.rest('consume', 'x');
  const [first, second] = (await service.store.readLog({ limit: 2 })).map(({ excerpt }) => excerpt);
  expect(first).toBe(`${forged.slice(0, 24)}…`);
  expect(second).toBe('…');
});
