import { expect, test } from 'vitest';
import type { RecordedExchange } from '../../src/testing/controls.ts';
import {
  EXCHANGES_KEPT,
  ExchangeLog,
  watchExchanges,
} from '../../src/testing/exchanges/exchange-log.ts';

const exchange = {} as Omit<RecordedExchange, 'number'>;

test('the newest thousand are kept', () => {
  const log = new ExchangeLog();
  for (let i = 0; i < 2100; i += 1) log.add(exchange);
  const kept = log.list();
  expect([kept.length, kept[0]?.number, kept.at(-1)?.number]).toEqual([1000, 1101, 2100]);
});

test('who reads too slowly loses the oldest; what waits is bounded', async () => {
  const log = new ExchangeLog();
  const stop = new AbortController();
  const watched = watchExchanges(log, stop.signal);
  for (let i = 0; i < EXCHANGES_KEPT + 50; i += 1) log.add(exchange);
  const seen: number[] = [];
  for await (const { number } of watched) {
    seen.push(number);
    if (seen.length === EXCHANGES_KEPT) stop.abort();
  }
  expect([seen.length, seen[0], seen.at(-1)]).toEqual([EXCHANGES_KEPT, 51, EXCHANGES_KEPT + 50]);
});

test('who watches sees all from the call on, also before the first look', async () => {
  const log = new ExchangeLog();
  log.add(exchange);
  const watched = watchExchanges(log, new AbortController().signal);
  log.add(exchange);
  for await (const { number } of watched) {
    expect(number).toBe(2);
    break;
  }
});

test('who stops reading is forgotten', async () => {
  const log = new ExchangeLog();
  const watched = watchExchanges(log, new AbortController().signal);
  log.add(exchange);
  for await (const _one of watched) break;
  for (let i = 0; i < 10; i += 1) log.add(exchange);
  expect(await watched[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
});
