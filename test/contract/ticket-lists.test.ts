import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateOf, TICKET_STATES, type TicketState } from '../../src/core/decision.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import type { TicketFilter, TicketSearch } from '../../src/stores/record-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const DAY_MS = 86_400_000;
const STEPS_MS = [0, -1, 1, 2, -2, DAY_MS, DAY_MS + 1, -DAY_MS, -2 * DAY_MS];
const ANSWERS: Readonly<Record<string, TicketState>> = {
  ticket_cancelled: 'cancelled',
  validated: 'valid',
};

const idsOf = (tickets: readonly Ticket[]) => tickets.map(({ id }) => id);

async function listed(gate: TestStore, filter: Partial<TicketFilter> = {}): Promise<string[]> {
  return idsOf(await gate.store.listTickets({ limit: 100, ...filter }));
}

/** All pages of a search. */
async function searched(gate: TestStore, search: Omit<TicketSearch, 'afterId'>): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await gate.store.searchTickets({ ...search, ...(next && { afterId: next }) });
    found.push(...idsOf(page.tickets));
    ({ next } = page);
  }
  return found;
}

describe.each(ENGINES)('%s', (engine) => {
  test('a search looks at a bounded number of tickets and says where to go on', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const other = await gate.administration.events.create('Other');
    const made: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const eventId = index % 3 === 0 ? other.id : gate.eventId;
      made.push((await gate.mint({ eventId, lastName: index === 10 ? 'Needle' : 'Hay' })).id);
    }
    const everything = { eventIds: [gate.eventId, other.id], limit: 100, searchMax: 100 };

    const short = await store.searchTickets({ ...everything, search: 'needle', searchMax: 5 });
    // No ticket's id: the one at that place may be another organisation's.
    expect(short).toMatchObject({ tickets: [], next: expect.stringMatching(/^#\d+$/) });
    expect(short.searched).toBeCloseTo(5 / 12);
    const full = await store.searchTickets({ ...everything, limit: 4 });
    expect(idsOf(full.tickets)).toEqual(made.slice(0, 4));
    const rest = await store.searchTickets({ ...everything, afterId: full.next ?? '' });
    expect(idsOf(rest.tickets)).toEqual(made.slice(4));
    expect(rest.next).toBeNull();

    const ofOther = made.filter((_, index) => index % 3 === 0);
    expect(await searched(gate, { eventIds: [other.id], limit: 2, searchMax: 5 })).toEqual(ofOther);
    expect(await store.searchTickets({ ...everything, eventIds: [] })).toEqual({
      tickets: [],
      next: null,
      searched: 1,
    });
    expect([await store.countTickets(other.id), await store.countTickets()]).toEqual([4, 12]);
    expect(await listed(gate, { eventId: other.id })).toEqual(ofOther);
    expect(await listed(gate, { limit: 2 })).toEqual(made.slice(0, 2));
    expect(await listed(gate, { afterId: made[8]! })).toEqual(made.slice(9));
    expect(await listed(gate, { search: 'NEED' })).toEqual([made[10]]);
  });

  test('a search from the newest on finds what was made last first, and every ticket once', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.administration.events.create('Other');
    const made: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const eventId = index % 3 === 0 ? other.id : gate.eventId;
      made.push((await gate.mint({ eventId, lastName: index < 2 ? 'Needle' : 'Hay' })).id);
    }
    const newest = made.toReversed();
    const search = { eventIds: [gate.eventId, other.id], newestFirst: true, searchMax: 5 };

    const first = await gate.store.searchTickets({ ...search, limit: 4 });
    expect(idsOf(first.tickets)).toEqual(newest.slice(0, 4));
    expect(first.searched).toBeCloseTo(4 / 12);
    for (const limit of [1, 3, 100])
      expect(await searched(gate, { ...search, limit })).toEqual(newest);
    const second = await gate.store.searchTickets({
      ...search,
      limit: 1,
      afterId: newest[3] ?? '',
    });
    expect(idsOf(second.tickets)).toEqual([newest[4]]);
    const ofOther = newest.filter((_, index) => index % 3 === 2);
    expect(await searched(gate, { ...search, eventIds: [other.id], limit: 2 })).toEqual(ofOther);
    expect(await searched(gate, { ...search, limit: 100, search: 'needle' })).toEqual(
      made.slice(0, 2).toReversed(),
    );
  });

  test('pages hold every ticket once, whatever was inserted together', async () => {
    await using gate = await TestStore.open(engine);
    const options = { kind: 'single', eventId: gate.eventId } as const;
    const made = Array.from({ length: 2500 }, () => newTicket(options, 1, randomBytes));
    for (const part of [[], made.slice(0, 2000), made.slice(2000)])
      await gate.store.insertTickets(part, AN_AUDIT_ENTRY);

    const found: string[] = [];
    for (let isLast = false; !isLast; ) {
      const afterId = found.at(-1);
      const page = await listed(gate, { limit: 333, ...(afterId && { afterId }) });
      found.push(...page);
      isLast = page.length === 0;
    }

    expect(found).toHaveLength(made.length);
    expect(new Set(found.slice(0, 2000))).toEqual(new Set(idsOf(made.slice(0, 2000) as Ticket[])));
    expect(new Set(found.slice(2000))).toEqual(new Set(idsOf(made.slice(2000) as Ticket[])));
    expect(await gate.store.countTickets()).toBe(made.length);
  });

  test('a search finds names of every script however they are typed, and ids as they are printed', async () => {
    await using gate = await TestStore.open(engine);
    const mint = async (firstName?: string, lastName?: string) =>
      (await gate.mint({ ...(firstName && { firstName }), ...(lastName && { lastName }) })).id;
    const turkish = await mint('Ayşe', 'ÖZTÜRK');
    const german = await mint('Jürgen', 'Groß-Łukasz');
    const greek = await mint('Νίκος', 'Παπαδόπουλος');
    const russian = await mint('Семён', "О'Нил");
    const arabic = await mint('مُحَمَّد', 'علي');
    const unseen = await mint('Anna-Lena', 'Love\u200blace');
    const plain = await mint();
    const printed = plain.replace(/(?<=_)(.{5})(.{5})(.{5})(.{5})$/, '$1 $2 $3  $4');
    expect(printed).not.toBe(plain);

    const rows: [string[], string[]][] = [
      [['öztürk', 'OZTURK', 'Öztürk, Ayse', '  ayşe   öz', 'OEZTUERK'], [turkish]],
      [['GROSS lukasz', 'jurgen', 'groß', 'Juergen', 'grosslukasz', 'Jür\u00adgen'], [german]],
      [['annalena', 'anna-lena', 'love\u200blace', 'Lovelace'], [unseen]],
      [['ΝΙΚΟΣ παπαδοπουλος'], [greek]],
      [['семен онил'], [russian]],
      [['محمد'], [arabic]],
      [
        [
          plain,
          printed,
          printed.toUpperCase(),
          printed.slice(-16),
          plain.slice(0, 20),
          plain.slice(-5),
        ],
        [plain],
      ],
      [['ayse gross', '%', '-', '\u0000', '\ud800', plain.slice(5, -1)], []],
      [[' '], [turkish, german, greek, russian, arabic, unseen, plain]],
    ];
    for (const [texts, ids] of rows) {
      for (const search of texts) {
        expect(await listed(gate, { search }), search).toEqual(ids);
        const bounds = { eventIds: [gate.eventId], limit: 10, searchMax: 99 };
        expect(await searched(gate, { ...bounds, search }), search).toEqual(ids);
      }
    }
  });
});

