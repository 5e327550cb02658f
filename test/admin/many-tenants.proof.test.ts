import { expect, test } from 'vitest';
import type { AdministrativeRecord } from '../../src/core/administrative-records.ts';
import { HOUR_MS } from '../../src/kit/durations.ts';
import type { RecordChange } from '../../src/stores/record-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { longestTurnMs } from '../support/processor-time.ts';
import { created, putAdministrative } from '../support/records.ts';
import { TestService } from '../support/service.ts';
import { isWhole } from '../support/whole.ts';
import { type AdminAnswer, AdminClient, makeAccount, redeemAsPhone } from './support/client.ts';

const SIZES = {
  organisations: 2000,
  events: 20_000,
  keys: 10_000,
  accounts: 500,
  sessions: 10_000,
  pairings: 5000,
  webhooks: 5000,
};
const WEBHOOK = { name: 'Own', url: 'https://example.com/hook' };
const AT_ONCE = 500;
/** What a request handler may hold the gates' thread for. */
const TURN_MS_MAX = 20;
/** The smallest of so many is the handler's; the others have something else in them, such as a collection of garbage. */
const MEASURES = 5;
const OWN_EVENTS = 2000;
/** More rows than one list of the organisation has, and fewer than others have of any kind but organisations. */
const ROWS_MAX = 4000;

const DEAREST: Readonly<Record<string, string>> = {
  '/events': '/events?archived=true&limit=200',
  '/keys': '/keys?limit=200',
  '/tickets': '/tickets?limit=1000',
  '/log': '/log?limit=1000',
  '/audit-log': '/audit-log?limit=1000',
};

const idAt = (index: number) => `b${String(index).padStart(7, '0')}`;

function* manyRecords(own: string): Generator<RecordChange> {
  const limits = { ratePerSecond: 50, burst: 100, quotaPerMonth: 500_000, keysMax: 1000 };
  const owner = (index: number) => `org_many${index % SIZES.organisations}`;
  for (let index = 0; index < SIZES.organisations; index += 1) {
    const organisation = { id: owner(index), name: `Tenant ${index}`, limits, createdAt: 0 };
    yield created('organisation', organisation);
  }
  for (let index = 0; index < SIZES.events; index += 1) {
    const organisationId = index < OWN_EVENTS ? own : owner(index);
    const times = { createdAt: 0, archivedAt: null };
    yield created('event', { id: idAt(index), organisationId, name: `Event ${index}`, ...times });
  }
  for (let index = 0; index < SIZES.keys; index += 1) {
    const door = { relay: 'auto', openSeconds: 5 } as const;
    const plain = { type: 'api', events: 'all', active: true, createdAt: 0 } as const;
    const [id, name] = [`key_many${index}`, `Key ${index}`];
    yield created('key', { id, organisationId: owner(index), name, ...plain, ...door });
  }
}

/** Sessions and pairings that last, and webhooks that are paused: no job removes or serves them while requests are measured. */
function* manyAdministrative(now: number): Generator<AdministrativeRecord> {
  const account = (index: number) => `acc_many${index % SIZES.accounts}`;
  for (let index = 0; index < SIZES.sessions; index += 1) {
    const accountId = account(index);
    const times = { createdAt: now, lastSeenAt: now };
    const value = { accountName: accountId, accountId, passwordSalt: 'x', ...times };
    yield { kind: 'session', id: `session${index}`, revision: 0, value };
  }
  for (let index = 0; index < SIZES.pairings; index += 1) {
    const createdBy = account(index);
    const expiresAt = now + HOUR_MS;
    const value = { id: `pair_${index}`, createdBy, accountId: createdBy, expiresAt, asked: null };
    yield { kind: 'pairing', id: `pairing${index}`, revision: 0, value };
  }
  for (let index = 0; index < SIZES.webhooks; index += 1) {
    const id = `wh_many${index}`;
    const value = {
      id,
      organisationId: `org_many${index % SIZES.organisations}`,
      name: `Webhook ${index}`,
      url: 'https://example.com/',
      events: ['scan.granted'],
      active: false,
      secrets: [{ value: 'x', until: null }],
      createdAt: now,
      enabledAt: now,
      startAfter: 0,
      startAfterNotice: 0,
    };
    yield { kind: 'webhook', id, revision: 0, value };
    yield { kind: 'webhook-progress', id, revision: 0, value: { deliveries: [] } };
  }
}

async function fill(service: TestService, own: string): Promise<void> {
  await service.administration.organisations.edit(own, { eventsMax: OWN_EVENTS * 2 });
  let records: RecordChange[] = [];
  const write = async () => {
    await service.store.write({ records, audit: [AN_AUDIT_ENTRY] });
    records = [];
  };
  for (const record of manyRecords(own)) {
    records.push(record);
    if (records.length === AT_ONCE) await write();
  }
  await write();
  let administrative: AdministrativeRecord[] = [];
  for (const record of manyAdministrative(service.clock.now())) {
    administrative.push(record);
    if (administrative.length < AT_ONCE) continue;
    await service.store.write({ administrative, audit: [] });
    administrative = [];
  }
  for (let index = 0; index < SIZES.accounts; index += 1) {
    const name = `guest ${index}`;
    const organisationId = `org_many${index}`;
    await putAdministrative(service.store, 'account', name, {
      id: `acc_many${index}`,
      name,
      role: 'viewer',
      organisationId,
      createdAt: 0,
      password: { salt: 'x', hash: 'x', cost: 2, blockSize: 1, parallelization: 1 },
    });
  }
}

