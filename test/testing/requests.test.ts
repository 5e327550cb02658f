import { describe, expect, test } from 'vitest';
import type { RecordedExchange } from '../../src/testing/controls.ts';
import { redact } from '../../src/testing/exchanges/exchange-log.ts';
import { drive, WAYS } from './support/driven.ts';

/** The step that gave the answer, or `granted`. */
function decidedBy({ explanation }: RecordedExchange): string {
  const step = explanation?.steps.find(({ result }) => result === 'stopped');
  return step?.rule ?? (explanation?.granted ? 'granted' : 'none');
}

describe.each(WAYS)('through the %s', (way) => {
  test('each answer has its reason, step by step', async () => {
    await using gate = await drive(way, { limits: { burst: 1000 } });
    const { service } = gate;
    const { tickets, keys } = service;
    const expected: [string, unknown, string?][] = [
      ['granted', tickets.multi[0]],
      ['uses', tickets.exhausted[0]],
      ['cancelled', tickets.cancelled[0]],
      ['valid_from', tickets.notYetValid[0]],
      ['valid_until', tickets.expired[0]],
      ['existence', tickets.unknown[0]],
      ['scope', tickets.otherEvent[0], keys.restScoped],
      ['signature', `${tickets.single[0]}x`],
      ['signature', 'nonsense'],
      ['body', 5],
      ['key', tickets.single[0], keys.disabled],
      ['key', tickets.single[0], keys.deleted],
      ['key', tickets.single[0], keys.hardware],
      ['key', tickets.single[0], 'mistyped'],
    ];
    for (const [, code, key] of expected) await gate.scan('consume', code, { key });
    const seen = await service.requests();
    expect(seen.map(decidedBy)).toEqual(expected.map(([rule]) => rule));
    const whyKeys = seen.slice(-4).map(({ explanation }) => explanation?.steps[0]?.because);
    expect(whyKeys).toEqual([
      'The key "Old software (disabled)" is disabled.',
      'The key does not exist, or was deleted.',
      'The key "Gates" has the type hardware; this endpoint needs api.',
      'The text does not have the form of a key, or its checksum is wrong: it is mistyped.',
    ]);
  });

  test('limits and repeated requests are explained too', async () => {
    await using gate = await drive(way, { limits: { burst: 3, ratePerSecond: 0.001 } });
    await gate.service.freezeClock();
    const ticket = gate.service.ticket('multi');
    const retry = { headers: { 'idempotency-key': 'one' } };
    for (let i = 0; i < 2; i += 1) await gate.scan('consume', ticket, retry);
    await gate.scan('consume', gate.service.ticket('multi'), retry);
    await gate.scan('consume', ticket);
    const seen = await gate.service.requests();
    expect(seen.map(decidedBy)).toEqual(['granted', 'retry', 'retry', 'rate']);
    expect(seen.map(({ explanation }) => explanation?.answer)).toEqual([
      'consumed',
      'consumed',
      'retry_conflict',
      'limited',
    ]);
  });

  test('what a device sent is there with its model, without the code and the key', async () => {
    await using gate = await drive(way);
    const ticket = gate.service.ticket('single');
    await gate.card('consume', ticket);
    const [seen] = await gate.service.requests();
    expect(seen).toMatchObject({
      number: 1,
      endpoint: '/scan/hw/consume',
      key: { name: 'Gates' },
      device: { model: 'access-controller', serial: 'S-1', reader: '0' },
      ticketId: ticket.split('.')[1],
      answer: { status: 200 },
      faults: [],
    });
    expect(JSON.parse(seen?.request.body ?? '')).toMatchObject({ Serial: 'S-1', Reader: 0 });
    expect(decidedBy(seen as RecordedExchange)).toBe('granted');
  });

  test('no key and no signature of a ticket is in the record, wherever it was sent', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const { url, keys } = service;
    const ticket = service.ticket('multi');
    const signature = ticket.split('.')[2] ?? '';
    const base64 = Buffer.from(ticket).toString('base64');
    const bodies = [
      JSON.stringify({ ticketCode: ticket, also: { here: [ticket, keys.rest] } }),
      `{"ticketCode":"${ticket.replace('T', '\\u0054')}"}`,
      `{"ticketCode":"${ticket}`,
      `{"Card":"${base64}","Serial":"${keys.hardware}"}`,
      `{"Card":"${base64}`,
      `{"Card":"${base64}","x":"\\`,
      `vgdecoderesult=${ticket}&&devicenumber=001`,
      JSON.stringify({ identifier_number: ticket, identifier_type: 'qr' }),
      ticket,
    ];
    for (const body of bodies) {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': keys.rest,
        'idempotency-key': keys.rest,
      };
      await fetch(`${url}/scan/consume`, { method: 'POST', headers, body });
      await fetch(`${url}/scan/hw/consume?key=${keys.hardware}`, { method: 'POST', body });
      await fetch(`${url}/scan/hw/heartbeat?key=${keys.hardware}`, { method: 'POST', body });
    }
    const text = JSON.stringify(await service.requests());
    for (const secret of [keys.rest, keys.hardware, signature, base64, base64.slice(20)]) {
      expect(text.includes(secret), `${secret} is in the record`).toBe(false);
    }
    expect(text.includes(ticket.split('.')[1] ?? '-')).toBe(true);
  });

  test('filters: the last, an endpoint, a ticket', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const [one, other] = [service.ticket('multi'), service.ticket('multi')];
    await gate.scan('validate', one);
    await gate.scan('consume', one);
    await gate.scan('consume', other);
    const numbers = async (filter: object) =>
      (await service.requests(filter)).map(({ number }) => number);
    expect(await numbers({})).toEqual([1, 2, 3]);
    expect(await numbers({ last: 2 })).toEqual([2, 3]);
    expect(await numbers({ endpoint: '/scan/validate' })).toEqual([1]);
    expect(await numbers({ ticket: one })).toEqual([1, 2]);
    expect(await numbers({ ticket: other.split('.')[1] })).toEqual([3]);
    expect(await numbers({ ticket: one, endpoint: '/scan/consume', last: 5 })).toEqual([2]);
  });

  test('the live view shows each exchange as it ends', async () => {
    await using gate = await drive(way);
    const { service } = gate;
    const stop = new AbortController();
    const seen: RecordedExchange[] = [];
    const first = Promise.withResolvers<void>();
    const watching = (async () => {
      for await (const exchange of service.watchRequests(stop.signal)) {
        seen.push(exchange);
        if (seen.length === 1) first.resolve();
        if (seen.length === 3) return;
      }
    })();
    // Over HTTP the stream is open some time after it was asked for.
    const knock = setInterval(() => void gate.scan('validate', service.tickets.multi[0]), 20);
    await first.promise;
    clearInterval(knock);
    await gate.scan('validate', service.tickets.expired[0]);
    await gate.scan('validate', service.tickets.exhausted[0]);
    await watching;
    expect(seen.every(({ explanation }) => explanation !== null)).toBe(true);
    const kept = await service.requests();
    for (const exchange of seen) expect(kept).toContainEqual(exchange);
    stop.abort();
  });

  test('the live view ends with its signal, and with the service', async () => {
    await using gate = await drive(way);
    const stop = new AbortController();
    const drain = async (exchanges: AsyncIterable<unknown>) => {
      let count = 0;
      for await (const _exchange of exchanges) count += 1;
      return count;
    };
    const bySignal = drain(gate.service.watchRequests(stop.signal));
    const byClose = drain(gate.service.watchRequests());
    stop.abort();
    expect(await bySignal).toBe(0);
    await gate.service.close();
    expect(await byClose).toBe(0);
  });
});

test('redaction leaves what helps', () => {
  expect(redact('{"Serial":"C-100","Reader":1,"Ver":"4.12"}')).toBe(
    '{"Serial":"C-100","Reader":1,"Ver":"4.12"}',
  );
  expect(redact('{"ticketCode":"TS1.tkt_ab12cd_0123456789abcdefghij.c2lnbmF0dXJl"}')).toBe(
    '{"ticketCode":"TS1.tkt_ab12cd_0123456789abcdefghij.…"}',
  );
  expect(redact('not JSON')).toBe('not JSON');
});
