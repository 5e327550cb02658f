import { expect, test, vi } from 'vitest';
import {
  cancelTickets,
  deleteManyTickets,
  deleteTicket,
  editTicket,
  reinstateTickets,
} from '../../src/features/tickets/operations.ts';
import { callWithToken, idOf } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();

interface Shown {
  readonly ticketId: string;
  readonly code: string;
  readonly batch: string;
  readonly state: string;
}

/** Tickets of the main event, of one batch. */
async function made(order: object): Promise<Shown[]> {
  const event = at.service.seeded.events.main;
  return (await at.owner.post('/tickets', { event, type: 'single', ...order })).json.items;
}

test('a use is taken back once, with a reason; software and a turnstile then admit the ticket again', async () => {
  const { service, owner } = at;
  const code = await service.mint();
  const ticketId = idOf(code);
  await service.rest('consume', code);
  const [{ sequence }] = (await owner.get(`/log?ticket=${ticketId}&limit=1`)).json.items;
  const undo = (reason?: string, number = sequence) =>
    owner.post(`/log/${number}/undo`, { ...(reason !== undefined && { reason }) });

  for (const [refused, status] of [
    [undo('  '), 422],
    [undo(), 422],
    [undo('x', 99_999), 404],
  ] as const)
    expect((await refused).status).toBe(status);
  const undone = await undo('the gate did not turn');
  expect(undone.json).toMatchObject({ outcome: 'undone', ticketId, undo: { sequence } });
  expect((await undo('once more')).status).toBe(409);

  expect((await service.card('consume', code)).json.AcsRes).toBe('1');
  expect((await service.rest('consume', code)).json.status).toBe('exhausted');
  const log = (await owner.get(`/log?ticket=${ticketId}`)).json.items;
  expect(log.at(-1)).toMatchObject({ sequence, undoneBy: undone.json.sequence });
  const [act] = await service.store.readAuditLog({ limit: 1 });
  expect(act).toMatchObject({ act: 'ticket.undo', subject: ticketId, details: { sequence } });
  const csv = (await owner.get('/log/export?outcome=undone')).text.split('\n');
  expect(csv[1]).toContain('the gate did not turn');
  expect((await service.store.verify()).problems).toEqual([]);
});

test('what the command line asks of a server: edit, delete, cancel and reinstate', async () => {
  const { service } = at;
  const call = await callWithToken(at);
  const event = (await at.owner.post('/events', { name: 'Lake' })).json.id;
  const [first, second, third] = await made({ event, type: 'multi', uses: 5, count: 3 });
  await service.rest('consume', first!.code);
  const { ticketId: id, batch } = first!;

  const edits = { holder: { firstName: 'Ada', lastName: '' }, validUntil: 4e12 };
  expect(await call(editTicket, { id, ...edits, uses: 7 })).toMatchObject({
    ...edits,
    usesAllowed: 7,
  });
  await expect(call(editTicket, { id, uses: 101 })).rejects.toMatchObject({ code: 'usage' });
  await expect(call(deleteTicket, { id })).rejects.toMatchObject({ code: 'conflict' });
  await call(deleteTicket, { id: second!.ticketId });
  expect((await service.rest('consume', second!.code)).status).toBe(404);
  const named = await call(cancelTickets, { ids: [third!.ticketId, third!.ticketId] });
  expect(named).toMatchObject({ changed: 1, kept: 0, next: null });
  expect(named.items.map(({ ticketId, state }) => [ticketId, state])).toEqual([
    [third!.ticketId, 'cancelled'],
  ]);
  const done = { next: null, items: [] };
  expect(await call(cancelTickets, { batch })).toEqual({ changed: 1, kept: 1, ...done });
  expect(await call(reinstateTickets, { event })).toEqual({ changed: 2, kept: 0, ...done });
  expect(await call(reinstateTickets, { event })).toEqual({ changed: 0, kept: 2, ...done });
  expect(await call(deleteManyTickets, { event })).toMatchObject({ changed: 1, kept: 1 });
});

test('a lost card is replaced once; the new code is admitted, and both name each other', async () => {
  const { service, owner } = at;
  const lost = await service.mint({ kind: 'multi', uses: 3, firstName: 'Ada' });
  const id = idOf(lost);
  await service.rest('consume', lost);

  const { status, json } = await owner.post(`/tickets/${id}/replace`, {});

  expect(status).toBe(201);
  expect(json).toMatchObject({ usesConsumed: 1, usesRemaining: 2, replaces: id, replacedBy: null });
  expect((await owner.get(`/tickets/${json.ticketId}`)).json).toEqual(json);
  const old = (await owner.get(`/tickets/${id}`)).json;
  expect(old).toMatchObject({ state: 'cancelled', replaces: null, replacedBy: json.ticketId });
  expect((await service.rest('consume', lost)).json.reason).toBe('ticket_cancelled');
  expect((await service.rest('consume', json.code)).json).toMatchObject({ status: 'consumed' });
  for (const again of [
    await owner.post(`/tickets/${id}/replace`, {}),
    await owner.post('/tickets/reinstate', { ids: [id] }),
  ])
    expect([again.status, again.json.code]).toEqual([409, 'ticket_replaced']);
  expect((await service.store.verify()).problems).toEqual([]);
});

