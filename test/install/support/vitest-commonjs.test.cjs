const { test } = require('ticketscan/testing/vitest');

test('a CommonJS test file has the service, too', async ({ service, expect }) => {
  const answer = await fetch(`${service.url}/healthz`);
  expect(answer.status).toBe(200);
});
