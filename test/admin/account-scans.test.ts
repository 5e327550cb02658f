import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient, makeAccount } from './support/client.ts';

let service: TestService;
let owner: AdminClient;
let scanner: AdminClient;
beforeAll(async () => {
  service = await TestService.start({ ticketsPerState: 1 });
  owner = await AdminClient.signedIn(service);
  scanner = await AdminClient.signedIn(service, 'scanner');
});
afterAll(() => service[Symbol.asyncDispose]());

const scanOf = (ticketCode: string, more: object = {}) => ({
  operation: 'consume',
  ticketCode,
  requestId: randomUUID(),
  ...more,
});
const idOf = (code: string) => code.split('.')[1] ?? '';
const usesOf = async (code: string) => (await service.store.findTicket(idOf(code)))?.usesConsumed;
const me = async (client: AdminClient) => (await client.get('/sessions/current')).json.account;

describe('a scan by somebody who is signed in', () => {
  test('admits, says whom, and when and where the ticket was used before', async () => {
    const code = await service.mint({ firstName: 'Ada', lastName: 'Lovelace' });
    const first = await scanner.post('/scans', scanOf(code));
    expect([first.status, first.json]).toMatchObject([
      200,
      {
        valid: true,
        status: 'consumed',
        ticket: {
          ticketId: idOf(code),
          usesRemaining: 0,
          holder: { firstName: 'Ada', lastName: 'Lovelace' },
          event: service.seeded.events.main,
        },
        lastUse: null,
      },
    ]);
    service.clock.advance(60_000);
    const again = await scanner.post('/scans', scanOf(code));
    const { name } = await me(scanner);
    expect(again.json).toMatchObject({
      valid: false,
      status: 'exhausted',
      ticket: { holder: { lastName: 'Lovelace' } },
      lastUse: { at: first.json.scannedAt, gate: name },
    });
    const byKey = await service.mint();
    await service.card('consume', byKey);
    const denied = await scanner.post('/scans', scanOf(byKey));
    expect(denied.json.lastUse).toMatchObject({ gate: 'S-1' });
  });

  test('names no last use of a cancelled ticket whose only use was taken back', async () => {
    const code = await service.mint();
    const used = await scanner.post('/scans', scanOf(code));
    const [entry] = (await owner.get(`/log?ticket=${idOf(code)}`)).json.items;
    const undone = await owner.post(`/log/${entry.sequence}/undo`, { reason: 'wrong gate' });
    expect(undone.status).toBeLessThan(300);
    await owner.post('/tickets/cancel', { ids: [idOf(code)] });

    for (const operation of ['consume', 'validate']) {
      const { json } = await scanner.post('/scans', scanOf(code, { operation }));
      expect(json).toMatchObject({ reason: 'ticket_cancelled', lastUse: null });
    }
    const asked = await owner.get(`/tickets/${idOf(code)}/last-use`);
    expect([asked.status, asked.json.lastUse]).toEqual([200, null]);
    expect(used.json.status).toBe('consumed');
  });

  test('takes one use for each request id, however often it is sent, also at once', async () => {
    const code = await service.mint({ kind: 'multi', uses: 5 });
    const scan = scanOf(code);
    const answers = await Promise.all([1, 2, 3, 4].map(() => scanner.post('/scans', scan)));
    const later = await scanner.post('/scans', scan);
    for (const { json } of [...answers, later]) {
      expect(json).toEqual(answers[0]?.json);
      expect(json.valid).toBe(true);
    }
    expect(await usesOf(code)).toBe(1);
    const other = { ...scan, ticketCode: await service.mint() };
    expect((await scanner.post('/scans', other)).status).toBe(422);
    // Another account's request of the same id is another scan.
    expect((await owner.post('/scans', scan)).json.status).toBe('consumed');
    expect(await usesOf(code)).toBe(2);
  });

  test('validates without a use, and reads an identifier as it is printed', async () => {
    const code = await service.mint({ kind: 'multi', uses: 2 });
    const printed = idOf(code)
      .toUpperCase()
      .replace(/(.{5})(.{5})$/, ' $1 $2');
    const checked = await scanner.post('/scans', scanOf(printed, { operation: 'validate' }));
    expect(checked.json).toMatchObject({ valid: true, status: 'validated' });
    expect(await usesOf(code)).toBe(0);
    expect((await scanner.post('/scans', scanOf(printed))).json.status).toBe('consumed');
    const forged = await scanner.post('/scans', scanOf(`${code.slice(0, -1)}?`));
    expect(forged.json).toMatchObject({ valid: false, reason: 'invalid_ticket', ticket: null });
    const unknown = await scanner.post('/scans', scanOf(`${idOf(code).slice(0, -3)}zzz`));
    expect([unknown.status, unknown.json.status]).toEqual([200, 'not_found']);
  });

  test.each([
    [{ requestId: 'short' }],
    [{ requestId: undefined }],
    [{ operation: 'admit' }],
    [{ ticketCode: '' }],
  ])('%j is refused before anything is used', async (wrong) => {
    expect((await scanner.post('/scans', scanOf('x', wrong))).status).toBe(422);
  });

  test('is in the log under the account, which counts for no key', async () => {
    const { id, name } = await me(scanner);
    const code = await service.mint();
    const keysBefore = (await owner.get('/keys')).json.items;
    await scanner.post('/scans', scanOf(code));
    const { items } = (await owner.get(`/log?ticket=${idOf(code)}&key=${id}`)).json;
    expect(items).toMatchObject([{ keyId: id, serial: null, outcome: 'consumed' }]);
    expect((await owner.get('/scanners')).json.items).toContainEqual({ id, name });
    expect((await owner.get('/keys')).json.items).toEqual(keysBefore);
    const gates = (await owner.get('/statistics')).json.byGate;
    expect(gates).toContainEqual(expect.objectContaining({ keyId: id }));
    const trail = await service.store.readAuditLog({ limit: 1000 });
    const firsts = trail.filter(
      ({ act, subject }) => act === 'account.first-scan' && subject === id,
    );
    expect(firsts).toHaveLength(1);
    expect((await service.store.verify()).problems).toEqual([]);
  });

  test('a viewer, an access token, a key and another site scan nothing', async () => {
    const code = await service.mint();
    const viewer = await AdminClient.signedIn(service, 'viewer');
    expect((await viewer.post('/scans', scanOf(code))).status).toBe(403);
    const { token } = (await owner.post('/access-tokens', { name: 'script', role: 'owner' })).json;
    const stranger = new AdminClient(service.url);
    const tries: Record<string, string | undefined>[] = [
      { authorization: `Bearer ${token}` },
      { 'x-api-key': service.key('rest') },
      { cookie: scanner.cookie, origin: 'https://evil.example' },
      { cookie: scanner.cookie, origin: undefined },
    ];
    for (const headers of tries) {
      const { status } = await stranger.request('POST', '/scans', scanOf(code), headers);
      expect([401, 403]).toContain(status);
    }
    // A session is nothing to the endpoints for software.
    const { status } = await service.rest('consume', code, {
      'x-api-key': '',
      cookie: scanner.cookie ?? '',
    });
    expect(status).toBe(401);
    expect(await usesOf(code)).toBe(0);
  });
});