test.each(['cancel', 'reinstate'])(
  '%s takes ids, an event or a batch: one of them',
  async (act) => {
    const event = at.service.seeded.events.main;
    const ids = ['tkt_none'];
    for (const [body, status] of [
      ...[{}, { event, batch: 'bat_0123456789' }, { event, ids }, { ids: [] }].map(
        (wrong) => [wrong, 422] as const,
      ),
      [{ ids }, 404],
    ] as const)
      expect((await at.owner.post(`/tickets/${act}`, body)).status).toBe(status);
    expect((await at.owner.post('/tickets/delete', {})).status).toBe(422);
  },
);

test('tickets that are cancelled are refused until they are reinstated; the audit log names them', async () => {
  const { service, owner } = at;
  const both = await made({ count: 2 });
  const ids = both.map(({ ticketId }) => ticketId);
  const [{ ticketId: first, code } = both[0]!] = both;

  const cancelled = await owner.post('/tickets/cancel', { ids });
  expect(cancelled.json.items.map(({ state }: Shown) => state)).toEqual(Array(2).fill('cancelled'));
  expect((await service.rest('consume', code)).json.reason).toBe('ticket_cancelled');
  const half = await owner.post('/tickets/reinstate', { ids: [first, 'tkt_none'] });
  expect([half.status, half.json.message]).toEqual([404, expect.stringContaining('tkt_none')]);
  expect((await owner.get(`/tickets/${first}`)).json.state).toBe('cancelled');
  await owner.post('/tickets/reinstate', { ids: [first] });
  expect((await service.rest('consume', code)).json.status).toBe('consumed');

  const [last, before] = await service.store.readAuditLog({ limit: 2 });
  expect(before).toMatchObject({ act: 'ticket.cancel', details: { tickets: ids, count: 2 } });
  expect(last).toMatchObject({ act: 'ticket.reinstate', subject: first });
  expect(before?.organisationId).toBe(last?.organisationId);
});

test('500 tickets that are cancelled at once are looked up at once, before and after', async () => {
  const { service, owner } = at;
  const ids = (await made({ count: 500 })).map(({ ticketId }) => ticketId);
  const spies = (['findTicket', 'findTickets'] as const).map((name) =>
    vi.spyOn(service.store, name),
  );

  const { json } = await owner.post('/tickets/cancel', { ids });

  expect(json.items.map(({ ticketId }: Shown) => ticketId)).toEqual(ids);
  expect(spies.map((spy) => spy.mock.calls.length)).toEqual([0, 2]);
  for (const spy of spies) spy.mockRestore();
});

test('tickets are listed by their ids: those of the organisation, without their codes', async () => {
  const { service, owner } = at;
  const ids: string[] = [];
  for (const lastName of ['Öztürk', 'Lovelace']) ids.push(idOf(await service.mint({ lastName })));
  const other = await service.administration.organisations.create('Next door');
  const { id: eventId } = await service.administration.events.create('Theirs', other.id);
  const theirs = idOf(await service.mint({ eventId }));

  const { json, text } = await owner.get(`/tickets?ids=${[...ids, theirs, 'tkt_no_one']}`);

  expect(json.next).toBeNull();
  const found = json.items as { ticketId: string; holder: { lastName: string } }[];
  expect(found.map(({ ticketId }) => ticketId).toSorted()).toEqual(ids.toSorted());
  expect(found.map(({ holder }) => holder.lastName).toSorted()).toEqual(['Lovelace', 'Öztürk']);
  expect(text).not.toContain('TS1.');
});

test('a list goes on after a cursor or a ticket, and not from the start again after a ticket that is not there', async () => {
  const { owner } = at;
  const { json } = await owner.get('/tickets?limit=1000');
  const whole = (json.items as Shown[]).map(({ ticketId }) => ticketId);
  const { items, next } = (await owner.get('/tickets?limit=1')).json;

  const goingOn = (after: string) =>
    owner.get(`/tickets?limit=1000&after=${encodeURIComponent(after)}`);
  for (const after of [next, items[0].ticketId]) {
    const rest = (await goingOn(after)).json.items as Shown[];
    expect(rest.map(({ ticketId }) => ticketId)).toEqual(whole.slice(1));
  }
  for (const after of ['tkt_no_one', '#abc']) expect((await goingOn(after)).status).toBe(404);
});

test('a ticket is shown as a QR code and as a page to print', async () => {
  const { service, owner } = at;
  const ticketId = idOf(await service.mint({ lastName: 'Žižka' }));

  const qr = await owner.get(`/tickets/${ticketId}/qr.svg`);
  const sheet = await owner.get(`/tickets/${ticketId}/sheet.pdf?timeZone=Europe/Berlin`);

  expect(qr.headers.get('content-type')).toContain('image/svg+xml');
  expect(qr.text).toMatch(/^<svg .*<\/svg>\n$/s);
  expect([sheet.status, sheet.text.slice(0, 5)]).toEqual([200, '%PDF-']);
  expect((await owner.get(`/tickets/${ticketId}/sheet.pdf?layout=none`)).status).toBe(422);
});
