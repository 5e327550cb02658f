import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { AdminClient, idOf, makeAccount } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

/** What a person does at the gate without a code: finding a guest, letting in by hand, several uses at once. */
const at = sharedService({ store: 'sqlite', ticketsPerState: 1 });

const scanOf = (ticketCode: string, more: object = {}) => ({
  operation: 'consume',
  ticketCode,
  requestId: randomUUID(),
  ...more,
});
const found = async (client: AdminClient, search: string) => {
  const { status, json } = await client.get(`/guests?search=${encodeURIComponent(search)}`);
  expect(status).toBe(200);
  return json.items.map(({ ticketId }: { ticketId: string }) => ticketId);
};
const logOf = async (code: string) => (await at.owner.get(`/log?ticket=${idOf(code)}`)).json.items;

test('operators find guests by name, reference and the end of the id, with the state and what is left', async () => {
  const { service, owner } = at;
  const code = await service.mint({
    kind: 'multi',
    uses: 5,
    firstName: 'Grete',
    lastName: 'Ölmann',
  });
  await owner.patch(`/tickets/${idOf(code)}`, { reference: 'Order-778' });
  await owner.post('/scans', scanOf(code));
  const operator = await AdminClient.signedIn(service, 'operator');
  for (const search of ['ölmann', 'order-778', idOf(code).slice(-5)])
    expect(await found(operator, search)).toEqual([idOf(code)]);
  const { json } = await operator.get('/guests?search=grete');
  expect(json).toMatchObject({
    next: null,
    items: [{ state: 'valid', usesRemaining: 4, holder: { lastName: 'Ölmann' } }],
  });
  expect(json.items[0].eventName).toEqual(expect.any(String));
  expect(json.items[0]).not.toHaveProperty('code');
  for (const refused of ['x', '', ' x ', 'x'.repeat(201)])
    expect((await operator.get(`/guests?search=${refused}`)).status, refused).toBe(422);
  expect((await operator.get('/guests?search=grete&after=elsewhere')).status).toBe(404);
});

test('scanners find guests only where an owner allows it, and only those whom they scan; viewers never', async () => {
  const { service, owner } = at;
  const { events } = service.seeded;
  const code = await service.mint({ firstName: 'Hanna', lastName: 'Gast' });
  const scanner = await AdminClient.signedIn(service, 'scanner');
  const name = `elsewhere ${randomUUID()}`;
  await makeAccount(service, name, 'scanner', undefined, [events.other]);
  const elsewhere = new AdminClient(service.url);
  await elsewhere.signIn(name);
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const mayFind = async (client: AdminClient) =>
    (await client.get('/sessions/current')).json.mayFindGuests;

  const { status, json } = await scanner.get('/guests?search=hanna');
  expect([status, json.code]).toEqual([403, 'guest_search_off']);
  expect(await mayFind(scanner)).toBe(false);
  const setTo = (scannersFindGuests: boolean) =>
    owner.patch('/organisation', { scannersFindGuests });
  const operator = await AdminClient.signedIn(service, 'operator');
  expect((await operator.patch('/organisation', { scannersFindGuests: true })).status).toBe(403);
  expect((await setTo(true)).json).toMatchObject({ scannersFindGuests: true });

  expect(await mayFind(scanner)).toBe(true);
  expect(await found(scanner, 'hanna')).toEqual([idOf(code)]);
  expect(await found(elsewhere, 'hanna')).toEqual([]);
  const refused = await viewer.get('/guests?search=hanna');
  expect([refused.status, refused.json.message]).toEqual([
    403,
    expect.stringContaining('Operators and owners do'),
  ]);
  expect(await mayFind(viewer)).toBe(false);
  const [entry] = (await owner.get('/audit-log?limit=1')).json.items;
  expect(entry).toMatchObject({
    act: 'organisation.guest_search',
    details: { scannersFindGuests: true },
  });
  await setTo(false);
  expect((await scanner.get('/guests?search=hanna')).status).toBe(403);
});

test('guests of archived events and of other organisations are not found', async () => {
  const { service, owner } = at;
  const event = (await owner.post('/events', { name: 'Last year' })).json.id;
  const holder = { firstName: 'Gone', lastName: 'Guest' };
  await owner.post('/tickets', { event, type: 'single', holder });
  expect(await found(owner, 'gone guest')).toHaveLength(1);
  await owner.post(`/events/${event}/archive`);
  expect(await found(owner, 'gone guest')).toEqual([]);
  const { id } = await service.administration.organisations.create('Neighbour');
  const neighbour = await AdminClient.signedIn(service, 'owner', id);
  await owner.post(`/events/${event}/unarchive`);
  expect(await found(neighbour, 'gone guest')).toEqual([]);
});

test('who lets in by hand takes a use, which the log marks; a check by hand takes none', async () => {
  const { service, owner } = at;
  const code = await service.mint();
  const operator = await AdminClient.signedIn(service, 'operator');
  const byHand = (operation: string) =>
    operator.post('/scans', scanOf(idOf(code), { operation, byHand: true }));
  expect((await byHand('validate')).json).toMatchObject({ valid: true, usesTaken: 0 });
  expect((await byHand('consume')).json).toMatchObject({ valid: true, usesTaken: 1 });
  await operator.post('/scans', scanOf(code));
  const { id } = (await operator.get('/sessions/current')).json.account;
  expect(await logOf(code)).toMatchObject([
    { outcome: 'exhausted', keyId: id },
    { outcome: 'consumed', byHand: true, keyId: id },
    { outcome: 'validated', byHand: true },
  ]);
  expect((await logOf(code))[0]).not.toHaveProperty('byHand');
  const { text } = await owner.get('/log/export?format=excel&language=de');
  expect(text).toContain('Von Hand');
});

test('several uses of a card are taken together or not at all', async () => {
  const { service, owner } = at;
  const code = await service.mint({ kind: 'multi', uses: 5 });
  const three = scanOf(code, { uses: 3 });
  for (const time of ['first', 'again'])
    expect((await owner.post('/scans', three)).json, time).toMatchObject({
      valid: true,
      usesTaken: 3,
      ticket: { usesRemaining: 2 },
    });
  const few = await owner.post('/scans', scanOf(code, { uses: 3 }));
  expect([few.status, few.json.code, few.json.values]).toEqual([409, 'too_few_uses', { left: 2 }]);
  expect((await service.store.findTicket(idOf(code)))?.usesConsumed).toBe(3);
  expect((await logOf(code)).filter((one: { replayed: boolean }) => !one.replayed)).toHaveLength(3);
  for (const uses of [0, 10, 1.5])
    expect((await owner.post('/scans', scanOf(code, { uses }))).status).toBe(422);
  const check = await owner.post('/scans', scanOf(code, { operation: 'validate', uses: 2 }));
  expect([check.status, check.json.code]).toEqual([422, 'uses_of_check']);
  // Another number of uses is another scan.
  expect((await owner.post('/scans', { ...three, uses: 2 })).status).toBe(422);
});
