import { expect, test } from 'vitest';
import type { RecordChange } from '../../src/stores/record-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { longestTurnMs } from '../support/processor-time.ts';
import { created, putDocument } from '../support/records.ts';
import { TestService } from '../support/service.ts';
import { isWhole } from '../support/whole.ts';
import { AdminClient } from './support/client.ts';

const SIZES = { organisations: 2000, events: 20_000, keys: 10_000, accounts: 500 };
const AT_ONCE = 500;
/** What a request handler may hold the gates' thread for. */
const TURN_MS_MAX = 20;
/** The smallest of so many is the handler's; the others have something else in them, such as a collection of garbage. */
const MEASURES = 5;
const OWN_EVENTS = 2000;

const DEAREST: Readonly<Record<string, string>> = {
  '/events': '/events?archived=true&limit=200',
  '/keys': '/keys?limit=200',
  '/tickets': '/tickets?limit=1000',
  '/log': '/log?limit=1000',
  '/audit-trail': '/audit-trail?limit=1000',
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

async function fill(service: TestService, own: string): Promise<void> {
  await service.administration.editOrganisation(own, { eventsMax: OWN_EVENTS * 2 });
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
  for (let index = 0; index < SIZES.accounts; index += 1) {
    const name = `guest ${index}`;
    const organisationId = `org_many${index}`;
    await putDocument(service.store, 'account', name, {
      id: `acc_many${index}`,
      name,
      role: 'viewer',
      organisationId,
      createdAt: 0,
      password: { salt: 'x', hash: 'x', cost: 2, blockSize: 1, parallelization: 1 },
    });
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
  { timeout: 600_000 },
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
      const ms = await handlerMs(four);
      if (ms > TURN_MS_MAX) slow.push(`GET ${path}: ${ms.toFixed(1)} ms`);
    }
    const requestId = () => crypto.randomUUID();
    const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
      [
        'POST /scans',
        () =>
          owner.post('/scans', {
            ticket: ticket!.id,
            operation: 'validate',
            requestId: requestId(),
          }),
      ],
      ['PATCH /events', () => owner.patch(`/events/${idAt(2)}`, { name: 'New name' })],
      ['POST /tickets', () => owner.post('/tickets', { event: idAt(3), type: 'single', count: 1 })],
      ['POST /keys', () => owner.post('/keys', { name: 'x', type: 'api', events: [idAt(3)] })],
    ];
    for (const [name, change] of changes) {
      await change();
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
