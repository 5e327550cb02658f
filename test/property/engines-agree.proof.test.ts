import { describe, expect, test } from 'vitest';
import { TicketscanError } from '../../src/core/errors.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { ApiKeyRecord } from '../../src/core/records.ts';
import type { BatchRequest, ScanRequest } from '../../src/core/scan-requests.ts';
import type { NewTicket } from '../../src/core/ticket.ts';
import type { InsertOptions } from '../../src/stores/record-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { fc } from '../support/fast-check.ts';
import { deleteKey, editKey, editOrganisation } from '../support/records.ts';
import { ENGINES, everyDevice, TestStore } from '../support/stores.ts';
import { ReferenceStore } from './support/reference-store.ts';

const START = Date.UTC(2026, 6, 31, 23, 59, 59);
const EVENTS = ['aaaaaa', 'bbbbbb', 'cccccc'] as const;
const KEYS = ['key_1', 'key_2', 'key_3'] as const;
const limits = { ...DEFAULT_LIMITS, quotaPerMonth: 60 };

const ticketId = (number: number) =>
  `tkt_${EVENTS[number % EVENTS.length]}_${String(number).padStart(20, '0')}`;

/** What the histories ask of a store. */
type Asked = Store | ReferenceStore;

type Step =
  | { readonly kind: 'scan'; readonly requests: readonly BatchRequest[] }
  | {
      readonly kind: 'mint';
      readonly tickets: readonly NewTicket[];
      readonly existing: 'refuse' | 'skip';
      readonly references: 'unique' | undefined;
    }
  | { readonly kind: 'cancel'; readonly ticket: number; readonly at: number }
  | { readonly kind: 'edit'; readonly key: string; readonly changes: Partial<ApiKeyRecord> }
  | { readonly kind: 'create' | 'delete'; readonly key: string }
  | { readonly kind: 'quota'; readonly quotaPerMonth: number }
  | { readonly kind: 'reopen' };

const now = fc.integer({ min: -3000, max: 3000 }).map((offset) => START + offset);
const key = fc.constantFrom(...KEYS);
const ticket = fc.nat({ max: 11 });
/** A set: the interface promises no order, so there is one order here. */
const events = fc.constantFrom('all' as const, ['aaaaaa'], ['bbbbbb'], ['aaaaaa', 'bbbbbb']);

const subject = fc.oneof(
  { weight: 8, arbitrary: ticket.map((n) => subjectOf(n)) },
  fc.constant({ kind: 'forged', excerpt: 'TS1.…' } as const),
  fc.constantFrom(
    { kind: 'unreadable' } as const,
    {
      kind: 'unreadable',
      issue: 'not_json',
    } as const,
  ),
  fc.constant({ kind: 'bad_retry_name' } as const),
);

function subjectOf(number: number) {
  const id = ticketId(number);
  return { kind: 'ticket', ticketId: id, eventId: id.split('_')[1] ?? '' } as const;
}

/** `now` and the end of a retry are milliseconds after the request before: a clock that runs on. */
const asker = { keyId: key, now: fc.integer({ min: 0, max: 100 }) };

const scan: fc.Arbitrary<ScanRequest> = fc.record({
  kind: fc.constant('scan'),
  ...asker,
  operation: fc.constantFrom('validate' as const, 'consume' as const),
  subject,
  serial: fc.constantFrom(null, 's1', 'é "x"\n'),
  reader: fc.constantFrom(null, '0', '1'),
  retry: fc.option(
    fc.record({
      name: fc.constantFrom('n1', 'n2'),
      bodyHash: fc.constantFrom('h1', 'h2'),
      expiresAt: fc.integer({ min: 0, max: 2000 }),
      language: fc.constantFrom('en' as const, 'de' as const),
    }),
    { freq: 3 },
  ),
});

const request: fc.Arbitrary<BatchRequest> = fc.oneof(
  { weight: 12, arbitrary: scan },
  fc.record({ kind: fc.constant('limited'), ...asker, waitMs: fc.nat({ max: 5000 }) }),
  fc.record({
    kind: fc.constant('heartbeat'),
    ...asker,
    contact: fc.option(
      fc.record({
        model: fc.constant('m'),
        serial: fc.constantFrom('s1', 's2'),
        address: fc.constant(''),
        firmware: fc.constantFrom('1', '2'),
      }),
    ),
  }),
);

class RunningClock {
  #now = START - 2000;

