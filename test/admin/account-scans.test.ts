import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventOfTicketId } from '../../src/core/ticket-id.ts';
import { type EntryStore, explainLogEntry } from '../../src/features/explain/explain-scan.ts';
import { TestService } from '../support/service.ts';
import { AdminClient, idOf, makeAccount, withToken } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

/** Scans by somebody who is signed in. */
const at = sharedService({ store: 'sqlite', ticketsPerState: 1 });

const scanOf = (ticketCode: string, more: object = {}) => ({
  operation: 'consume',
  ticketCode,
  requestId: randomUUID(),
  ...more,
});
const usesOf = async (code: string) =>
  (await at.service.store.findTicket(idOf(code)))?.usesConsumed;
const scanner = () => AdminClient.signedIn(at.service, 'scanner');

test('a scan admits, says whom, and when and where the ticket was used before', async () => {
  const { service } = at;
  const client = await scanner();
  const holder = { firstName: 'Ada', lastName: 'Lovelace' };
  const code = await service.mint(holder);
  const first = await client.post('/scans', scanOf(code));
  const event = service.seeded.events.main;
  expect([first.status, first.json]).toMatchObject([
    200,
    {
      valid: true,
      status: 'consumed',
      lastUse: null,
      ticket: { ticketId: idOf(code), usesRemaining: 0, holder, event },
    },
  ]);
  service.clock.advance(60_000);
  const again = await client.post('/scans', scanOf(code));
  const { name } = (await client.get('/sessions/current')).json.account;
  expect(again.json).toMatchObject({
    valid: false,
    status: 'exhausted',
    ticket: { holder },
    lastUse: { at: first.json.scannedAt, gate: name },
  });
  const byKey = await service.mint();
  await service.card('consume', byKey);
  const denied = await client.post('/scans', scanOf(byKey));
  expect(denied.json.lastUse).toMatchObject({ gate: 'S-1' });
});

test('it says what is written on the ticket now, also when it is denied; software that scans is told nothing of it', async () => {
  const { service, owner } = at;
  const client = await scanner();
  const code = await service.mint();
  const first = { reference: 'R-55', note: 'Wheelchair, second entrance', attention: true };
  await owner.patch(`/tickets/${idOf(code)}`, first);
  const scan = scanOf(code);
  const admitted = await client.post('/scans', scan);
  expect(admitted.json).toMatchObject({ valid: true, ticket: first });
  const second = { reference: null, note: 'Seen', attention: false };
  await owner.patch(`/tickets/${idOf(code)}`, second);
  const repeated = await client.post('/scans', scan);
  expect(repeated.json).toMatchObject({ valid: true, ticket: second });
  const denied = await client.post('/scans', scanOf(code));
  expect(denied.json).toMatchObject({ valid: false, status: 'exhausted', ticket: second });
  const byKey = JSON.stringify(await service.card('consume', code));
  for (const text of ['Seen', 'attention', 'reference']) expect(byKey).not.toContain(text);
});

test('it names no last use of a cancelled ticket whose only use was taken back', async () => {
  const { service, owner } = at;
  const code = await service.mint();
  await owner.post('/scans', scanOf(code));
  const [entry] = (await owner.get(`/log?ticket=${idOf(code)}`)).json.items;
  expect(entry.outcome).toBe('consumed');
  await owner.post(`/log/${entry.sequence}/undo`, { reason: 'wrong gate' });
  await owner.post('/tickets/cancel', { ids: [idOf(code)] });

  for (const operation of ['consume', 'validate']) {
    const { json } = await owner.post('/scans', scanOf(code, { operation }));
    expect(json).toMatchObject({ reason: 'ticket_cancelled', lastUse: null });
  }
  expect((await owner.get(`/tickets/${idOf(code)}/last-use`)).json.lastUse).toBeNull();
});

test('it takes one use for each request id, however often it is sent, also at once', async () => {
  const client = await scanner();
  const code = await at.service.mint({ kind: 'multi', uses: 5 });
  const scan = scanOf(code);
  const answers = await Promise.all([1, 2, 3, 4].map(() => client.post('/scans', scan)));
  for (const { json } of [...answers, await client.post('/scans', scan)]) {
    expect(json).toEqual(answers[0]?.json);
    expect(json.valid).toBe(true);
  }
  expect(await usesOf(code)).toBe(1);
  const other = { ...scan, ticketCode: await at.service.mint() };
  expect((await client.post('/scans', other)).status).toBe(422);
  // Another account's request of the same id is another scan.
  expect((await at.owner.post('/scans', scan)).json.status).toBe('consumed');
  expect(await usesOf(code)).toBe(2);
});

