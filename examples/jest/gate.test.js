const { startTicketscan } = require('ticketscan/testing');

let service;
beforeAll(async () => {
  service = await startTicketscan({ seed: 'all-states' });
});
beforeEach(() => service.reset());
afterAll(() => service.close());
// The gate under test; in your project it is your own code, given the address and the key.
const consume = async (ticketCode, retry) => {
  const headers = { 'x-api-key': service.keys.rest, 'content-type': 'application/json' };
  headers['idempotency-key'] = retry;
  const request = { method: 'POST', headers, body: JSON.stringify({ ticketCode }) };
  return (await fetch(`${service.url}/scan/consume`, request)).json();
};
test('grant and exhaustion', async () => {
  const ticket = service.ticket('single');
  expect(await consume(ticket, 'first')).toMatchObject({ valid: true, usesRemaining: 0 });
  expect(await consume(ticket, 'second')).toMatchObject({ valid: false, status: 'exhausted' });
});
test('a lost answer, and the retry', async () => {
  const ticket = service.ticket('multi');
  await service.fail({ effect: 'lost-answer', times: 1 });
  await expect(consume(ticket, 'same')).rejects.toThrow();
  expect(await consume(ticket, 'same')).toMatchObject({ valid: true, usesConsumed: 1 });
});
