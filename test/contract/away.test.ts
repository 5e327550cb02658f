import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../src/core/records.ts';
import type { StoreMethod } from '../../src/stores/forwarding-store.ts';
import { SqliteEngine } from '../../src/stores/sqlite/sqlite-engine.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { created } from '../support/records.ts';
import { AWAY, makeSite, putHome, relayed, rowOf, undoOf, useOf } from '../support/sites.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

/** What a method does to a ticket, an event or a key: at a centre whose event is away, and at a site that decides the event. */
interface Doing {
  /** `notes` tells the site; `refuses` leaves it to the home, or to the centre; `allowed` is for other reasons nobody's loss. */
  readonly away: 'notes' | 'refuses' | 'allowed';
  readonly site: 'refuses' | 'allowed';
  readonly act: (gate: TestStore, subject: Subject) => Promise<unknown>;
}

interface Subject {
  /** A ticket of two uses, of which one was taken; the entry has the number 1. */
  readonly id: string;
  readonly unused: string;
  readonly event: EventRecord;
}

const audit = [AN_AUDIT_ENTRY];
const AT = 1_800_000_000_000;

const deleting = (gate: TestStore, what: 'event' | 'organisation', id: string) =>
  gate.store.beginDeletion(
    { what, id, name: 'Pool', timeZone: 'UTC', accounts: [], ended: AN_AUDIT_ENTRY },
    AN_AUDIT_ENTRY,
  );

/** It changes no ticket, event or key, or it is part of what sites and their centre do. */
const ELSEWHERE_PROVED = 'elsewhere proved';
const READS = 'reads';

const TABLE: Record<StoreMethod, Doing | typeof READS | typeof ELSEWHERE_PROVED> = {
  write: {
    away: 'allowed',
    site: 'refuses',
    act: (gate, { event }) =>
      gate.store.write({
        records: [{ kind: 'event', before: event, after: { ...event, name: 'Baths' } }],
        audit,
      }),
  },
  insertTickets: { away: 'notes', site: 'refuses', act: (gate) => gate.mint() },
  cancelTickets: {
    away: 'notes',
    site: 'refuses',
    act: (gate, { id }) => gate.store.cancelTickets([id], AT, AN_AUDIT_ENTRY),
  },
  editTicket: {
    away: 'notes',
    site: 'refuses',
    act: (gate, { id }) => gate.store.editTicket(id, { validUntil: AT }, AN_AUDIT_ENTRY),
  },
  eraseHolders: {
    away: 'notes',
    // What a site erases is erased there; the centre tells it what is to be.
    site: 'allowed',
    act: (gate, { id }) => gate.store.eraseHolders([id], AN_AUDIT_ENTRY),
  },
  replaceTicket: {
    away: 'refuses',
    site: 'refuses',
    act: (gate, { id }) => gate.store.replaceTicket(id, `${id.slice(0, -3)}abc`, AN_AUDIT_ENTRY),
  },
  deleteTickets: {
    away: 'refuses',
    site: 'refuses',
    act: (gate, { unused }) => gate.store.deleteTickets([unused], 1, AN_AUDIT_ENTRY),
  },
  undoUse: {
    away: 'refuses',
    // The site is the home of the event.
    site: 'allowed',
    act: (gate) =>
      gate.store.undoUse({ sequence: 1, at: AT, by: 'Anna', reason: 'x' }, AN_AUDIT_ENTRY),
  },
  beginDeletion: {
    away: 'refuses',
    site: 'refuses',
    act: (gate, { event }) => deleting(gate, 'event', event.id),
  },
  commitScans: ELSEWHERE_PROVED,
  relayUndo: ELSEWHERE_PROVED,
  moveHeld: ELSEWHERE_PROVED,
  putSiteRecords: ELSEWHERE_PROVED,
  putSiteTickets: ELSEWHERE_PROVED,
  forgetSite: ELSEWHERE_PROVED,
  noteInForce: ELSEWHERE_PROVED,
  dropSiteChanges: ELSEWHERE_PROVED,
  pruneLog: ELSEWHERE_PROVED,
  // Only what `beginDeletion` allowed is continued.
  continueDeletion: ELSEWHERE_PROVED,
  // People inside are counted anew wherever somebody resets them.
  resetOccupancy: ELSEWHERE_PROVED,
  importRecords: ELSEWHERE_PROVED,
  endImport: ELSEWHERE_PROVED,
  purgeErased: ELSEWHERE_PROVED,
  read: READS,
  list: READS,
  findKeyByHash: READS,
  findKeysByHash: READS,
  requestsInMonth: READS,
  keyLastUsedAt: READS,
  keyUses: READS,
  listOccupancy: READS,
  knownReferences: READS,
  ticketsWithReferences: READS,
  findTicket: READS,
  findTickets: READS,
  listTickets: READS,
  searchTickets: READS,
  countTickets: READS,
  countTicketsOf: READS,
  readAuditLog: READS,
  readLog: READS,
  searchLog: READS,
  countOutcomes: READS,
  sumScans: READS,
  listUndos: READS,
  listDevices: READS,
  listSiteChanges: READS,
  newestSiteChange: READS,
  siteChangesOf: READS,
  storedKeys: READS,
  ownerOfKey: READS,
  prunableLog: READS,
  beginSnapshot: READS,
  readSnapshot: READS,
  endSnapshot: READS,
  unfinishedCopy: READS,
  verify: READS,
  info: READS,
  checkWritable: READS,
  close: READS,
};

