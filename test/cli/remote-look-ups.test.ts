import { channel } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listEvents } from '../../src/features/events/operations.ts';
import { findTickets } from '../../src/features/tickets/commands/find-tickets.ts';
import { AdminClient as TokenClient } from '../../src/operations/admin-client.ts';
import { AdminClient } from '../admin/support/client.ts';
import { InProcess } from '../support/in-process.ts';
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
  return { service, client, token, tickets, fresh: `tkt_${event}_${'0'.repeat(20)}` };
}

test.each([
  ['many are asked for in parts', 1500, 16],
  ['few of a large event are asked for at once', 2, 1],
])('tickets at a server: %s', async (_, count, requests) => {
  const { service, client, tickets, fresh } = await remote();
  await using _service = service;
  const wanted = tickets.slice(-count).map(({ id }) => id);
  let asked = 0;
  const seen = () => {
    asked += 1;
  };
  channel('undici:request:create').subscribe(seen);

  const found = await findTickets(client, [...wanted, fresh, 'tkt_none']);

  expect(found.map(({ ticketId }) => ticketId)).toEqual(wanted);
  channel('undici:request:create').unsubscribe(seen);
  expect(asked).toBe(requests);
});

test('an import at a server skips what is there, and tells how many', async () => {
  const { service, tickets, fresh, token } = await remote();
  await using _service = service;
  await using folder = new InProcess();
  const ids = [...tickets.slice(0, 3).map(({ id }) => id), fresh];
  const createdAt = new Date(service.clock.now()).toISOString();
  const rows = ids.map((id) => `${id},${createdAt}\n`);
  writeFileSync(join(folder.path, 'list.csv'), `ticketId,createdAt\n${rows.join('')}`);
  const access = ['--url', service.url, '--token', 'env:TOKEN', '--json'];
  const env = { TOKEN: token };

  const refused = await folder.run(['tickets', 'import', 'list.csv', ...access], env);
  const args = ['tickets', 'import', 'list.csv', '--skip-existing', ...access];
  const { out } = await folder.run(args, env);

  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('already exists') });
  expect(JSON.parse(out)).toMatchObject({ imported: 1, existing: 3 });
  expect(await service.store.findTicket(fresh)).toBeDefined();
});

test('archived events at a server keep the people inside them', async () => {
  const { service, client } = await remote();
  await using _service = service;
  const [event] = await service.store.list('event');
  await service.administration.events.archive(event!);

  const { items } = await client.call(listEvents, { archived: 'true' });

  const inside = (await service.store.listOccupancy()).find(({ eventId }) => eventId === event!.id);
  expect(items.find(({ id }) => id === event!.id)?.inside).toMatchObject({
    entered: inside!.entered,
    exited: inside!.exited,
  });
});