test('at a way out it counts people out and takes no use, whoever came in; another way is another scan', async () => {
  const { service, owner } = at;
  const client = await scanner();
  const code = await service.mint();
  const eventId = eventOfTicketId(idOf(code)) ?? '';
  const people = async () => (await service.store.listOccupancy([eventId]))[0];
  const scan = scanOf(code, { direction: 'out' });
  const unused = await client.post('/scans', scan);
  expect(unused.json).toMatchObject({ valid: false, status: 'rejected', reason: 'not_used' });

  await client.post('/scans', scanOf(code));
  const { entered = 0, exited = 0 } = (await people()) ?? {};
  const { today } = (await owner.get('/statistics')).json;
  const again = scanOf(code, { direction: 'out' });
  for (const { json } of [await client.post('/scans', again), await client.post('/scans', again)])
    expect(json).toMatchObject({ valid: true, status: 'validated', usesTaken: 0 });
  expect(await people()).toMatchObject({ entered, exited: exited + 1 });
  const live = (await owner.get('/statistics')).json;
  expect(live.today).toEqual(today);
  expect(live.inside).toContainEqual(
    expect.objectContaining({ event: eventId, exited: exited + 1 }),
  );
  expect(await usesOf(code)).toBe(1);
  const inwards = { ...again, direction: 'in' };
  expect((await client.post('/scans', inwards)).status).toBe(422);
  const several = scanOf(code, { direction: 'out', uses: 2 });
  expect((await client.post('/scans', several)).json.code).toBe('uses_of_check');
  expect(await usesOf(code)).toBe(1);
  const { items } = (await owner.get(`/log?ticket=${idOf(code)}`)).json;
  const counted = items.filter(({ replayed }: { replayed: boolean }) => !replayed);
  expect(counted[0]).toMatchObject({ direction: 'out', done: 'opened', outcome: 'validated' });
});

test('it validates without a use, and reads an identifier as it is printed', async () => {
  const { service, owner } = at;
  const code = await service.mint({ kind: 'multi', uses: 2 });
  const printed = idOf(code)
    .toUpperCase()
    .replace(/(.{5})(.{5})$/, ' $1 $2');
  const checked = await owner.post('/scans', scanOf(printed, { operation: 'validate' }));
  expect(checked.json).toMatchObject({ valid: true, status: 'validated' });
  expect(await usesOf(code)).toBe(0);
  expect((await owner.post('/scans', scanOf(printed))).json.status).toBe('consumed');
  const forged = await owner.post('/scans', scanOf(`${code.slice(0, -1)}?`));
  expect(forged.json).toMatchObject({ valid: false, reason: 'invalid_ticket', ticket: null });
  const unknown = await owner.post('/scans', scanOf(`${idOf(code).slice(0, -3)}zzz`));
  expect([unknown.status, unknown.json.status]).toEqual([200, 'not_found']);
});

test.each([
  [{ requestId: 'short' }],
  [{ requestId: undefined }],
  [{ operation: 'admit' }],
  [{ ticketCode: '' }],
])('%j is refused before anything is used', async (wrong) => {
  expect((await at.owner.post('/scans', scanOf('x', wrong))).status).toBe(422);
});

test('it is in the log under the account, which counts for no key', async () => {
  const { service, owner } = at;
  const client = await scanner();
  const { id, name } = (await client.get('/sessions/current')).json.account;
  const code = await service.mint();
  const keysBefore = (await owner.get('/keys')).json.items;
  for (const one of [code, await service.mint()]) await client.post('/scans', scanOf(one));

  const { items } = (await owner.get(`/log?ticket=${idOf(code)}&key=${id}`)).json;
  expect(items).toMatchObject([{ keyId: id, serial: null, outcome: 'consumed' }]);
  const [entry] = await service.store.readLog({ ticketId: idOf(code), limit: 1 });
  // The command line knows of accounts only their names.
  const named = { id, name, organisationId: '', createdAt: 0 };
  const list = async (kind: string) =>
    kind === 'scanner' ? [named] : service.store.list(kind as 'event');
  const store = { list, findTicket: (ticket: string) => service.store.findTicket(ticket) };
  const explained = entry && (await explainLogEntry(store as EntryStore, entry));
  const because = Object.fromEntries(
    explained?.steps.map((step) => [step.rule, step.because]) ?? [],
  );
  expect(because).toMatchObject({
    key: `The account "${name}" scanned.`,
    scope: expect.stringMatching(/ was among those that the account may scan\.$/),
  });
  expect((await owner.get('/scanners')).json.items).toContainEqual({ id, name });
  expect((await owner.get('/keys')).json.items).toEqual(keysBefore);
  const gates = (await owner.get('/statistics')).json.byGate;
  expect(gates).toContainEqual(expect.objectContaining({ keyId: id }));
  const auditLog = await service.store.readAuditLog({ limit: 1000 });
  const first = auditLog.filter(
    ({ act, subject }) => act === 'account.first-scan' && subject === id,
  );
  expect(first).toHaveLength(1);
  expect((await service.store.verify()).problems).toEqual([]);
});