describe.each(ENGINES)('the state of a ticket in %s', (engine) => {
  let gate: TestStore;
  let all: Ticket[];
  /** Unused, used up and cancelled ones with every window whose ends lie around the time of the store. */
  beforeAll(async () => {
    gate = await TestStore.open(engine);
    const now = gate.clock.now();
    const bounds = [null, now - DAY_MS, now - 1, now, now + 1, now + DAY_MS];
    const windows = bounds
      .flatMap((validFrom) => bounds.map((validUntil) => ({ validFrom, validUntil })))
      .filter(({ validFrom, validUntil }) => (validUntil ?? now) >= (validFrom ?? 0));
    const histories = [{}, { usesConsumed: 1, lastConsumedAt: now }, { cancelledAt: now }];
    const tickets = windows.flatMap((window) =>
      histories.map((history) => ({
        ...newTicket({ kind: 'single', eventId: gate.eventId }, now, randomBytes),
        ...window,
        ...history,
      })),
    );
    await gate.store.insertTickets(tickets, AN_AUDIT_ENTRY);
    all = await gate.store.listTickets({ limit: 1000 });
  });
  afterAll(() => gate[Symbol.asyncDispose]());

  test('is found by the filter of the store, at both ends of a window and on a clock that steps', async () => {
    for (const step of STEPS_MS) {
      const now = gate.clock.now() + step;
      for (const is of TICKET_STATES) {
        const expected = idsOf(all.filter((ticket) => stateOf(ticket, now) === is));
        const found = await listed(gate, { state: { is, now }, limit: 1000 });
        expect(found, `${is} after ${step} ms`).toEqual(expected);
      }
    }
  });

  test('is what a scan says', async () => {
    const asked = all.map(({ id }) => gate.request(id, { operation: 'validate' }));
    const said = await gate.statuses(...asked);
    const states = all.map((ticket) => stateOf(ticket, gate.clock.now()));
    expect(said.map((one) => ANSWERS[one] ?? one)).toEqual(states);
  });

  test('is kept to by the pages of a search, which have each ticket once', async () => {
    const now = gate.clock.now();
    const expired = all.filter((ticket) => stateOf(ticket, now) === 'expired');
    expect(expired.length).toBeGreaterThan(3);
    const state = { is: 'expired', now } as const;
    const bounds = { state, eventIds: [gate.eventId], limit: 3, searchMax: 10 };
    expect(await searched(gate, bounds)).toEqual(idsOf(expired));
  });
});
