import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { connectTicketscan } from 'ticketscan/testing';

// A service in a container, which may be on another machine.
const { TICKETSCAN_TEST_URL, TICKETSCAN_TEST_CONTROLS_TOKEN } = process.env;
if (!TICKETSCAN_TEST_URL || !TICKETSCAN_TEST_CONTROLS_TOKEN) {
  console.error(
    'Set TICKETSCAN_TEST_URL and TICKETSCAN_TEST_CONTROLS_TOKEN to those of the container.',
  );
  process.exit(2);
}
const service = await connectTicketscan(TICKETSCAN_TEST_URL, {
  testToken: TICKETSCAN_TEST_CONTROLS_TOKEN,
  seed: 'all-states',
});

beforeEach(() => service.reset());

async function consume(ticketCode) {
  const answer = await fetch(`${service.url}/scan/consume`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': service.keys.rest },
    body: JSON.stringify({ ticketCode }),
  });
  return answer.json();
}

test('a single ticket is admitted once', async () => {
  const code = service.ticket('single');
  assert.equal((await consume(code)).valid, true);
  assert.equal((await consume(code)).valid, false);
});

test('a ticket ends with its window', async () => {
  await service.advance('366d');
  assert.equal((await consume(service.ticket('windowed'))).reason, 'expired');
});
