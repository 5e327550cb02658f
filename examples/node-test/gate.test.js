import assert from 'node:assert/strict';
import test from 'node:test';
import { useTicketscan } from 'ticketscan/testing/node-test';

const service = await useTicketscan({ seed: 'all-states' });
// The gate under test; in your project it is your own code, given the address and the key.
const consume = async (ticketCode, retry) => {
  const headers = { 'x-api-key': service.keys.rest, 'content-type': 'application/json' };
  headers['idempotency-key'] = retry;
  const request = { method: 'POST', headers, body: JSON.stringify({ ticketCode }) };
  return (await fetch(`${service.url}/scan/consume`, request)).json();
};
test('grant and exhaustion', async () => {
  const ticket = service.ticket('single');
  assert.equal((await consume(ticket, 'first')).valid, true);
  assert.equal((await consume(ticket, 'second')).status, 'exhausted');
});
test('expiry, by the clock', async () => {
  await service.advance('366d');
  assert.equal((await consume(service.ticket('windowed'), 'late')).reason, 'expired');
});
test('a lost answer, and the retry', async () => {
  const ticket = service.ticket('multi');
  await service.fail({ effect: 'lost-answer', times: 1 });
  await assert.rejects(consume(ticket, 'same'));
  assert.equal((await consume(ticket, 'same')).usesConsumed, 1);
});
