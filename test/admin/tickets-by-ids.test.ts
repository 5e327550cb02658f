import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ store: 'memory' });
});
afterAll(() => service[Symbol.asyncDispose]());

test('tickets are listed by their ids: those of the organisation, without their codes', async () => {
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const ids = [];
  for (const lastName of ['Öztürk', 'Lovelace']) {
    ids.push((await service.mint({ lastName })).split('.')[1] ?? '');
  }
  const other = await service.administration.createOrganisation('Next door');
  const { id: eventId } = await service.administration.createEvent('Theirs', other.id);
  const theirs = (await service.mint({ eventId })).split('.')[1];

  const { status, json } = await viewer.get(`/tickets?ids=${[...ids, theirs, 'tkt_no_one']}`);

  expect(status).toBe(200);
  expect(json.next).toBeNull();
  const found = json.items as { ticketId: string; holder: { lastName: string } }[];
  expect(found.map(({ ticketId }) => ticketId).toSorted()).toEqual(ids.toSorted());
  expect(found.map(({ holder }) => holder.lastName).toSorted()).toEqual(['Lovelace', 'Öztürk']);
  expect(JSON.stringify(found)).not.toContain('TS1.');
});

test('a list goes on after a cursor or a ticket, and not from the start again after a ticket that is not there', async () => {
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const whole = (await viewer.get('/tickets')).json.items as { ticketId: string }[];
  const { items, next } = (await viewer.get('/tickets?limit=1')).json;
  const rest = whole.slice(1).map(({ ticketId }) => ticketId);

  for (const after of [next, items[0].ticketId]) {
    const { json } = await viewer.get(`/tickets?after=${encodeURIComponent(after)}`);
    expect(json.items.map((one: { ticketId: string }) => one.ticketId)).toEqual(rest);
  }
  for (const after of ['tkt_no_one', '#abc']) {
    const { status } = await viewer.get(`/tickets?after=${encodeURIComponent(after)}`);
    expect(status).toBe(404);
  }
});