/** A pairing that is ended at once: an account has few open ones. */
async function pairingMade(owner: AdminClient): Promise<AdminAnswer> {
  const answer = await owner.post('/pairings', {});
  await owner.request('DELETE', `/pairings/${answer.json.id}`);
  return answer;
}

/**
 * The most rows that one list of the store answers while `work` is done: whatever the machine, others' rows show here. It sees the lists of
 * sign-in, sessions and pairings only; test/scripts/reads-of-everybody.test.ts names those of operations.
 */
async function rowsRead(store: Store, work: () => Promise<unknown>): Promise<number> {
  const list = store.list.bind(store);
  let most = 0;
  store.list = async (kind, filter) => {
    const rows = await list(kind, filter);
    most = Math.max(most, rows.length);
    return rows;
  };
  try {
    await work();
    return most;
  } finally {
    store.list = list;
  }
}

/** The longest turn of one of several tries that are alike. */
async function handlerMs(work: () => Promise<unknown>): Promise<number> {
  const found: number[] = [];
  for (let index = 0; index < MEASURES; index += 1) found.push(await longestTurnMs(work));
  return Math.min(...found);
}

/** What differs between them is the store's part, which the pages of records ask in the same way. */
const ENGINES_ASKED = isWhole() ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

test.each(ENGINES_ASKED)(
  'on %s no request holds the gates up, however much other organisations have',
  async (engine) => {
    await using service = await TestService.start({ store: engine });
    const { store } = service;
    const [own] = await store.list('organisation');
    const owner = await AdminClient.signedIn(service, 'owner', own!.id);
    await fill(service, own!.id);
    const [key] = await store.list('key', { organisationId: own!.id });
    const [ticket] = await store.listTickets({ eventId: service.seeded.events.main, limit: 1 });
    const idIn = (path: string) =>
      path.startsWith('/keys') ? key!.id : path.startsWith('/tickets') ? ticket!.id : idAt(1);
    const paths = service.routes
      .filter((route) => route.startsWith('GET /admin/v1/') && !route.includes('/live'))
      .map((route) => route.replace('GET /admin/v1', ''))
      .map(
        (path) => DEAREST[path] ?? path.replace(':id', idIn(path)).replace(':hash', 'a'.repeat(64)),
      );
    const slow: string[] = [];
    for (const path of paths) {
      // Modules are loaded and compiled at the first request.
      await owner.get(path);
      const four = () => Promise.all([1, 2, 3, 4].map(() => owner.get(path)));
      const rows = await rowsRead(store, () => owner.get(path));
      if (rows > ROWS_MAX) slow.push(`GET ${path}: ${rows} rows`);
      const ms = await handlerMs(four);
      if (ms > TURN_MS_MAX) slow.push(`GET ${path}: ${ms.toFixed(1)} ms`);
    }
    const { token } = (await owner.post('/pairings', {})).json;
    const { phone: waiting } = await redeemAsPhone(service.url, token);
    const ticketCode = await service.mint();
    await makeAccount(service, 'somebody', 'viewer', own!.id);
    const requestId = () => crypto.randomUUID();
    let made = 0;
    const another = (what: string) => {
      made += 1;
      return `${what} ${made}`;
    };
    const webhook = await owner.post('/webhooks', WEBHOOK);
    const changes: readonly (readonly [string, () => Promise<AdminAnswer>])[] = [
      [
        'POST /scans',
        () =>
          owner.post('/scans', {
            ticketCode,
            operation: 'validate',
            requestId: requestId(),
          }),
      ],
      ['PATCH /events', () => owner.patch(`/events/${idAt(2)}`, { name: another('Renamed') })],
      ['POST /events', () => owner.post('/events', { name: another('Event made') })],
      ['POST /tickets', () => owner.post('/tickets', { event: idAt(3), type: 'single', count: 1 })],
      ['POST /keys', () => owner.post('/keys', { name: 'x', type: 'api', events: [idAt(3)] })],
      ['PATCH /keys', () => owner.patch(`/keys/${key!.id}`, { name: another('Key') })],
      ['POST /key-rotations', () => owner.post(`/key-rotations/${key!.id}`, {})],
      ['PATCH /organisation', () => owner.patch('/organisation', { name: another('Renamed') })],
      [
        'PATCH /webhooks',
        () => owner.patch(`/webhooks/${webhook.json.id}`, { name: another('W') }),
      ],
      [
        'POST /access-tokens',
        () => owner.post('/access-tokens', { name: another('T'), role: 'viewer' }),
      ],
      ['POST /sessions', () => new AdminClient(service.url).signIn('somebody')],
      ['POST /pairings', () => pairingMade(owner)],
      ['GET /redemptions/current', () => waiting.get('/redemptions/current')],
    ];
    for (const [name, change] of changes) {
      const { status, text } = await change();
      if (status >= 300) slow.push(`${name}: ${status} ${text}`);
      const rows = await rowsRead(store, change);
      if (rows > ROWS_MAX) slow.push(`${name}: ${rows} rows`);
      const ms = await handlerMs(change);
      if (ms > TURN_MS_MAX) slow.push(`${name}: ${ms.toFixed(1)} ms`);
    }
    expect(slow).toEqual([]);

    const page = (await owner.get('/events?archived=true')).json;
    expect(page.items).toHaveLength(200);
    const rest = (await owner.get(`/events?archived=true&after=${page.next}`)).json;
    expect(rest.items).toHaveLength(200);
    expect((await owner.get('/events?limit=201')).status).not.toBe(200);
    // Of another organisation.
    expect((await owner.get(`/events?after=${idAt(SIZES.events - 1)}`)).status).toBe(404);
  },
);
