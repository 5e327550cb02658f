import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { connectTicketscan } from 'ticketscan/testing';

// The service in a process of its own, as a container would run it: software in any language can be pointed at it.
const args = 'ticketscan serve --test-controls --store memory: --port 0 --json'.split(' ');
const server = spawn('npx', args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
after(() => process.kill(-server.pid));
const [firstLine] = await once(server.stdout, 'data');
const { url: address, testToken } = JSON.parse(firstLine);
const service = await connectTicketscan(address, { testToken, seed: 'all-states' });

test('a device is told why, and so is the test', async () => {
  await service.freezeClock('2031-05-01T12:00:00Z');
  const ticket = await service.mint({ validUntil: '2031-05-01T11:59:59Z' });
  const Card = Buffer.from(ticket.code).toString('base64');
  const url = `${service.url}/scan/hw/consume?key=${service.keys.hardware}`;
  const body = JSON.stringify({ Card, Serial: 'C-1', Reader: 0 });
  const answer = await (await fetch(url, { method: 'POST', body })).json();
  assert.deepEqual([answer.AcsRes, answer.Note], ['0', 'Ticket abgelaufen']);
  const [{ explanation }] = await service.requests({ last: 1 });
  const { because } = explanation.steps.find(({ result }) => result === 'stopped');
  assert.match(because, /^Expired\. Valid until 2031-05-01T11:59:59.000Z/);
});
