import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { PATIENTLY } from '../support/patience.ts';
import { AdminClient } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();

/** An event with a used card, one that is still to begin, and one that is cancelled. */
async function usedEvent(name: string) {
  const { service } = at;
  const { id: organisationId } = await service.administration.organisations.first();
  const { id } = await service.administration.events.create(name, organisationId);
  const now = service.clock.now();
  const make = (options: object) =>
    newTicket({ kind: 'multi', uses: 3, eventId: id, ...options }, now, randomBytes);
  const [card, early, cancelled] = [make({}), make({ validFrom: now + 9e8 }), make({})] as const;
  await service.store.insertTickets([card, early, cancelled], AN_AUDIT_ENTRY);
  await service.store.cancelTickets([cancelled.id], now, AN_AUDIT_ENTRY);
  const code = makeTicketCode(card.id, service.keyring, 'TS1');
  const consume = async () => (await service.rest('consume', code)).json;
  expect(await consume()).toMatchObject({ status: 'consumed' });
  return { id, card, consume, deleting: `/events/${id}?withTickets=true` };
}

const everything = (id: string) => at.service.store.countTickets(id);

test('what would go with an event is said before, and its deletion is answered when nobody gets in any more', async () => {
  const { service, owner } = at;
  const { id, card, consume, deleting } = await usedEvent('Summer');
  const facts = await owner.get(`/events/${id}/deletion`);
  expect([facts.status, facts.json]).toEqual([
    200,
    { tickets: 3, valid: 2, lastScanAt: new Date(service.clock.now()).toISOString() },
  ]);
  expect((await owner.delete(`/events/${id}`)).status).toBe(409);
  expect(await consume()).toMatchObject({ status: 'consumed' });

  expect(await owner.delete(deleting)).toMatchObject({ status: 200, json: {} });

  expect(await consume()).toMatchObject({ status: 'not_found' });
  for (const path of [deleting, `/events/${id}`])
    expect((await owner.delete(path)).status).toBe(404);
  expect((await owner.get(`/events/${id}/deletion`)).status).toBe(404);
  expect((await owner.get(`/tickets/${card.id}`)).status).toBe(404);
  const { items } = (await owner.get('/events?archived=true')).json;
  expect(items.map((one: { id: string }) => one.id)).not.toContain(id);
  await expect.poll(() => everything(id), PATIENTLY).toBe(0);
  await expect.poll(() => service.store.list('deletion'), PATIENTLY).toEqual([]);
  expect((await service.store.verify()).problems).toEqual([]);
  const { items: acts } = (await owner.get('/audit-log?limit=2')).json;
  expect(acts.map((one: { act: string }) => one.act)).toEqual([
    'event.deleted',
    'event.delete_with_tickets',
  ]);
});

test('an archived event goes in the same way', async () => {
  const { owner } = at;
  const { id, consume, deleting } = await usedEvent('Winter');
  await owner.post(`/events/${id}/archive`, {});
  expect((await owner.get(`/events/${id}/deletion`)).json).toMatchObject({ tickets: 3, valid: 2 });
  expect((await owner.delete(deleting)).status).toBe(200);
  expect(await consume()).toMatchObject({ status: 'not_found' });
});

test('only an owner deletes an event with its tickets, and says so in the same words', async () => {
  const { id, consume, deleting } = await usedEvent('Spring');
  const operator = await AdminClient.signedIn(at.service, 'operator');
  expect((await operator.delete(deleting)).status).toBe(403);
  expect((await operator.get(`/events/${id}/deletion`)).status).toBe(200);
  for (const value of ['false', '', 'yes'])
    expect((await at.owner.delete(`/events/${id}?withTickets=${value}`)).status).not.toBe(200);
  expect(await consume()).toMatchObject({ status: 'consumed' });
  expect(await everything(id)).toBe(3);
});
