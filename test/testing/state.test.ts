import { describe, expect, test } from 'vitest';
import type { TicketRequest } from '../../src/testing/controls.ts';
import { drive, WAYS } from './support/driven.ts';

describe.each(WAYS)('through the %s', (way) => {
  test('the sample has every key and tickets in every state', async () => {
    await using gate = await drive(way, { ticketsPerState: 2 });
    const { tickets, keys } = gate.service;
    const expected = {
      single: 'consumed',
      multi: 'consumed',
      permanent: 'consumed',
      personalised: 'consumed',
      windowed: 'consumed',
      exhausted: 'exhausted',
      cancelled: 'ticket_cancelled',
      notYetValid: 'not_yet_valid',
      expired: 'expired',
      otherEvent: 'event_not_allowed',
      unknown: 'not_found',
    };
    expect(Object.keys(tickets)).toEqual(Object.keys(expected));
    for (const [state, outcome] of Object.entries(expected)) {
      const codes = tickets[state as keyof typeof tickets];
      expect(codes).toHaveLength(2);
      const { json } = await gate.scan('consume', codes[0], { key: keys.restScoped });
      expect([state, json.reason ?? json.status]).toEqual([state, outcome]);
    }
    for (const name of ['disabled', 'deleted', 'hardware'] as const) {
      expect((await gate.scan('validate', 'x', { key: keys[name] })).status).toBe(401);
    }
  });

  test('a ticket is handed out once, until the reset', async () => {
    await using gate = await drive(way, { ticketsPerState: 2 });
    const [first, second] = [gate.service.ticket('single'), gate.service.ticket('single')];
    expect([first, second]).toEqual(gate.service.tickets.single);
    expect(() => gate.service.ticket('single')).toThrow(/No ticket "single" is left of 2/);
    await gate.service.reset();
    expect(gate.service.ticket('single')).toBe(first);
  });

  test('reset brings back data, clock, answers to retries, faults and the record', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const ticket = service.ticket('single');
    const retry = { headers: { 'idempotency-key': 'one' } };
    expect((await gate.scan('consume', ticket, retry)).json.status).toBe('consumed');
    await service.advance('400d');
    await service.freezeClock();
    await service.fail({ effect: 'server-error' });
    expect((await gate.scan('consume', ticket)).status).toBe(500);
    await service.reset();
    expect(await service.faults()).toEqual([]);
    expect(await service.requests()).toEqual([]);
    const { frozen, offsetMs } = await service.clock();
    expect([frozen, Math.abs(offsetMs) < 1000]).toEqual([false, true]);
    expect((await gate.scan('consume', service.ticket('single'), retry)).json.usesConsumed).toBe(1);
    expect((await gate.scan('consume', ticket)).json.status).toBe('exhausted');
  });

  test('reset to a new sample: new keys, the old ones are refused', async () => {
    await using gate = await drive(way);
    const before = gate.service.keys.rest;
    await gate.service.reset({ seed: 'keys-only', limits: { burst: 3, ratePerSecond: 1 } });
    expect(gate.service.tickets.single).toEqual([]);
    expect((await gate.scan('validate', 'x', { key: before })).status).toBe(401);
    const { code } = await gate.service.mint({ type: 'multi', uses: 2 });
    expect((await gate.scan('consume', code)).json.usesRemaining).toBe(1);
    await gate.service.reset();
    expect((await gate.scan('consume', code)).json.status).toBe('not_found');
  });

  test('reset fills the buckets', async () => {
    await using gate = await drive(way, { limits: { burst: 1, ratePerSecond: 1 } });
    await gate.service.freezeClock();
    const ticket = gate.service.ticket('multi');
    expect((await gate.scan('validate', ticket)).status).toBe(200);
    expect((await gate.scan('validate', ticket)).status).toBe(429);
    await gate.service.reset();
    expect((await gate.scan('validate', ticket)).status).toBe(200);
  });

  test('snapshot and restore, as often as one likes', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const ticket = service.ticket('multi');
    await gate.scan('consume', ticket);
    await service.freezeClock('2030-01-01T00:00:00Z');
    const snapshot = await service.snapshot();
    for (const _turn of [1, 2]) {
      await service.advance('2h');
      expect((await gate.scan('consume', ticket)).json.usesConsumed).toBe(2);
      expect((await gate.scan('consume', ticket)).json.usesConsumed).toBe(3);
      await service.restore(snapshot);
      expect(await service.clock()).toMatchObject({
        now: '2030-01-01T00:00:00.000Z',
        frozen: true,
      });
      expect((await gate.scan('validate', ticket)).json.usesConsumed).toBe(1);
    }
    await service.reset();
    await expect(service.restore(snapshot)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('mint makes the ticket that was asked for', async () => {
    await using gate = await drive(way);
    const { code, ticketId } = await gate.service.mint({
      type: 'permanent',
      firstName: 'Ada',
      lastName: 'Lovelace',
      event: 'Winter pool',
      validUntil: '2099-01-01T00:00:00Z',
    });
    const { json } = await gate.scan('validate', code);
    expect(json).toMatchObject({
      ticketId,
      usesAllowed: 9999,
      holder: { firstName: 'Ada', lastName: 'Lovelace' },
      validUntil: '2099-01-01T00:00:00.000Z',
    });
    expect((await gate.scan('validate', code, { key: gate.service.keys.restScoped })).status).toBe(
      403,
    );
    await expect(gate.service.mint({ type: 'multi' })).rejects.toThrow(/needs its number of uses/);
    for (const wrong of [{ validFrom: 'soon' }, { firstName: 7 }, { seats: 2 }]) {
      const refused = gate.service.mint(wrong as TicketRequest);
      await expect(refused).rejects.toMatchObject({ name: 'TicketscanError', code: 'usage' });
    }
    await expect(gate.service.mint({ event: 'No pool' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