test('a viewer, a token, a key and another site scan nothing; a session is nothing to the endpoints for software', async () => {
  const { service, owner } = at;
  const code = await service.mint();
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const { cookie = '' } = await scanner();
  const { token } = (await owner.post('/access-tokens', { name: 'script', role: 'owner' })).json;
  const stranger = new AdminClient(service.url);
  const asStranger = (headers: Record<string, string | undefined>) =>
    stranger.request('POST', '/scans', scanOf(code), headers);

  const refused = [
    await viewer.post('/scans', scanOf(code)),
    await withToken(service.url, token)('POST', '/scans', scanOf(code)),
    await asStranger({ 'x-api-key': service.key('rest') }),
    await asStranger({ cookie, origin: 'https://evil.example' }),
    await asStranger({ cookie, origin: undefined }),
    await service.rest('consume', code, { 'x-api-key': '', cookie }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 401, 403, 403, 401]);
  expect(await usesOf(code)).toBe(0);
});

test('a scanner scans its events only, from the change on', async () => {
  const { service, owner } = at;
  const { main, other = '' } = service.seeded.events as Record<string, string>;
  const account = await makeAccount(service, 'north', 'scanner', undefined, [other]);
  const change = (what: object) => owner.patch(`/accounts/${account.id}`, what);
  const client = new AdminClient(service.url);
  await client.signIn('north');
  const code = await service.mint({}, main);
  const denied = await client.post('/scans', scanOf(code));
  const reason = 'event_not_allowed';
  expect([denied.status, denied.json]).toMatchObject([200, { valid: false, reason, ticket: null }]);
  expect((await change({ events: [main] })).json.events).toEqual([main]);
  expect((await client.post('/scans', scanOf(code))).json.valid).toBe(true);

  expect((await change({ events: ['zzzzzz'] })).status).toBe(404);
  const wider = (await change({ role: 'operator' })).json;
  expect(wider).toMatchObject({ role: 'operator', events: 'all' });
  expect((await change({ events: [main] })).status).toBe(422);
});

test('it scans no more as soon as its role is lowered or its account deleted; the log still names it', async () => {
  const { service, owner } = at;
  const { id } = await makeAccount(service, 'south', 'operator');
  const client = new AdminClient(service.url);
  await client.signIn('south');
  const code = await service.mint({ kind: 'permanent' });
  const scan = async () => (await client.post('/scans', scanOf(code))).status;
  expect(await scan()).toBe(200);
  await owner.patch(`/accounts/${id}`, { role: 'viewer' });
  expect(await scan()).toBe(403);
  await owner.patch(`/accounts/${id}`, { role: 'scanner' });
  expect(await scan()).toBe(200);
  await owner.delete(`/accounts/${id}`);
  expect(await scan()).toBe(401);
  expect(await usesOf(code)).toBe(2);
  expect((await owner.get('/scanners')).json.items).toContainEqual({ id, name: 'south' });
});

test('each account has the rate of one key for itself', async () => {
  const limits = { ratePerSecond: 1, burst: 2 };
  await using slow = await TestService.start({ store: 'memory', limits, ticketsPerState: 0 });
  const code = await slow.mint({ kind: 'permanent' });
  for (let account = 0; account < 2; account += 1) {
    const client = await AdminClient.signedIn(slow, 'scanner');
    const answers = [];
    for (let scan = 0; scan < 3; scan += 1) answers.push(await client.post('/scans', scanOf(code)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.headers.get('retry-after')).toBe('1');
  }
  expect((await slow.rest('validate', code)).status).toBe(200);
});

test('a code that the reader changed is refused, and told as genuine with what to set', async () => {
  const { service, owner } = at;
  const code = await service.mint();
  const layout: Record<string, string> = { y: 'z', z: 'y', Y: 'Z', Z: 'Y', _: '?' };
  const arrived = code.replace(/[yz_-]/giu, (sign) => layout[sign] ?? 'ß');
  for (const text of [arrived, `]Q1${code}`, `${code}${code}`]) {
    const { json } = await owner.post('/scans', scanOf(text));
    expect(json).toMatchObject({ valid: false, reason: 'invalid_ticket' });
    expect(json.hint, text).toMatch(/genuine code is inside.*reader/u);
  }
  const german = await owner.request('POST', '/scans', scanOf(arrived), {
    'accept-language': 'de',
  });
  expect(german.json.hint).toMatch(/nicht gefälscht.*Tastaturbelegung/u);

  const forged = `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`;
  expect((await owner.post('/scans', scanOf(forged))).json.hint).toBeNull();
  expect(await usesOf(code)).toBe(0);
  expect((await owner.post('/scans', scanOf(code))).json).toMatchObject({
    valid: true,
    hint: null,
  });
});