  timed(requests: readonly BatchRequest[]): BatchRequest[] {
    return requests.map((one) => {
      this.#now += one.now;
      if (one.kind !== 'scan') return { ...one, now: this.#now };
      const retry = one.retry && { ...one.retry, expiresAt: this.#now + one.retry.expiresAt };
      return { ...one, now: this.#now, retry };
    });
  }
}

const newTickets = fc.array(
  fc.record({
    number: ticket,
    uses: fc.integer({ min: 1, max: 6 }),
    from: fc.option(now),
    holder: fc.boolean(),
    reference: fc.constantFrom('r1', 'r2', undefined),
  }),
  { minLength: 1, maxLength: 3 },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(request, { maxLength: 12 })
      .map((requests) => ({ kind: 'scan', requests }) as const),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('mint' as const),
      tickets: newTickets.map((made) => made.map(ticketFrom)),
      existing: fc.constantFrom('refuse' as const, 'skip' as const),
      references: fc.constantFrom('unique' as const, undefined),
    }),
  },
  fc.record({ kind: fc.constant('cancel' as const), ticket, at: now }),
  fc.record({
    kind: fc.constant('edit' as const),
    key,
    changes: fc.record(
      { active: fc.boolean(), events, openSeconds: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ kind: fc.constantFrom('create' as const, 'delete' as const), key }),
  fc
    .integer({ min: 1, max: 80 })
    .map((quotaPerMonth) => ({ kind: 'quota', quotaPerMonth }) as const),
  fc.constant({ kind: 'reopen' } as const),
);

function ticketFrom(made: {
  number: number;
  uses: number;
  from: number | null;
  holder: boolean;
  reference: string | undefined;
}): NewTicket {
  return {
    id: ticketId(made.number),
    eventId: ticketId(made.number).split('_')[1] ?? '',
    ticketType: made.uses === 1 ? 'single' : 'multi',
    usesAllowed: made.uses,
    holder: made.holder ? { firstName: 'Zoë', lastName: '' } : null,
    validFrom: made.from,
    validUntil: made.from === null ? null : made.from + 2000,
    createdAt: START - 9000,
    ...(made.reference !== undefined && { reference: made.reference }),
  };
}

function newKey(id: string) {
  const after: ApiKeyRecord = {
    id,
    organisationId: 'org_1',
    name: id,
    type: 'api',
    events: 'all',
    active: true,
    relay: 'auto',
    openSeconds: 5,
    createdAt: START,
  };
  return { kind: 'key' as const, before: null, after, hash: `hash of ${id}` };
}

/** Two organisations, an event of the second, and two of three possible keys. */
async function prepare(store: Asked): Promise<void> {
  const organisations = ['org_1', 'org_2'].map((id) => ({
    kind: 'organisation' as const,
    before: null,
    after: { id, name: id, limits, createdAt: START },
  }));
  const ownEvents = EVENTS.map((id) => {
    const organisationId = id === 'cccccc' ? 'org_2' : 'org_1';
    const after = { id, organisationId, name: id, createdAt: START, archivedAt: null };
    return { kind: 'event' as const, before: null, after };
  });
  for (const records of [organisations, ownEvents, KEYS.slice(0, 2).map(newKey)]) {
    await store.write({ records, audit: [AN_AUDIT_ENTRY] });
  }
}

/** What a step answers: a value, or the code of the error it ends with. */
async function take(store: Asked, wanted: Step): Promise<unknown> {
  switch (wanted.kind) {
    case 'scan':
      return (await store.commitScans(wanted.requests)).outcomes;
    case 'mint':
      return store.insertTickets(wanted.tickets, AN_AUDIT_ENTRY, wanted as InsertOptions);
    case 'cancel':
      return store.cancelTickets([ticketId(wanted.ticket)], wanted.at, AN_AUDIT_ENTRY);
    case 'edit':
      return editKey(store, wanted.key, wanted.changes, AN_AUDIT_ENTRY);
    case 'create':
      return store.write({ records: [newKey(`${wanted.key}x`)], audit: [AN_AUDIT_ENTRY] });
    case 'delete':
      return deleteKey(store, wanted.key, START, AN_AUDIT_ENTRY);
    case 'quota':
      return editOrganisation(
        store,
        'org_1',
        { limits: { ...limits, quotaPerMonth: wanted.quotaPerMonth } },
        [AN_AUDIT_ENTRY],
      );
    case 'reopen':
      return undefined;
  }
}

/** A database's own codes are its own. */
const codeOf = (error: unknown) => ({
  refused: error instanceof TicketscanError ? error.code : 'otherwise',
});

/** Where the interface promises no order. */
function sorted<Item>(items: readonly Item[], by: (item: Item) => string): Item[] {
  return items.toSorted((a, b) => (by(a) < by(b) ? -1 : 1));
}

async function everything(store: Asked): Promise<unknown> {
  const requests = KEYS.flatMap((id) =>
    [202607, 202608].map((month) => store.requestsInMonth(id, month)),
  );
  return {
    organisations: await store.list('organisation'),
    keys: await store.list('key'),
    tickets: sorted(await store.listTickets({ limit: 100 }), ({ id }) => id),
    references: (await store.knownReferences('org_1', ['r1', 'r2', 'r1'])).toSorted(),
    log: (await store.readLog({ limit: 1000 })).map(({ sequence: _, ...entry }) => entry),
    devices: sorted(await everyDevice(store), ({ keyId, serial }) => `${keyId} ${serial}`),
    requests: await Promise.all(requests),
    problems: (await store.verify()).problems,
  };
}

/** Opening an engine takes as long as many steps: few histories, and long ones. */
const history = fc.array(step, { minLength: 20, maxLength: 30, size: 'max' });

/** A refusal that the engines have no code of their own for. */
const CREATED_TWICE: Step[] = [
  // The organisation may have no more keys than it has after the first of the two.
  { kind: 'delete', key: 'key_1' },
  { kind: 'create', key: 'key_1' },
  { kind: 'create', key: 'key_1' },
];

describe.each(ENGINES)('%s', (engine) => {
  test('whatever is asked of it, it answers as the reference does', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await using gate = await TestStore.open(engine, 'empty');
        const reference = new ReferenceStore();
        await prepare(gate.store);
        await prepare(reference);
        const clock = new RunningClock();
        for (const raw of steps) {
          const wanted =
            raw.kind === 'scan' ? { ...raw, requests: clock.timed(raw.requests) } : raw;
          if (wanted.kind === 'reopen') await gate.reopen();
          const answer = await take(gate.store, wanted).catch(codeOf);
          expect(answer).toEqual(await take(reference, wanted).catch(codeOf));
        }
        expect(await everything(gate.store)).toEqual(await everything(reference));
      }),
      { numRuns: 9, endOnFailure: true, examples: [[CREATED_TWICE]] },
    );
  });
});
