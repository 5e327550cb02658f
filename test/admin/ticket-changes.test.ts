import { expect, test } from 'vitest';
import {
  cancelTickets,
  deleteManyTickets,
  deleteTicket,
  editTicket,
  reinstateTickets,
} from '../../src/features/tickets/operations.ts';
import { callAt, AdminClient as TokenClient } from '../../src/operations/call.ts';
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

test('what the command line asks of a server: edit, delete, cancel and reinstate', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const { token } = (await owner.post('/access-tokens', { name: 'cli', role: 'owner' })).json;
  const event = (await owner.post('/events', { name: 'Lake' })).json.id;
  const order = { event, type: 'multi', uses: 5, count: 3 };
  const { items } = (await owner.post('/tickets', order)).json;
  const [first, second, third] = items;
  const client = new TokenClient(service.url, token);
  const call = callAt((request, answer) => client.send(request, answer));
  await service.rest('consume', first.code);
  const id = first.ticketId;

  const edits = { holder: { firstName: 'Ada', lastName: '' }, validUntil: 4e12 };
  expect(await call(editTicket, { id, ...edits, uses: 7 })).toMatchObject({
    ...{ ...edits, usesAllowed: 7 },
  });
  await expect(call(editTicket, { id, uses: 101 })).rejects.toThrow('100');
  await expect(call(deleteTicket, { id })).rejects.toMatchObject({ code: 'conflict' });
  await call(deleteTicket, { id: second.ticketId });
  expect((await service.rest('consume', second.code)).status).toBe(404);
  const named = await call(cancelTickets, { ids: [third.ticketId, third.ticketId] });
  expect(named).toMatchObject({ changed: 1, kept: 0, next: null });
  expect(named.items.map(({ ticketId, state }) => [ticketId, state])).toEqual([
    [third.ticketId, 'cancelled'],
  ]);
  const { batch } = first;
  const done = { next: null, items: [] };
  expect(await call(cancelTickets, { batch })).toEqual({ changed: 1, kept: 1, ...done });
  expect(await call(reinstateTickets, { event })).toEqual({ changed: 2, kept: 0, ...done });
  expect(await call(reinstateTickets, { event })).toEqual({ changed: 0, kept: 2, ...done });
  expect(await call(deleteManyTickets, { event })).toMatchObject({ changed: 1, kept: 1 });
});

test('a replacement is issued for a lost card; its code is admitted, and both name each other', async () => {
  await using service = await TestService.start();
  const operator = await AdminClient.signedIn(service, 'operator');
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const lost = await service.mint({ kind: 'multi', uses: 3, firstName: 'Ada' });
  const id = idOf(lost);
  await service.rest('consume', lost);
  expect((await operator.get(`/tickets/${id}`)).json).toMatchObject({
    ...{ replaces: null, replacedBy: null },
  });

  expect((await viewer.post(`/tickets/${id}/replace`, {})).status).toBe(403);
  const { status, json } = await operator.post(`/tickets/${id}/replace`, {});

  expect(status).toBe(201);
  expect(json).toMatchObject({ usesConsumed: 1, usesRemaining: 2, replaces: id, replacedBy: null });
  expect((await operator.get(`/tickets/${json.ticketId}`)).json).toEqual(json);
  const old = (await operator.get(`/tickets/${id}`)).json;
  expect(old).toMatchObject({ state: 'cancelled', replaces: null, replacedBy: json.ticketId });
  expect((await service.rest('consume', lost)).json.reason).toBe('ticket_cancelled');
  expect((await service.rest('consume', json.code)).json).toMatchObject({ status: 'consumed' });
  const again = await operator.post(`/tickets/${id}/replace`, {});
  expect([again.status, again.json.code]).toEqual([409, 'ticket_replaced']);
  const back = await operator.post('/tickets/reinstate', { ids: [id] });
  expect([back.status, back.json.code]).toEqual([409, 'ticket_replaced']);
  const unknown = await operator.post(`/tickets/${id.slice(0, -1)}_/replace`, {});
  expect(unknown.status).toBe(404);
  expect((await service.store.verify()).problems).toEqual([]);
});

test.each(['cancel', 'reinstate'])(
  '%s takes ids, an event or a batch: one of them',
  async (act) => {
    await using service = await TestService.start({ store: 'memory' });
    const owner = await AdminClient.signedIn(service);
    const event = service.seeded.events.main;
    const ids = ['tkt_none'];
    const given = [{}, { event, batch: 'bat_0123456789' }, { event, ids }, { ids: [] }, { ids }];

    const statuses = [];
    for (const body of given) statuses.push((await owner.post(`/tickets/${act}`, body)).status);

    expect(statuses).toEqual([422, 422, 422, 422, 404]);
    expect((await owner.post('/tickets/delete', {})).status).toBe(422);
  },
);

test('the audit log names the tickets that were cancelled together', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const order = { event: service.seeded.events.main, type: 'single', count: 2 };
  const ids = (await owner.post('/tickets', order)).json.items.map(
    ({ ticketId }: { ticketId: string }) => ticketId,
  );

  await owner.post('/tickets/cancel', { ids });
  await owner.post('/tickets/reinstate', { ids: ids.slice(0, 1) });

  const [reinstated, cancelled] = await service.store.readAuditLog({ limit: 2 });
  expect(cancelled).toMatchObject({ act: 'ticket.cancel', details: { tickets: ids, count: 2 } });
  expect(reinstated).toMatchObject({ act: 'ticket.reinstate', subject: ids[0] });
  expect(cancelled?.organisationId).toBe(reinstated?.organisationId);
});
