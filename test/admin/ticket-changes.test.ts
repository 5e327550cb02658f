import { expect, test } from 'vitest';
import { AdminClient as TokenClient } from '../../src/operations/admin-client.ts';
import { RemoteTickets } from '../../src/service/commands/access/remote/remote-tickets.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

const idOf = (code: string) => code.split('.')[1] ?? '';

async function entryOf(client: AdminClient, ticketId: string): Promise<number> {
  return (await client.get(`/log?ticket=${ticketId}&limit=1`)).json.items[0].sequence;
}

test('an operator takes back a use; software and a turnstile then admit the ticket again', async () => {
  await using service = await TestService.start();
  const operator = await AdminClient.signedIn(service, 'operator');
  const code = await service.mint();
  const ticketId = idOf(code);
  await service.rest('consume', code);
  const sequence = await entryOf(operator, ticketId);

  const undone = await operator.post(`/log/${sequence}/undo`, { reason: 'the gate did not turn' });
  const again = await operator.post(`/log/${sequence}/undo`, { reason: 'once more' });

  expect(undone.json).toMatchObject({ outcome: 'undone', ticketId, undo: { sequence } });
  expect(again.status).toBe(409);
  expect((await service.card('consume', code)).json.AcsRes).toBe('1');
  expect((await service.rest('consume', code)).json.status).toBe('exhausted');
  const log = (await operator.get(`/log?ticket=${ticketId}`)).json.items;
  expect(log.at(-1)).toMatchObject({ sequence, undoneBy: undone.json.sequence });
  const [act] = await service.store.readAuditLog({ limit: 1 });
  expect(act).toMatchObject({ act: 'ticket.undo', subject: ticketId, details: { sequence } });
  const csv = (await operator.get(`/log/export?outcome=undone`)).text.split('\n');
  expect(csv[1]).toContain('the gate did not turn');
  expect((await service.store.verify()).problems).toEqual([]);
});

test('a viewer, an API key and another organisation take back nothing', async () => {
  await using service = await TestService.start();
  const [viewer, operator] = [
    await AdminClient.signedIn(service, 'viewer'),
    await AdminClient.signedIn(service, 'operator'),
  ];
  const code = await service.mint();
  await service.rest('consume', code);
  const sequence = await entryOf(operator, idOf(code));
  const path = `/log/${sequence}/undo`;

  const statuses = [
    (await viewer.post(path, { reason: 'x' })).status,
    (await operator.post(path, { reason: '  ' })).status,
    (await operator.post(path, {})).status,
    (await operator.post('/log/99999/undo', { reason: 'x' })).status,
  ];

  expect(statuses).toEqual([403, 422, 422, 404]);
  const headers = { 'x-api-key': service.key('rest'), 'content-type': 'application/json' };
  const body = JSON.stringify({ reason: 'x' });
  const keyed = await fetch(`${service.url}/admin/v1${path}`, { method: 'POST', headers, body });
  expect(keyed.status).toBe(401);
  expect(await service.store.findTicket(idOf(code))).toMatchObject({ usesConsumed: 1 });
});

test('what the command line asks of a server: edit, delete, many, and undo', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const { token } = (await owner.post('/access-tokens', { name: 'cli', role: 'owner' })).json;
  const event = (await owner.post('/events', { name: 'Lake' })).json.id;
  const order = { event, type: 'multi', uses: 5, count: 3 };
  const { items } = (await owner.post('/tickets', order)).json;
  const [first, second] = items;
  const remote = new RemoteTickets(new TokenClient(service.url, token));
  await service.rest('consume', first.code);
  const sequence = await entryOf(owner, first.ticketId);

  const edits = { holder: { firstName: 'Ada', lastName: '' }, validUntil: 4e12, usesAllowed: 7 };
  expect(await remote.edit(null, first.ticketId, edits)).toMatchObject(edits);
  await expect(remote.edit(null, first.ticketId, { usesAllowed: 101 })).rejects.toThrow('100');
  expect(await remote.undo(null, sequence, 'mistake')).toMatchObject({ usesConsumed: 0 });
  await expect(remote.deleteOne(null, first.ticketId)).rejects.toMatchObject({ code: 'conflict' });
  await remote.deleteOne(null, second.ticketId);
  expect((await service.rest('consume', second.code)).status).toBe(404);
  const batch = { eventIds: [], batch: first.batch };
  expect(await remote.step('cancel', null, batch, null)).toMatchObject({ changed: 2, next: null });
  expect(await remote.step('delete', null, { eventIds: [event] }, null)).toMatchObject({
    changed: 1,
    kept: 1,
  });
  const both = await owner.post('/tickets/cancel', { event, batch: first.batch });
  expect([both.status, (await owner.post('/tickets/delete', {})).status]).toEqual([422, 422]);
});
