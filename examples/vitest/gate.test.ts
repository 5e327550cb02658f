import { test } from 'ticketscan/testing/vitest';
import { expect } from 'vitest';

// The gate under test; in your project it is your own code, given the address and the key.
const gate = (url: string, key: string) => async (ticketCode: string, retry: string) => {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    'idempotency-key': retry,
  };
  const request = { method: 'POST', headers, body: JSON.stringify({ ticketCode }) };
  return (await fetch(`${url}/scan/consume`, request)).json();
};
test('grant and exhaustion', async ({ service }) => {
  const [consume, ticket] = [gate(service.url, service.keys.rest), service.ticket('single')];
  expect(await consume(ticket, 'first')).toMatchObject({ valid: true, usesRemaining: 0 });
  expect(await consume(ticket, 'second')).toMatchObject({ valid: false, status: 'exhausted' });
});
test('expiry, by the clock', async ({ service }) => {
  await service.advance('366d');
  const answer = await gate(service.url, service.keys.rest)(service.ticket('windowed'), 'late');
  expect(answer).toMatchObject({ valid: false, reason: 'expired' });
});
test('a lost answer, and the retry', async ({ service }) => {
  const [consume, ticket] = [gate(service.url, service.keys.rest), service.ticket('multi')];
  await service.fail({ effect: 'lost-answer', times: 1 });
  await expect(consume(ticket, 'same')).rejects.toThrow();
  expect(await consume(ticket, 'same')).toMatchObject({ valid: true, usesConsumed: 1 });
});
