import { expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

test('a key created here scans a ticket created here, and is refused at once when it is deleted', async () => {
  await using service = await TestService.start({ limits: { keysMax: 20 } });
  const owner = await AdminClient.signedIn(service);

  const event = await owner.post('/events', { name: 'Night swim' });
  const key = await owner.post('/keys', { name: 'Gate', type: 'api', events: [event.json.id] });
  const tickets = await owner.post('/tickets', { event: event.json.id, type: 'single', count: 2 });
  expect([event.status, key.status, tickets.status]).toEqual([201, 201, 201]);
  expect(tickets.json.items).toHaveLength(2);

  const headers = { 'x-api-key': key.json.key };
  const [first, second] = tickets.json.items;
  expect((await service.rest('consume', first.code, headers)).json.status).toBe('consumed');
  expect((await owner.get(`/tickets/${first.ticketId}`)).json).toMatchObject({
    state: 'exhausted',
    code: first.code,
  });
  expect((await owner.get('/keys')).text).not.toContain(key.json.key);
  expect((await owner.delete(`/keys/${key.json.id}`)).status).toBe(200);
  expect((await service.rest('consume', second.code, headers)).status).toBe(401);
});

test('a hardware key comes with the URLs of its devices', async () => {
  await using service = await TestService.start();
  const owner = await AdminClient.signedIn(service);

  const { json } = await owner.post('/keys', {
    name: 'Turnstile',
    type: 'hardware',
    events: 'all',
  });

  expect(json.cardUrl).toBe(`${service.url}/scan/hw/consume?key=${json.key}`);
  expect(json.heartUrl).toBe(`${service.url}/scan/hw/heartbeat?key=${json.key}`);
});

test('a cancelled ticket is refused, a reinstated one enters', async () => {
  await using service = await TestService.start();
  const operator = await AdminClient.signedIn(service, 'operator');
  const event = service.seeded.events.main;
  const { json } = await operator.post('/tickets', { event, type: 'multi', uses: 3, count: 2 });
  const [{ ticketId, code }, other] = json.items;

  const one = { ids: [ticketId] };
  expect((await operator.post('/tickets/cancel', one)).json.items[0].state).toBe('cancelled');
  expect((await service.rest('consume', code)).json.reason).toBe('ticket_cancelled');
  expect((await operator.post('/tickets/reinstate', one)).json.items[0].state).toBe('valid');
  expect((await service.rest('consume', code)).json.status).toBe('consumed');

  const ids = [ticketId, other.ticketId];
  const bulk = await operator.post('/tickets/cancel', { ids });
  expect(bulk.json.items.map(({ state }: { state: string }) => state)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  const half = await operator.post('/tickets/reinstate', {
    ids: [ticketId, 'tkt_none'],
  });
  expect(half.status).toBe(404);
  expect((await operator.get(`/tickets/${ticketId}`)).json.state).toBe('cancelled');
});

test('a change that a key cannot have is refused, and a content type without a body is none', async () => {
  await using service = await TestService.start();
  const owner = await AdminClient.signedIn(service);
  const options = { name: 'Till', type: 'api', events: 'all' };
  const { id } = (await owner.post('/keys', options)).json;
  const empty = { 'content-type': 'application/json' };

  const change = await owner.patch(`/keys/${id}`, { type: 'hardware' });
  const noBody = await owner.request('POST', '/keys', '', empty);
  const deleted = await owner.request('DELETE', `/keys/${id}`, '', empty);

  expect([change.status, change.json.message]).toEqual([
    422,
    'The request has a member that cannot be given here: type.',
  ]);
  expect(noBody.status).toBe(422);
  expect(deleted.status).toBe(200);
});