const DOING = Object.entries(TABLE).flatMap(([method, doing]) =>
  typeof doing === 'string' ? [] : [[method, doing] as const],
);

test('the table has every method of a store', async () => {
  const engine = new SqliteEngine(':memory:');
  const methods = new Set<string>();
  for (let one: object = engine; one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one)))
      if (typeof value === 'function' && name !== 'constructor') methods.add(name);
  }
  await engine.close();
  const own = [
    'changeAnything',
    'withDeadline',
    'withoutDeadline',
    'runAlone',
    'flushIfDue',
    'inTransaction',
  ];
  expect([...methods].filter((name) => !own.includes(name)).sort()).toEqual(
    Object.keys(TABLE).sort(),
  );
});

async function subjectOf(gate: TestStore): Promise<Subject> {
  const { id } = await gate.mint({
    kind: 'multi',
    uses: 2,
    firstName: 'Ada',
    lastName: 'Lovelace',
  });
  const unused = await gate.mint();
  await gate.consume(id);
  const event = await gate.store.read('event', gate.eventId);
  if (!event) throw new Error('there is an event');
  return { id, unused: unused.id, event };
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'allowed',
    (error) => (error.code === 'conflict' ? 'refuses' : String(error)),
  );
}

const stateOf = async (gate: TestStore) => [
  await gate.store.listTickets({ limit: 100 }),
  await gate.store.list('event'),
  await gate.store.list('key'),
];

describe.each(ENGINES)('%s', (engine) => {
  test.each(DOING)('%s of an event that is away', async (_method, { away, act }) => {
    await using gate = await TestStore.open(engine);
    const subject = await subjectOf(gate);
    await putHome(gate, AWAY);
    const before = await stateOf(gate);

    const outcome = await outcomeOf(act(gate, subject));

    expect(outcome).toBe(away === 'refuses' ? 'refuses' : 'allowed');
    const search = { eventIds: [gate.eventId], after: 0, limit: 10 };
    expect(await gate.store.listSiteChanges(search)).toHaveLength(away === 'notes' ? 1 : 0);
    if (away === 'refuses') expect(await stateOf(gate)).toEqual(before);
  });

  test.each(DOING)('%s at a site', async (_method, { site, act }) => {
    await using gate = await TestStore.open(engine);
    const subject = await subjectOf(gate);
    await makeSite(gate, { epoch: 1, isOpen: true, after: 0 });
    const before = await stateOf(gate);

    expect(await outcomeOf(act(gate, subject))).toBe(site);

    if (site === 'refuses') expect(await stateOf(gate)).toEqual(before);
  });

  test.each(['event', 'key', 'organisation'] as const)(
    'a new %s is made at the centre',
    async (kind) => {
      await using gate = await TestStore.open(engine);
      const [record] = await gate.store.list(kind);
      await makeSite(gate);
      const change = created(
        kind as 'event',
        { ...record, id: 'new1234567', name: 'New' } as never,
      );
      expect(await outcomeOf(gate.store.write({ records: [change], audit }))).toBe('refuses');
      expect(await gate.store.list(kind)).toHaveLength(1);
    },
  );

  test('an organisation is not deleted while one of its events is away', async () => {
    await using gate = await TestStore.open(engine);
    const { event } = await subjectOf(gate);
    await putHome(gate, AWAY);
    const work = deleting(gate, 'organisation', event.organisationId);
    expect(await outcomeOf(work)).toBe('refuses');
    expect(await gate.store.list('event')).toHaveLength(1);
  });

  test('an event without tickets is not deleted while it is away', async () => {
    await using gate = await TestStore.open(engine);
    const event = await gate.store.read('event', gate.eventId);
    await putHome(gate, AWAY);
    const change = { kind: 'event', before: event, after: null } as never;
    expect(await outcomeOf(gate.store.write({ records: [change], audit }))).toBe('refuses');
    await putHome(gate, { at: 'centre', epoch: 1 });
    expect(await outcomeOf(gate.store.write({ records: [change], audit }))).toBe('allowed');
  });

  test('how many uses a ticket has is changed at home', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await subjectOf(gate);
    await putHome(gate, { at: 'centre', epoch: 3 });
    const edit = () => gate.store.editTicket(id, { usesAllowed: 7 }, AN_AUDIT_ENTRY);
    expect(await outcomeOf(edit())).toBe('allowed');
    await putHome(gate, { ...AWAY, at: 'returning', epoch: 4 });
    const more = gate.store.editTicket(id, { usesAllowed: 9 }, AN_AUDIT_ENTRY);
    expect(await outcomeOf(more)).toBe('refuses');
    expect(await gate.store.findTicket(id)).toMatchObject({ usesAllowed: 7 });
  });

  test('a row that a centre keeps is no change for a site', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await subjectOf(gate);
    await putHome(gate, AWAY);
    await gate.scan(relayed(gate, rowOf(1), useOf(gate, id)));
    await gate.store.relayUndo(rowOf(2), undoOf(gate, id, 1));
    expect(await gate.store.newestSiteChange()).toBe(0);
  });
});