describe('a scanner', () => {
  test('scans its events only, from the change on', async () => {
    const { main, other } = service.seeded.events as Record<string, string>;
    const account = await makeAccount(service, 'north', 'scanner', undefined, [other ?? '']);
    const client = new AdminClient(service.url);
    await client.signIn('north');
    const code = await service.mint({}, main);
    const denied = await client.post('/scans', scanOf(code));
    expect([denied.status, denied.json]).toMatchObject([
      200,
      { valid: false, reason: 'event_not_allowed', ticket: null },
    ]);
    const changed = await owner.patch(`/accounts/${account.id}`, { events: [main] });
    expect(changed.json.events).toEqual([main]);
    expect((await client.post('/scans', scanOf(code))).json.valid).toBe(true);

    expect((await owner.patch(`/accounts/${account.id}`, { events: ['zzzzzz'] })).status).toBe(404);
    const wider = await owner.patch(`/accounts/${account.id}`, { role: 'operator' });
    expect(wider.json).toMatchObject({ role: 'operator', events: 'all' });
    expect((await owner.patch(`/accounts/${account.id}`, { events: [main] })).status).toBe(422);
  });

  test('scans no more as soon as its role is lowered, its session ended or its account deleted', async () => {
    const account = await makeAccount(service, 'south', 'operator');
    const client = new AdminClient(service.url);
    await client.signIn('south');
    const code = await service.mint({ kind: 'permanent' });
    expect((await client.post('/scans', scanOf(code))).json.valid).toBe(true);
    await owner.patch(`/accounts/${account.id}`, { role: 'viewer' });
    expect((await client.post('/scans', scanOf(code))).status).toBe(403);
    await owner.patch(`/accounts/${account.id}`, { role: 'scanner' });
    expect((await client.post('/scans', scanOf(code))).json.valid).toBe(true);
    await owner.delete(`/accounts/${account.id}`);
    expect((await client.post('/scans', scanOf(code))).status).toBe(401);
    expect(await usesOf(code)).toBe(2);
    // The log still names it.
    expect((await owner.get('/scanners')).json.items).toContainEqual({
      id: account.id,
      name: 'south',
    });
  });

  test('has the rate of one key for itself', async () => {
    await using slow = await TestService.start({
      limits: { ratePerSecond: 1, burst: 2 },
      ticketsPerState: 0,
    });
    const one = await AdminClient.signedIn(slow, 'scanner');
    const two = await AdminClient.signedIn(slow, 'scanner');
    const code = await slow.mint({ kind: 'permanent' });
    for (const client of [one, two]) {
      expect((await client.post('/scans', scanOf(code))).status).toBe(200);
      expect((await client.post('/scans', scanOf(code))).status).toBe(200);
      const limited = await client.post('/scans', scanOf(code));
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    }
    expect((await slow.rest('validate', code)).status).toBe(200);
  });
});
