import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { AdminClient as TokenClient } from '../../src/operations/admin-client.ts';
import { callAt } from '../../src/operations/call.ts';
import { RemoteStore } from '../../src/service/commands/access/remote/remote-store.ts';
import { RemoteTickets } from '../../src/service/commands/access/remote/remote-tickets.ts';
import { AdminClient } from '../admin/support/client.ts';
import { TestService } from '../support/service.ts';

/** A service with 1,500 tickets of one event, and a client of the command line for it. */
async function remote() {
  const service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const { token } = (await owner.post('/access-tokens', { name: 'cli', role: 'owner' })).json;
  const event = (await owner.post('/events', { name: 'Lake' })).json.id;
  for (const count of [1000, 500]) {
    expect((await owner.post('/tickets', { event, type: 'single', count })).status).toBe(201);
  }
  const tickets = await service.store.listTickets({ eventId: event, limit: 2000 });
  const client = new TokenClient(service.url, token);
  return { service, client, tickets, fresh: `tkt_${event}_${'0'.repeat(20)}` };
}

test.each([
  ['many are found in pages', 1500, 3],
  ['few of a large event are asked for one by one', 2, 4],
])('tickets at a server: %s', async (_, count, requests) => {
  const { service, client, tickets, fresh } = await remote();
  await using _service = service;
  const wanted = tickets.slice(-count).map(({ id }) => id);
  let asked = 0;
  const seen = () => {
    asked += 1;
  };
  channel('undici:request:create').subscribe(seen);

  const found = await new RemoteStore(
    client,
    callAt((request, answer) => client.send(request, answer)),
  ).findTickets([...wanted, fresh, 'tkt_none']);

  expect(found.map(({ id }) => id)).toEqual(wanted);
  channel('undici:request:create').unsubscribe(seen);
  expect(asked).toBe(requests);
});

test('an import at a server skips what is there, in one request, and tells how many', async () => {
  const { service, client, tickets, fresh } = await remote();
  await using _service = service;
  const list = [...tickets.slice(0, 3), { ...tickets[0]!, id: fresh }];
  const remoteTickets = new RemoteTickets(client);

  const skipped = await remoteTickets.import(null, list, { existing: 'skip' });

  expect(skipped).toBe(3);
  expect(await service.store.findTicket(fresh)).toBeDefined();
  await expect(remoteTickets.import(null, list, { existing: 'refuse' })).rejects.toThrow();
});

test('archived events at a server keep the people inside them', async () => {
  const { service, client } = await remote();
  await using _service = service;
  const [event] = await service.store.list('event');
  await service.administration.archiveEvent(event!);

  const counted = await new RemoteStore(
    client,
    callAt((request, answer) => client.send(request, answer)),
  ).listOccupancy();

  expect(counted.map(({ eventId }) => eventId)).toContain(event!.id);
});
