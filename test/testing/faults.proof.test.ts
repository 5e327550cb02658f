import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { FaultRules } from '../../src/testing/faults/faults.ts';
import { rawExchange } from '../support/raw-http.ts';
import { drive, WAYS } from './support/driven.ts';

/** The bytes of a consume, for clients that look at what comes back before HTTP does. */
function rawConsume(url: string, key: string, ticketCode: string): string {
  const body = JSON.stringify({ ticketCode });
  return (
    `POST /scan/consume HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
  );
}

describe.each(WAYS)('through the %s', (way) => {
  test('429 and 500, in the format of whoever asks, and nothing is taken', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'too-many-requests', times: 2 });
    expect(await gate.scan('consume', ticket)).toMatchObject({
      status: 429,
      text: '{"message":"Too Many Requests"}',
    });
    expect(await gate.card('consume', ticket)).toMatchObject({
      status: 429,
      json: { AcsRes: '0', Note: 'Zu viele Anfragen' },
    });
    await gate.service.fail({ effect: 'server-error', times: 2 });
    expect(await gate.scan('consume', ticket)).toMatchObject({
      status: 500,
      text: '{"message":"Internal Server Error"}',
    });
    expect((await gate.card('consume', ticket)).json).toMatchObject({ Note: 'Serverfehler' });
    expect((await gate.scan('consume', ticket)).json.usesConsumed).toBe(1);
  });

  test('a 500 after the decision: the use is taken, the retry gets the first answer', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'server-error', when: 'after', times: 1 });
    const retry = { headers: { 'idempotency-key': 'x' } };
    expect((await gate.scan('consume', ticket, retry)).status).toBe(500);
    expect((await gate.scan('consume', ticket, retry)).json.usesConsumed).toBe(1);
    expect((await gate.scan('consume', ticket)).json.usesConsumed).toBe(2);
  });

  test('a heartbeat can fail too', async () => {
    await using gate = await drive(way);
    const { url, keys } = gate.service;
    await gate.service.fail({ effect: 'server-error', endpoint: '/scan/hw/heartbeat', times: 1 });
    const beat = () =>
      fetch(`${url}/scan/hw/heartbeat?key=${keys.hardware}`, { method: 'POST', body: '{}' });
    expect((await beat()).status).toBe(500);
    expect((await beat()).status).toBe(200);
  });

  test('lost answer: the use is taken, the connection breaks', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'lost-answer', times: 1 });
    await expect(gate.scan('consume', ticket)).rejects.toThrow();
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(1);
    expect((await gate.service.requests())[0]).toMatchObject({
      answer: { status: 200 },
      explanation: { answer: 'consumed' },
      faults: [{ effect: 'lost-answer' }],
    });
  });

  test('reset before the decision: the connection breaks, nothing is taken', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'reset', times: 1 });
    await expect(gate.scan('consume', ticket)).rejects.toThrow();
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(0);
    const [first] = await gate.service.requests();
    expect(first).toMatchObject({ answer: null, explanation: null, faults: [{ effect: 'reset' }] });
  });

  test('truncated: the head promises more than comes', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'truncated-body', times: 1 });
    const { url, keys } = gate.service;
    const text = await rawExchange(url, rawConsume(url, keys.rest, ticket));
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 200 /);
    expect(body).toMatch(/^\{"valid":true,/);
    const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(body).toHaveLength(Math.floor(promised / 2));
    await gate.service.fail({ effect: 'truncated-body', times: 1 });
    await expect(gate.scan('consume', ticket)).rejects.toThrow();
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(2);
  });

  test('malformed: whole, but no JSON', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'malformed-body', times: 1 });
    const { status, text, json } = await gate.scan('consume', ticket);
    expect([status, json]).toEqual([200, undefined]);
    expect(text).toMatch(/^\{"valid":true,.*<$/);
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(1);
  });

  test('hang: no answer until the client gives up; a reset breaks it off', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'hang', times: 2 });
    const client = new AbortController();
    const hung = gate.scan('consume', ticket, { signal: client.signal });
    while ((await gate.service.requests()).length < 1) await turn();
    client.abort();
    await expect(hung).rejects.toMatchObject({ name: 'AbortError' });
    const held = gate.scan('consume', ticket).catch((error: Error) => error.message);
    while ((await gate.service.requests()).length < 2) await turn();
    await gate.service.reset();
    expect(await held).toBe('fetch failed');
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(0);
  });

  test('hang after the decision: the use is taken although nobody hears of it', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'hang', when: 'after', times: 1 });
    const client = new AbortController();
    const hung = gate.scan('consume', ticket, { signal: client.signal });
    while ((await gate.service.requests()).length < 1) await turn();
    client.abort();
    await expect(hung).rejects.toMatchObject({ name: 'AbortError' });
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(1);
  });

  test('delay: late, and whoever gives up meanwhile may have taken a use', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'delay', delay: 200, endpoint: '/scan/consume' });
    const client = new AbortController();
    const late = gate.scan('consume', ticket, { signal: client.signal });
    while ((await gate.service.faults())[0]?.hits !== 1) await turn();
    client.abort();
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    while ((await gate.service.requests()).length < 1) await turn();
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(1);
    const [first] = await gate.service.requests();
    // Timers may be a millisecond early, never more.
    expect(first?.durationMs).toBeGreaterThanOrEqual(199);
  });

  test('a reset breaks off what is delayed, and it decides nothing any more', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('multi');
    await gate.service.fail({ effect: 'delay', delay: 600_000 });
    const delayed = gate.scan('consume', ticket).catch((error: Error) => error.message);
    while ((await gate.service.faults())[0]?.hits !== 1) await turn();
    await gate.service.reset();
    expect(await delayed).toBe('fetch failed');
    expect(await gate.service.requests()).toEqual([]);
    expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(0);
  });

  test('only what fits goes wrong: endpoint, key, ticket, how often', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const [one, other] = [service.ticket('multi'), service.ticket('multi')];
    const status = async (ticket: string, key?: string) =>
      (await gate.scan('validate', ticket, { key })).status;
    await service.fail({ effect: 'server-error', endpoint: ['/scan/consume', '/scan/hw/consume'] });
    expect([await status(one), (await gate.scan('consume', one)).status]).toEqual([200, 500]);
    expect((await gate.card('consume', one)).status).toBe(500);
    await service.clearFaults();
    await service.fail({ effect: 'server-error', key: service.keys.restScoped });
    expect([await status(one), await status(one, service.keys.restScoped)]).toEqual([200, 500]);
    await service.clearFaults();
    await service.fail({ effect: 'server-error', key: 'Gates' });
    expect((await gate.card('validate', one)).status).toBe(500);
    await service.clearFaults();
    await service.fail({ effect: 'server-error', ticket: one });
    expect([await status(other), await status(one)]).toEqual([200, 500]);
    expect((await gate.card('validate', one)).status).toBe(500);
    await service.clearFaults();
    const { id } = await service.fail({ effect: 'server-error', times: 2 });
    expect([await status(one), await status(one), await status(one)]).toEqual([500, 500, 200]);
    await expect(service.clearFaults(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('chance: the same seed, the same requests go wrong', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const ticket = service.ticket('multi');
    const run = async () => {
      const { seed } = await service.fail({ effect: 'server-error', probability: 0.4, seed: 7 });
      expect(seed).toBe(7);
      const statuses: number[] = [];
      for (let i = 0; i < 25; i += 1) statuses.push((await gate.scan('validate', ticket)).status);
      await service.reset();
      return statuses;
    };
    const first = await run();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await run()).toEqual(first);
  });

  test('faults are listed without a key, and end one by one', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const made = await service.fail({
      effect: 'delay',
      delay: { medianMs: 1, sigma: 0.5 },
      key: service.keys.rest,
      ticket: service.ticket('single'),
      times: 3,
    });
    expect(made).toMatchObject({ when: 'before', timesLeft: 3, hits: 0, probability: 1 });
    await gate.scan('validate', service.tickets.single[0]);
    await service.fail({ effect: 'hang', endpoint: '/scan/consume' });
    const [delay, hang] = await service.faults();
    expect(delay).toEqual({ ...made, timesLeft: 2, hits: 1 });
    expect(JSON.stringify(delay)).not.toContain('tscn_');
    await service.clearFaults(hang?.id);
    expect(await service.faults()).toHaveLength(1);
    await service.clearFaults();
    expect(await service.faults()).toEqual([]);
  });

  test.each([
    [{ effect: 'explode' }, /effect/],
    [{ effect: 'hang', delay: 5 }, /delay/],
    [{ effect: 'delay' }, /delay/],
    [{ effect: 'lost-answer', when: 'before' }, /when/],
    [{ effect: 'hang', probability: 2 }, /probability/],
    [{ effect: 'hang', times: 0 }, /times/],
    [{ effect: 'hang', endpoint: '/nowhere' }, /Unknown endpoint \/nowhere/],
    [{ effect: 'hang', key: 'nobody' }, /Unknown key "nobody"/],
    [{ effect: 'hang', key: 'tscn_api_mistyped' }, /No key has that value/],
    [{ effect: 'hang', ticket: 'ticket' }, /neither the code of a ticket nor its id/],
    [{ effect: 'hang', colour: 'red' }, /colour/],
  ])('%j is refused with a reason', async (rule, message) => {
    await using gate = await drive(way);
    await expect(gate.service.fail(rule as never)).rejects.toThrow(message);
    expect(await gate.service.faults()).toEqual([]);
  });
});

test('a client that leaves while it is delayed does no harm', async () => {
  await using gate = await drive('library');
  const { url, keys } = gate.service;
  await gate.service.fail({ effect: 'delay', delay: 30, times: 1 });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => {
    socket.write(rawConsume(url, keys.rest, gate.service.tickets.multi[0] ?? ''), () => {
      socket.destroy();
    });
  });
  while ((await gate.service.requests()).length < 1) await turn();
  expect((await gate.scan('validate', gate.service.tickets.multi[0])).json.usesConsumed).toBe(1);
});

test('log-normal: half below the median, and a tail', () => {
  const book = new FaultRules();
  const rule = { effect: 'delay', when: 'before', endpoints: [], keyId: null } as const;
  const chance = { ticketId: null, timesLeft: null, probability: 1, seed: 42 };
  book.add({ ...rule, ...chance, delay: { medianMs: 100, sigma: 1 } });
  const subject = { endpoint: '/scan/consume', keyId: null, ticketId: null };
  const delays = Array.from({ length: 4000 }, () => book.draw(subject)[0]?.delayMs ?? 0);
  const share = (below: number) => delays.filter((ms) => ms < below).length / delays.length;
  expect(share(100)).toBeCloseTo(0.5, 1);
  // One sigma is the factor e: 84 of 100 are below.
  expect(share(100 * Math.E)).toBeCloseTo(0.841, 1);
  expect(share(100 / Math.E)).toBeCloseTo(0.159, 1);
});

test('seeded numbers are spread over 0 to 1', () => {
  const random = seededRandom(1);
  const numbers = Array.from({ length: 10_000 }, random);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const inTenth = numbers.filter((number) => Math.floor(number * 10) === tenth).length;
    expect(inTenth / numbers.length).toBeCloseTo(0.1, 1);
  }
});
